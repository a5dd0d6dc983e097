import type { BoundaryInput } from '../../billing/invoices/boundary-charges.ts';
import { openingPart } from '../../billing/invoices/opening-invoice.ts';
import { type PendingInvoice, pendingBoundary, pendingHead } from '../../billing/invoices/pending-invoice.ts';
import type { LateUsage } from '../../billing/metering/late-usage.ts';
import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import { isLive } from '../../billing/subscriptions/states.ts';
import type { Instant } from '../../core/instants.ts';
import { listUsageWatermarks } from '../../sql/postgres/invoices/usage-watermarks.ts';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { updatePeriodInvoiced } from '../../sql/postgres/subscriptions/pending-invoices.ts';
import { lockSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { saveProrationCredits } from '../credits/save-proration-credits.ts';
import { loadBillingRules } from '../snapshot/load-billing-rules.ts';
import { loadPendingInvoices } from '../snapshot/load-pending-invoices.ts';
import { loadSchedule } from '../subscriptions/load-schedule.ts';
import { loadSubscriptionSnapshot, planNext } from '../subscriptions/move-subscription.ts';
import { answerUsage } from '../usage/answer-usage.ts';
import { countLateSince, updateLateUsage } from './late-usage.ts';
import { type InvoiceSources, loadOpening } from './load-invoice-inputs.ts';
import { type Begun, chargeBoundary, issueBill } from './save-bill.ts';

export type Closing = {
  accountId: string;
  subscriptionId: string;
  periodIndex: number;
  /** The stream position up to which usage counts. */
  usageCutoff: bigint;
  /** The customer's time: that of its test clock, else real time. */
  now: Instant;
};

/** What a closing bills by: usage up to its cutoff, of the period that has ended and of those closed before. */
type LoadedBill = { pending: PendingInvoice; boundary: BoundaryInput; late: LateUsage };

/**
 * Issues the pending invoice of a period: load, compute, then save in one transaction; returns what comes next. Does nothing where
 * it is issued already, so that any number of runs make one invoice.
 */
export async function issuePeriodInvoice(sources: InvoiceSources, closing: Closing): Promise<SubscriptionSchedule> {
  const { accountId, usageCutoff } = closing;
  const { postgres } = sources;
  const before = await inTransaction(postgres, accountId, (tx) => loadBefore(tx, closing));
  if ('schedule' in before) return before.schedule;
  const { rules, watermarks, pending, customer } = before;
  const { customerId } = customer;
  const boundary = await answerUsage(
    sources,
    { accountId, customerId, upTo: usageCutoff },
    pendingBoundary(pending, rules),
  );
  const late = await countLateSince(sources, { accountId, customerId }, watermarks, usageCutoff);
  return inTransaction(postgres, accountId, async (tx) => {
    await saveClosing(tx, closing, { pending, boundary, late });
    return loadSchedule(tx, closing);
  });
}

/** All that the records say for a closing; of one that has been done, where its subscription stands. */
async function loadBefore(tx: Transaction, closing: Closing) {
  const { accountId, subscriptionId, periodIndex } = closing;
  const { subscription, customer } = await loadSubscriptionSnapshot(tx, accountId, subscriptionId);
  const { customerId } = customer;
  const all = await loadPendingInvoices(tx, accountId, customerId, [subscription]);
  const pending = all.find(({ owner, period }) => {
    return owner.subscriptionId === subscriptionId && period.index === periodIndex;
  });
  if (!pending) return { schedule: await loadSchedule(tx, closing) };
  const rules = await loadBillingRules(tx, accountId, [subscription]);
  const owner = { customerId, subscriptionId, withEnded: true };
  return { customer, pending, rules, watermarks: await listUsageWatermarks(tx, accountId, owner) };
}

async function saveClosing(tx: Transaction, closing: Closing, { pending, boundary, late }: LoadedBill): Promise<void> {
  const { accountId, subscriptionId, usageCutoff, now } = closing;
  await lockSubscription(tx, accountId, subscriptionId);
  const made = await updatePeriodInvoiced(tx, accountId, closing);
  if (!made) return;
  const { nextFeeTaken } = made;
  const snapshot = await loadSubscriptionSnapshot(tx, accountId, subscriptionId);
  const { subscription, customer, account } = snapshot;
  const billed = { account, customer, now, usageCutoff };
  const { ending = null, pauses = [] } = boundary;
  const lateCharges = await updateLateUsage(tx, accountId, late, usageCutoff);
  if (ending) await saveProrationCredits(tx, snapshot, { boundary, ending, now });
  const charges = await chargeBoundary(tx, billed, { ...boundary, nextFeeTaken });
  const begun = await loadBegun(tx, accountId, pending, { nextFeeTaken, currency: customer.currency });
  await issueBill(tx, billed, { boundary, charges, late: lateCharges, begun, ...pendingHead(pending, pauses) });
  await planNext(tx, snapshot, isLive(subscription.status) ? subscription.currentPeriod : null);
}

/** What is due at the start of the subscription that a switch began at the period's end; null where none did. */
async function loadBegun(
  tx: Transaction,
  accountId: string,
  { successor }: PendingInvoice,
  { nextFeeTaken, currency }: { nextFeeTaken: boolean; currency: string },
): Promise<Begun | null> {
  if (!successor) return null;
  const opening = await loadOpening(tx, accountId, successor);
  return { subscription: successor, charges: openingPart({ ...opening, nextFeeTaken }, { currency }) };
}
