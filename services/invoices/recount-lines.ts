import type { Metric } from '../../billing/catalog/metrics.ts';
import type { LineRecount } from '../../billing/invoices/check-invoice.ts';
import type { LinePricing } from '../../billing/invoices/explain-line.ts';
import type { InvoiceLine, IssuedInvoice } from '../../billing/invoices/invoice.ts';
import type { LineCount } from '../../billing/metering/line-counts.ts';
import { type Pause, pausedIntervals } from '../../billing/periods/pauses.ts';
import type { PriceRow } from '../../billing/pricing/price-book.ts';
import { type Component, perEventPrice } from '../../billing/pricing/rating.ts';
import { componentOfLine, countsNoEvents, rowOfLine } from '../../billing/pricing/row-component.ts';
import type { Overrides } from '../../billing/subscriptions/agreement.ts';
import { overridesOfLine } from '../../billing/subscriptions/overrides.ts';
import type { Plan } from '../../billing/subscriptions/subscription.ts';
import { ZERO } from '../../core/decimal.ts';
import type { MetricQuestion } from '../../sql/clickhouse/metrics/metric-query.ts';
import { findMetrics } from '../../sql/postgres/catalog/metrics.ts';
import { findPlan, findPlanVersions } from '../../sql/postgres/catalog/plans.ts';
import { findLineCounts } from '../../sql/postgres/invoices/line-counts.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listPausesOf } from '../../sql/postgres/subscriptions/pauses.ts';

/** A line of an issued invoice with what it was priced by; `question` asks again what it counted, null where it counts nothing. */
export type RecountedLine = Omit<LineRecount, 'usage'> & { question: MetricQuestion | null };

/**
 * What the lines of an issued invoice were made from: their plan versions' components, and the questions that give their
 * metrics' values again, event by event up to the same positions of the stream.
 */
export async function loadRecounts(
  tx: Transaction,
  accountId: string,
  invoice: IssuedInvoice,
): Promise<RecountedLine[]> {
  const { lines } = invoice;
  const [counts, plans, metrics, pauses] = await Promise.all([
    findLineCounts(
      tx,
      accountId,
      lines.map(({ lineId }) => lineId ?? ''),
    ),
    findPlanVersions(
      tx,
      accountId,
      lines.flatMap(({ planId, version }) => (planId === null || version === null ? [] : [{ planId, version }])),
    ),
    findMetrics(tx, accountId, [...new Set(lines.flatMap(({ metricId }) => metricId ?? []))]),
    listPausesOf(tx, accountId, [...new Set(lines.flatMap(({ subscriptionId }) => subscriptionId ?? []))]),
  ]);
  return lines.map((line) => {
    const count = counts.get(line.lineId ?? '') ?? null;
    const plan = plans.find(({ planId, version }) => planId === line.planId && version === line.version);
    const own = plan?.components.find(({ metricId }) => metricId === line.metricId) ?? null;
    const component = own && componentOfLine(own, line);
    const metric = metrics.find(({ metricId }) => metricId === line.metricId);
    const paused = pauses.get(line.subscriptionId ?? '') ?? [];
    const isUnused = own !== null && countsNoEvents(own, line);
    const question = metric && !isUnused && questionOf(accountId, invoice, line, { metric, component, count, paused });
    return { line, pricing: pricingOf(line, component, count), question: question || null };
  });
}

/** How a component prices a line; null where none does, or what it counted is not known. */
export function pricingOf(
  { type }: InvoiceLine,
  component: Component | null,
  count: Omit<LineCount, 'countedTo' | 'countedFrom'> | null,
): LinePricing | null {
  if (component === null) return null;
  if (count !== null) return { component, ...count };
  return type === 'prepaid_units' ? { component, prepaidUnits: ZERO, prepaidBefore: ZERO, quantityBefore: ZERO } : null;
}

/** What a line is priced by: the component of its metric, as its row of a price book prices it; `isUnused`: it counts no events. */
export type LinePrice = { component: Component | null; price: PriceRow | null; isUnused: boolean };

/** What a line is priced by in its plan version. */
export function priceOfLine(line: InvoiceLine, plan: Plan | null): LinePrice {
  const own = plan?.components.find(({ metricId }) => metricId === line.metricId);
  if (!own) return { component: null, price: null, isUnused: false };
  const isUnused = countsNoEvents(own, line);
  return { component: componentOfLine(own, line), price: rowOfLine(own, line), isUnused };
}

/** The line's plan version; null where it names none. */
export async function findPlanOfLine(
  tx: Transaction,
  accountId: string,
  { planId, version }: InvoiceLine,
): Promise<Plan | null> {
  return planId === null || version === null ? null : ((await findPlan(tx, accountId, planId, version)) ?? null);
}

/** What was agreed on that the line is priced by; null where that is what the plan says. */
export function overridesBehind(line: InvoiceLine, plan: Plan | null): Overrides | null {
  const overrides = plan?.agreement?.overrides ?? null;
  return overrides && overridesOfLine(line, overrides);
}

function questionOf(
  accountId: string,
  invoice: IssuedInvoice,
  { customerId = invoice.customerId, periodStart: start, periodEnd: end, group }: InvoiceLine,
  {
    metric,
    component,
    count,
    paused,
  }: { metric: Metric; component: Component | null; count: LineCount | null; paused: readonly Pause[] },
): MetricQuestion | null {
  if (count === null || start === null || end === null) return null;
  const { countedTo: upTo, timeZone } = count;
  const perEvent = component && perEventPrice(component);
  const combination = group ?? null;
  return {
    accountId,
    customerId,
    metric,
    timeZone,
    start,
    end,
    excluded: pausedIntervals(paused, end),
    upTo,
    perEvent,
    combination,
  };
}
