import type { UsageValue } from '../billing/aggregate.ts';
import type { LateCharge } from '../billing/charges.ts';
import { pausedIntervals } from '../billing/pauses.ts';
import type { Customer, Plan } from '../billing/subscription.ts';
import { type BilledUsage, listBilledUsage, updateBilledUsage } from './billed-usage.ts';
import { findLateSpans, type LateSpan } from './late-spans.ts';
import type { CountedLate } from './line-counts.ts';
import type { InvoiceSources } from './load-invoice-inputs.ts';
import { findMetricUsages } from './metric-usage.ts';
import { findMetrics } from './metrics.ts';
import { listPausesOf } from './pauses.ts';
import { loadPlans } from './plans.ts';
import { inTransaction, type Transaction } from './postgres.ts';
import { advanceUsageMarks, listUsageMarks, type UsageMark } from './usage-marks.ts';

/** A period for which events came late: what it was billed for when it was read, and its usage with them. */
type LatePeriod = { billed: BilledUsage; charge: LateCharge };

/** What came late for closed periods: all marks that were looked at, and the periods where something did. */
export type LateUsage = { marks: UsageMark[]; periods: LatePeriod[] };

/** Whose late usage: the subscription's own, and where `withEnded` that of the customer's ended ones too. */
type LateQuestion = { subscriptionId: string; withEnded: boolean; upTo?: bigint };

/**
 * Late usage for the next invoice of a subscription (contract 8): periods closed already for which events have landed
 * since, counted again up to `upTo`, the seal of the closing; for a draft, all that has landed.
 */
export async function loadLateUsage(
  sources: InvoiceSources,
  accountId: string,
  { customerId }: Customer,
  { subscriptionId, withEnded, upTo }: LateQuestion,
): Promise<LateUsage> {
  const owner = { customerId, subscriptionId, withEnded };
  const marks = await inTransaction(sources.postgres, accountId, (tx) => listUsageMarks(tx, accountId, owner));
  return countLateSince(sources, { accountId, customerId }, marks, upTo);
}

/** {@link loadLateUsage} by marks that have been read. */
export async function countLateSince(
  sources: InvoiceSources,
  { accountId, customerId }: { accountId: string; customerId: string },
  marks: UsageMark[],
  upTo: bigint | undefined,
): Promise<LateUsage> {
  const spans = await findLateSpans(sources.clickhouse, { accountId, customerId }, marks, upTo);
  if (spans.length === 0) return { marks, periods: [] };
  const { billed, metrics, planOf, pauses } = await inTransaction(sources.postgres, accountId, (tx) =>
    loadSpans(tx, accountId, spans),
  );
  const metricOf = ({ metricId }: BilledUsage) => known(metrics.find((metric) => metric.metricId === metricId));
  const questions = billed.map((one) => {
    const { timeZone, startsAt: start, endsAt: end } = one;
    const excluded = pausedIntervals(pauses.get(one.subscriptionId) ?? [], end);
    const scope = { accountId, customerId, timeZone, start, end, excluded };
    return { ...scope, metric: metricOf(one), ...(upTo !== undefined && { upTo }) };
  });
  const values = await findMetricUsages(sources, questions);
  const periods = billed.map((one, i) => ({
    billed: one,
    charge: chargeOf(one, known(values[i]), metricOf(one).metricName, planOf(one)),
  }));
  return { marks, periods };
}

/** What would be charged if the next invoice were made now, and up to where its periods have been counted: for a draft. */
export function lateCharges({ marks, periods }: LateUsage): CountedLate[] {
  return periods
    .map(({ charge, billed }) => {
      const mark = known(marks.find(({ subscriptionId }) => subscriptionId === billed.subscriptionId));
      return { ...charge, countedFrom: mark.countedTo, timeZone: billed.timeZone };
    })
    .filter(isChange);
}

/**
 * Counts late usage, in the transaction that makes the invoice, and answers what to charge for it: each late event is
 * counted by one closing. A closing that comes second finds the marks at or above its seal, and the usage counted.
 */
export async function updateLateUsage(
  tx: Transaction,
  accountId: string,
  { marks, periods }: LateUsage,
  seal: bigint,
): Promise<CountedLate[]> {
  const ids = marks.map(({ subscriptionId }) => subscriptionId);
  const ours = await advanceUsageMarks(tx, accountId, ids, seal);
  const charges: CountedLate[] = [];
  for (const { billed, charge } of periods) {
    const countedFrom = ours.get(billed.subscriptionId);
    if (countedFrom === undefined) continue;
    const before = await updateBilledUsage(tx, accountId, { ...billed, usage: charge.after });
    charges.push({ ...charge, before, countedFrom, timeZone: billed.timeZone });
  }
  return charges.filter(isChange);
}

function isChange({ before, after }: LateCharge): boolean {
  return !after.value.eq(before.value);
}

async function loadSpans(tx: Transaction, accountId: string, spans: LateSpan[]) {
  const billed: BilledUsage[] = [];
  for (const span of spans) billed.push(...(await listBilledUsage(tx, accountId, span.subscriptionId, span)));
  const planOf = await loadPlans(tx, accountId, billed);
  const metricIds = [...new Set(billed.map(({ metricId }) => metricId))];
  const subscriptionIds = [...new Set(spans.map(({ subscriptionId }) => subscriptionId))];
  const pauses = await listPausesOf(tx, accountId, subscriptionIds);
  return { billed, planOf, pauses, metrics: await findMetrics(tx, accountId, metricIds) };
}

function chargeOf(billed: BilledUsage, after: UsageValue, metricName: string, plan: Plan): LateCharge {
  const { subscriptionId, planId, version, startsAt, endsAt, metricId, prepaidUnits, usage } = billed;
  const component = known(plan.components.find((one) => one.metricId === metricId));
  const origin = { subscriptionId, planId, version, periodStart: startsAt, periodEnd: endsAt };
  return { ...origin, metricName, component, before: usage, after, prepaidUnits };
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a part of billed usage is missing');
  return value;
}
