import type { LineRecount } from '../billing/check-invoice.ts';
import { ZERO } from '../billing/decimal.ts';
import type { LinePricing } from '../billing/explain-line.ts';
import type { InvoiceLine, IssuedInvoice } from '../billing/invoice.ts';
import { pausedIntervals } from '../billing/pauses.ts';
import type { Component } from '../billing/rating.ts';
import { findLineCounts, type LineCount } from './line-counts.ts';
import type { MetricQuestion } from './metric-query.ts';
import { findMetric } from './metrics.ts';
import { listPauses } from './pauses.ts';
import { findPlan } from './plans.ts';
import type { Transaction } from './postgres.ts';

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
  const counts = await findLineCounts(
    tx,
    accountId,
    invoice.lines.map(({ lineId }) => lineId ?? ''),
  );
  const recounts: RecountedLine[] = [];
  for (const line of invoice.lines) {
    const count = counts.get(line.lineId ?? '') ?? null;
    const pricing = pricingOf(line, await findComponent(tx, accountId, line), count);
    recounts.push({ line, pricing, question: await questionOf(tx, accountId, invoice, line, count) });
  }
  return recounts;
}

/** How a component prices a line; null where none does, or what it counted is not known. */
export function pricingOf(
  { type }: InvoiceLine,
  component: Component | null,
  count: LineCount | null,
): LinePricing | null {
  if (component === null) return null;
  if (count !== null) return { component, ...count };
  return type === 'prepaid_units' ? { component, prepaidUnits: ZERO, quantityBefore: ZERO } : null;
}

/** The component of the line's metric in the line's plan version. */
export async function findComponent(
  tx: Transaction,
  accountId: string,
  { planId, version, metricId }: InvoiceLine,
): Promise<Component | null> {
  if (metricId === null || planId === null || version === null) return null;
  const plan = await findPlan(tx, accountId, planId, version);
  return plan?.components.find((one) => one.metricId === metricId) ?? null;
}

async function questionOf(
  tx: Transaction,
  accountId: string,
  { customerId }: IssuedInvoice,
  { metricId, periodStart: start, periodEnd: end, subscriptionId }: InvoiceLine,
  count: LineCount | null,
): Promise<MetricQuestion | null> {
  if (metricId === null || count === null || start === null || end === null) return null;
  const metric = await findMetric(tx, accountId, metricId);
  if (!metric) return null;
  const pauses = subscriptionId === null ? [] : await listPauses(tx, accountId, subscriptionId);
  const { countedTo: upTo, timeZone } = count;
  return { accountId, customerId, metric, timeZone, start, end, excluded: pausedIntervals(pauses, end), upTo };
}
