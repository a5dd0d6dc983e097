import type { Account } from '../../billing/accounts/account.ts';
import { draftParts } from '../../billing/invoices/draft-parts.ts';
import { billableLines } from '../../billing/invoices/pending-items.ts';
import { daysOfPeriod, type Revenue, type RunningQuantity } from '../../billing/invoices/revenue-days.ts';
import type { LineCount } from '../../billing/metering/line-counts.ts';
import { pausedIntervals } from '../../billing/periods/pauses.ts';
import { type Component, perEventPrice } from '../../billing/pricing/rating.ts';
import { componentOfLine, countsNoEvents } from '../../billing/pricing/row-component.ts';
import type { Customer, PlanVersion } from '../../billing/subscriptions/subscription.ts';
import { notFound } from '../../core/domain-error.ts';
import { localDateAt } from '../../core/instants.ts';
import type { MetricQuestion } from '../../sql/clickhouse/metrics/metric-query.ts';
import { listRunningUsage } from '../../sql/clickhouse/metrics/running-usage.ts';
import { findMetrics } from '../../sql/postgres/catalog/metrics.ts';
import { loadPlans } from '../../sql/postgres/catalog/plans.ts';
import { type DaySpan, listRevenueLines, type RevenueLine } from '../../sql/postgres/invoices/revenue-lines.ts';
import { inReading, type Transaction } from '../../sql/postgres/postgres.ts';
import { type Attachment, listAttachments } from '../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { listPausesOf } from '../../sql/postgres/subscriptions/pauses.ts';
import { loadStateWith } from '../billing/load-state.ts';
import { answerUsages } from '../usage/answer-usage.ts';
import type { InvoiceSources } from './load-invoice-inputs.ts';
import { projectedLines } from './projected-lines.ts';

/** Whose revenue, on which days; `at` is the customer's time, usage not billed yet counts up to `upTo`. */
export type RevenueQuestion = { account: Account; customer: Customer; span: DaySpan; at: number; upTo: bigint };

/** What all that is billed, and all that the draft would bill, brings in on these days (spec/cost-analysis#revenue). */
export async function loadRevenues(sources: InvoiceSources, question: RevenueQuestion): Promise<Revenue[]> {
  const { account, customer, span, at, upTo } = question;
  const { accountId } = account;
  const { customerId, timeZone } = customer;
  const read = await loadStateWith(sources, { accountId, customerId, now: at, upTo }, (tx) =>
    listRevenueLines(tx, accountId, customerId, span),
  );
  if (!read) throw notFound(`customer ${customerId}`);
  const { state, also: issued } = read;
  const pending = billableLines(state.pending, account);
  const parts = (await answerUsages(sources, { accountId, customerId, upTo }, draftParts(state))).flat();
  const lines = [...issued, ...projectedLines(customer, { parts, pending, discounts: state.discounts }, upTo)];
  const { counted, attached } = await loadCounted(sources, question, lines);
  return lines.map((line) => counted.get(line) ?? revenueOf(line, attached, timeZone));
}

/** A line that counts nothing: evenly over its period, or once, on the day on which its add-on was attached or else on that of issue. */
function revenueOf(line: RevenueLine, attached: readonly Attachment[], timeZone: string): Revenue {
  const { subscriptionId, oneTimeAddonId, issueDate, periodStart, periodEnd } = line;
  const amount = line.amount.minus(line.off);
  if (periodStart === null || periodEnd === null) return { amount, falls: 'once', day: issueDate };
  if (oneTimeAddonId !== null) {
    const own = attached.findLast(
      (one) => one.addonId === oneTimeAddonId && one.subscriptionId === subscriptionId && one.attachedAt < periodEnd,
    );
    return { amount, falls: 'once', day: own ? localDateAt(own.attachedAt, timeZone) : issueDate };
  }
  return { amount, falls: 'evenly', days: daysOfPeriod(periodStart, periodEnd, timeZone) };
}

/** A usage line with the running totals it needs: those up to its count, and for late usage those before. */
type Counted = { line: RevenueLine; count: LineCount; component: Component; asked: number[] };

/** What lines of usage bring in, and when add-ons were attached. */
async function loadCounted(
  { postgres, clickhouse }: InvoiceSources,
  { account, customer }: RevenueQuestion,
  lines: readonly RevenueLine[],
): Promise<{ counted: Map<RevenueLine, Revenue>; attached: Attachment[] }> {
  const { accountId } = account;
  const known = await inReading(postgres, accountId, (tx) => loadRules(tx, accountId, lines));
  const questions: MetricQuestion[] = [];
  const counted: Counted[] = [];
  for (const line of lines) {
    const { count, metricId, periodStart: start, periodEnd: end } = line;
    if (count === null || start === null || end === null) continue;
    const own = known.componentOf(line);
    // A window in which no row was used has a line of 0: it counts no events, so nothing prices it.
    const component = own && !countsNoEvents(own, line) ? componentOfLine(own, line) : undefined;
    const metric = known.metrics.find((one) => one.metricId === metricId);
    if (!component || !metric) continue;
    const { customerId } = customer;
    const excluded = pausedIntervals(known.pauses.get(line.subscriptionId ?? '') ?? [], end);
    const perEvent = perEventPrice(component);
    const scope = {
      accountId,
      customerId,
      metric,
      timeZone: count.timeZone,
      start,
      end,
      excluded,
      perEvent,
      combination: line.group ?? null,
    };
    const bounds = count.countedFrom === null ? [count.countedTo] : [count.countedTo, count.countedFrom];
    const asked = bounds.map((upTo) => questions.push({ ...scope, upTo }) - 1);
    counted.push({ line, count, component, asked });
  }
  const answers = await listRunningUsage(clickhouse, questions);
  const revenues = counted.map((one) => [one.line, revenueByUsage(one, (i) => answers[i] ?? [])] as const);
  return { counted: new Map(revenues), attached: known.attached };
}

function revenueByUsage(
  { line: { amount, off }, count: { prepaidUnits, prepaidBefore }, component, asked }: Counted,
  runningOf: (question: number) => RunningQuantity[],
): Revenue {
  const [now = -1, before] = asked;
  const price = { amount, off, component, prepaidUnits };
  if (before === undefined) return { ...price, falls: 'by_usage', running: runningOf(now) };
  return { ...price, falls: 'by_late_usage', after: runningOf(now), before: runningOf(before), prepaidBefore };
}

function isOfPlan(line: RevenueLine): line is RevenueLine & PlanVersion {
  return line.planId !== null && line.version !== null;
}

/** The metrics, plan versions and pauses that lines of usage are counted and priced by, and when add-ons that are charged once were attached. */
async function loadRules(tx: Transaction, accountId: string, lines: readonly RevenueLine[]) {
  const counted = lines.filter(({ count }) => count !== null);
  const idsOf = (some: readonly RevenueLine[], pick: (line: RevenueLine) => string | null) => [
    ...new Set(some.flatMap((line) => pick(line) ?? [])),
  ];
  const versions = new Map(counted.filter(isOfPlan).map((line) => [`${line.planId} ${line.version}`, line]));
  const [planOf, metrics, pauses, attached] = await Promise.all([
    loadPlans(tx, accountId, [...versions.values()]),
    findMetrics(
      tx,
      accountId,
      idsOf(counted, ({ metricId }) => metricId),
    ),
    listPausesOf(
      tx,
      accountId,
      idsOf(counted, ({ subscriptionId }) => subscriptionId),
    ),
    listAttachments(
      tx,
      accountId,
      idsOf(lines, ({ oneTimeAddonId }) => oneTimeAddonId),
    ),
  ]);
  return {
    ...{ metrics, pauses, attached },
    componentOf: (line: RevenueLine) =>
      isOfPlan(line) ? planOf(line).components.find((one) => one.metricId === line.metricId) : undefined,
  };
}
