import type { PaidAhead } from '../../billing/credits/proration-credits.ts';
import { agreedVersions } from '../../billing/invoices/agreed-lines.ts';
import { type LateSpan, spansToCount, type UsageWatermark } from '../../billing/metering/late-usage.ts';
import { holdersOf, plansInForce } from '../../billing/periods/segments.ts';
import type { BillingRules } from '../../billing/snapshot/billing-rules.ts';
import type { CustomerSnapshot } from '../../billing/snapshot/customer-snapshot.ts';
import type { Subscription } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import { findLateSpans } from '../../sql/clickhouse/metrics/late-spans.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { listCreditsWithRemainder } from '../../sql/postgres/credits/credits.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import { listBilledUsage } from '../../sql/postgres/invoices/billed-usage.ts';
import { listPendingItems } from '../../sql/postgres/invoices/pending-items.ts';
import { listChargedFees, loadInvoicesAtHand } from '../../sql/postgres/invoices/refundable-charges.ts';
import { listWatermarksOfCustomer } from '../../sql/postgres/invoices/usage-watermarks.ts';
import { inSnapshot, type Transaction } from '../../sql/postgres/postgres.ts';
import { listApplicableDiscounts } from '../../sql/postgres/subscriptions/discounts.ts';
import { listLiveSubscriptions } from '../../sql/postgres/subscriptions/subscriptions.ts';
import type { InvoiceSources } from '../invoices/load-invoice-inputs.ts';
import { loadBillingRules, newPlanWanted } from './load-billing-rules.ts';
import { loadPendingInvoices } from './load-pending-invoices.ts';

/** `now`: real time, which counts where the customer has no test clock. `upTo`: later usage does not count. */
export type SnapshotQuestion = { accountId: string; customerId: string; now: Instant; upTo?: bigint };

/** Reads records as they are at one instant, which may be that at the end of a change that is undone. */
export type ReadRecords = <T>(read: (tx: Transaction) => Promise<T>) => Promise<T>;

/** As often as closings move watermarks on while it is asked what came late for them. */
const MAX_ATTEMPTS = 10;

/**
 * Reads all that decides what a customer is billed, in one transaction that sees one instant, in some twenty statements
 * however many subscriptions the customer has; undefined where the account has no such customer.
 */
export async function loadCustomerSnapshot(
  sources: InvoiceSources,
  question: SnapshotQuestion,
  readRecords?: ReadRecords,
): Promise<CustomerSnapshot | undefined> {
  return (await loadCustomerSnapshotWith(sources, question, async () => null, readRecords))?.snapshot;
}

/** {@link loadCustomerSnapshot}, and what `also` reads of the same instant. */
export async function loadCustomerSnapshotWith<T>(
  sources: InvoiceSources,
  question: SnapshotQuestion,
  also: (tx: Transaction) => Promise<T>,
  readRecords: ReadRecords = (read) => inSnapshot(sources.postgres, question.accountId, read),
): Promise<{ snapshot: CustomerSnapshot; also: T } | undefined> {
  const { accountId, customerId, upTo } = question;
  // Where something came late only ClickHouse tells, and it is asked with no transaction open.
  const spans = new Map<string, LateSpan | null>();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const read = await readRecords((tx) => readSnapshot(tx, question, spans, also));
    if (read === undefined || 'snapshot' in read) return read;
    const found = await findLateSpans(
      sources.clickhouse,
      { accountId, customerId },
      read.unasked,
      upTo,
      sources.limits,
    );
    const spanOf = new Map(found.map((span) => [span.subscriptionId, span]));
    for (const watermark of read.unasked) spans.set(keyOf(watermark), spanOf.get(watermark.subscriptionId) ?? null);
  }
  throw new Error(`the watermarks of ${customerId} do not keep still`);
}

type Read<T> = { snapshot: CustomerSnapshot; also: T } | { unasked: UsageWatermark[] };

async function readSnapshot<T>(
  tx: Transaction,
  { accountId, customerId, now }: SnapshotQuestion,
  spans: ReadonlyMap<string, LateSpan | null>,
  readAlso: (tx: Transaction) => Promise<T>,
): Promise<Read<T> | undefined> {
  const [customer, watermarks] = await Promise.all([
    findCustomer(tx, accountId, customerId),
    listWatermarksOfCustomer(tx, accountId, customerId),
  ]);
  if (!customer) return undefined;
  const unasked = watermarks.filter((watermark) => !spans.has(keyOf(watermark)));
  if (unasked.length > 0) return { unasked };
  const subscriptions = await listLiveSubscriptions(tx, accountId, [customerId]);
  const [account, pendingInvoices, credits, discounts, pending, billedLate, also] = await Promise.all([
    loadAccount(tx, accountId),
    loadPendingInvoices(tx, accountId, customerId, subscriptions),
    listCreditsWithRemainder(tx, accountId, customerId),
    customer.hasDiscounts ? listApplicableDiscounts(tx, accountId, customerId) : [],
    listPendingItems(tx, accountId, customerId, { lock: false }),
    listBilledUsage(
      tx,
      accountId,
      spansToCount(
        watermarks,
        watermarks.flatMap((watermark) => spans.get(keyOf(watermark)) ?? []),
      ),
    ),
    readAlso(tx),
  ]);
  const newPlans = subscriptions.flatMap((one) => newPlanWanted(one) ?? []);
  const named = agreedVersions(pending.lines);
  const wanted = { newPlans, named, billed: billedLate, pending: pendingInvoices };
  const rules = await loadBillingRules(tx, accountId, subscriptions, wanted);
  const paid = await loadPaidAhead(tx, accountId, customerId, subscriptions, rules);
  const at = customer.clockTime ?? now;
  const billed = { credits, discounts, pending, pendingInvoices, watermarks, billedLate };
  return { snapshot: { account, customer, at, subscriptions, rules, ...billed, ...paid }, also };
}

/** What has been charged ahead, and may be given back by what is planned. */
async function loadPaidAhead(
  tx: Transaction,
  accountId: string,
  customerId: string,
  subscriptions: readonly Subscription[],
  rules: BillingRules,
): Promise<Omit<PaidAhead, 'pending'>> {
  const ending = subscriptions.filter(
    ({ chargeTiming, plannedCancel, plannedSwitch }) =>
      chargeTiming === 'in_advance' && (plannedCancel !== null || plannedSwitch !== null),
  );
  const paid = ending.map((subscription) => {
    const { subscriptionId, currentPeriod } = subscription;
    const plans = plansInForce(subscription, currentPeriod, rules.switchedOf(subscriptionId, currentPeriod));
    return { holders: holdersOf(plans), period: currentPeriod.billing };
  });
  const fees = await listChargedFees(tx, accountId, customerId, paid);
  const invoiceIds = fees.flatMap((charged) => charged.map(({ invoiceId }) => invoiceId));
  const feesOf = new Map(ending.map(({ subscriptionId }, i) => [subscriptionId, fees[i] ?? []]));
  return {
    chargedFeesOf: (subscriptionId) => feesOf.get(subscriptionId) ?? [],
    invoiceAtHand: await loadInvoicesAtHand(tx, accountId, invoiceIds),
  };
}

function keyOf({ subscriptionId, countedTo, startsAt, endsAt }: UsageWatermark): string {
  return `${subscriptionId} ${countedTo} ${startsAt} ${endsAt}`;
}
