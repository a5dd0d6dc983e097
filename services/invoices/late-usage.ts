import type { Account } from '../../billing/accounts/account.ts';
import { billedLate } from '../../billing/invoices/pending-items.ts';
import type { BilledUsage } from '../../billing/metering/billed-usage.ts';
import { limitedAfter } from '../../billing/metering/late-true-ups.ts';
import {
  type CountedLate,
  countedAbove,
  isLateChange,
  type LateUsage,
  lateUsage,
  spansToCount,
  takeWatermarks,
  type UsageWatermark,
} from '../../billing/metering/late-usage.ts';
import { limitedKey } from '../../billing/state/billing-rules.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { currencyOf } from '../../core/currencies.ts';
import { findLateSpans } from '../../sql/clickhouse/metrics/late-spans.ts';
import { listBilledUsage, updateBilledUsage } from '../../sql/postgres/invoices/billed-usage.ts';
import { listLimitedAmounts, upsertLimitedAmounts } from '../../sql/postgres/invoices/limited-amounts.ts';
import { advanceWatermarks, listWatermarksOf } from '../../sql/postgres/invoices/usage-watermarks.ts';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { type LateBilling, settleLateUsage } from '../billing/settle-late-usage.ts';
import { loadBillingRules } from '../state/load-billing-rules.ts';
import { answerUsage } from '../usage/answer-usage.ts';
import type { InvoiceSources } from './load-invoice-inputs.ts';

/** Whose late usage: the subscription's own, and where `withEnded` that of the customer's ended ones too. */
type LateQuestion = { subscriptionId: string; withEnded: boolean; upTo?: bigint };

/**
 * Late usage for the next invoice of a subscription (spec/invoices#late-usage): periods closed already for which events have landed
 * since, counted again up to `upTo`, the usage cutoff of the closing; without it, all that has landed.
 */
export async function loadLateUsage(
  sources: InvoiceSources,
  accountId: string,
  { customerId }: Customer,
  { subscriptionId, withEnded, upTo }: LateQuestion,
): Promise<LateUsage> {
  const all = await inTransaction(sources.postgres, accountId, (tx) => listWatermarksOf(tx, accountId, [customerId]));
  const watermarks = takeWatermarks(new Set(all), subscriptionId, withEnded);
  return countLateSince(sources, { accountId, customerId }, watermarks, upTo);
}

/** {@link loadLateUsage} by watermarks that have been read. */
export async function countLateSince(
  sources: InvoiceSources,
  owner: { accountId: string; customerId: string },
  watermarks: readonly UsageWatermark[],
  upTo: bigint | undefined,
): Promise<LateUsage> {
  const { accountId } = owner;
  const { customerId } = owner;
  const asked = watermarks.map((watermark) => ({ ...watermark, customerId }));
  const late = await findLateSpans(sources.clickhouse, accountId, asked, upTo, sources.limits);
  const spans = spansToCount(watermarks, late);
  if (spans.length === 0) return { watermarks, periods: [] };
  const { billed, rules } = await inTransaction(sources.postgres, accountId, async (tx) => {
    const read: BilledUsage[] = await listBilledUsage(tx, accountId, spans);
    return { billed: read, rules: await loadBillingRules(tx, accountId, [], { billed: read }) };
  });
  return answerUsage(sources, { ...owner, ...(upTo !== undefined && { upTo }) }, lateUsage(watermarks, billed, rules));
}

/**
 * Counts late usage, in the transaction that makes the invoice, and answers what to charge for it: each late event is
 * counted by one closing. A closing that comes second finds the watermarks at or above its cutoff, and the usage counted. What it lowers of earlier
 * invoices is settled.
 */
export async function updateLateUsage(
  tx: Transaction,
  billing: LateBilling,
  { watermarks, periods }: LateUsage,
  usageCutoff: bigint,
): Promise<CountedLate[]> {
  const { account, customer } = billing;
  const { accountId } = account;
  const ids = watermarks.map(({ subscriptionId }) => subscriptionId);
  const watermarksOf = await advanceWatermarks(tx, accountId, ids, usageCutoff);
  const counted = periods.flatMap(({ billed, charge }) => {
    const countedFrom = watermarksOf.get(billed.subscriptionId);
    // A price may have come without an event; what was held is told from what was billed, however often it is counted.
    const isOurs = countedFrom !== undefined && (countedFrom < usageCutoff || billed.combination !== undefined);
    if (!isOurs) return [];
    const { after: usage, prepaidUnits } = charge;
    const combination = billed.combination && { ...billed.combination, usage };
    return { ...billed, usage, prepaidUnits, charge, countedFrom, ...(combination && { combination }) };
  });
  const updated = await updateBilledUsage(tx, accountId, counted);
  const charges = updated.map(({ charge, was, countedFrom, timeZone }): CountedLate => {
    const now = { ...charge, before: was.usage, prepaidBefore: was.prepaidUnits };
    return { ...now, countedFrom: countedAbove(now, countedFrom), timeZone };
  });
  const isLimited = charges.some((charge) => isLateChange(charge) && (charge.limited ?? []).length > 0);
  const all = isLimited ? await updateLimited(tx, account, charges, currencyOf(customer.currency).exponent) : charges;
  return settleLateUsage(tx, billing, all);
}

/** The charges with what limits count of their periods until now, which is kept anew: with what is billed of them. */
async function updateLimited(
  tx: Transaction,
  account: Account,
  charges: readonly CountedLate[],
  places: number,
): Promise<CountedLate[]> {
  const { accountId } = account;
  const limits = charges.flatMap(({ limited = [] }) => limited);
  const ids = [...new Set(limits.map(({ subscriptionId }) => subscriptionId))];
  const since = Math.min(...charges.map(({ periodStart }) => periodStart));
  const kept = new Map((await listLimitedAmounts(tx, accountId, ids, since)).map((one) => [limitedKey(one), one]));
  const now = charges.map((charge) => {
    const limited = charge.limited?.map((one) => ({
      ...one,
      charged: kept.get(limitedKey(one))?.charged ?? one.charged,
    }));
    return { ...charge, ...(limited && { limited }) };
  });
  const changed = now.filter(isLateChange);
  await upsertLimitedAmounts(tx, accountId, limitedAfter(billedLate(changed, account), places));
  return now;
}
