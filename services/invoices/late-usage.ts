import { areLimited, decideLateUsage, lateChargesOf, lateToCount } from '../../billing/decide/late-usage.ts';
import type { BilledUsage } from '../../billing/metering/billed-usage.ts';
import {
  type CountedLate,
  type LateUsage,
  lateUsage,
  spansToCount,
  takeWatermarks,
  type UsageWatermark,
} from '../../billing/metering/late-usage.ts';
import type { KeptAmount } from '../../billing/state/billing-rules.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { currencyOf } from '../../core/currencies.ts';
import { findLateSpans } from '../../sql/clickhouse/metrics/late-spans.ts';
import { listBilledUsage, lockBilledUsage } from '../../sql/postgres/invoices/billed-usage.ts';
import { listLimitedAmounts } from '../../sql/postgres/invoices/limited-amounts.ts';
import { listWatermarksOf, lockWatermarks } from '../../sql/postgres/invoices/usage-watermarks.ts';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { saveChanges } from '../billing/save-changes.ts';
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
 * Counts late usage, in the transaction that makes the invoice, and returns what to charge for it. What it lowers of earlier invoices is
 * settled.
 */
export async function updateLateUsage(
  tx: Transaction,
  billing: LateBilling,
  { watermarks, periods }: LateUsage,
  usageCutoff: bigint,
): Promise<CountedLate[]> {
  const { account, customer } = billing;
  const { accountId } = account;
  const subscriptionIds = watermarks.map(({ subscriptionId }) => subscriptionId);
  const locked = await lockWatermarks(tx, accountId, subscriptionIds, usageCutoff);
  const counted = await lockBilledUsage(tx, accountId, lateToCount(periods, locked, usageCutoff));
  const charges = lateChargesOf(counted);
  const kept = areLimited(charges) ? await listLimitsOf(tx, accountId, charges) : [];
  const { exponent: places } = currencyOf(customer.currency);
  const { late, changes } = decideLateUsage({ account, places, subscriptionIds, usageCutoff, counted, kept });
  await saveChanges(tx, accountId, changes);
  return settleLateUsage(tx, billing, late);
}

/** What limits count of the periods of late charges until now. */
function listLimitsOf(tx: Transaction, accountId: string, charges: readonly CountedLate[]): Promise<KeptAmount[]> {
  const limits = charges.flatMap(({ limited = [] }) => limited);
  const subscriptionIds = [...new Set(limits.map(({ subscriptionId }) => subscriptionId))];
  const since = Math.min(...charges.map(({ periodStart }) => periodStart));
  return listLimitedAmounts(tx, accountId, subscriptionIds, since);
}
