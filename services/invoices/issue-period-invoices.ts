import { isOfSwitches } from '../../billing/credits/switch-charges.ts';
import type { Begun } from '../../billing/decide/bill-boundaries.ts';
import type { BoundaryInput } from '../../billing/invoices/boundary-charges.ts';
import { openingPart } from '../../billing/invoices/opening-invoice.ts';
import { type PendingInvoice, pendingHead } from '../../billing/invoices/pending-invoice.ts';
import {
  type CountedLate,
  type InheritedWatermark,
  type LateUsage,
  takeWatermarks,
} from '../../billing/metering/late-usage.ts';
import type { PeriodKey } from '../../billing/periods/periods.ts';
import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import { switchesIn } from '../../billing/periods/segments.ts';
import { type BillingRules, pausesOf, planOf } from '../../billing/state/billing-rules.ts';
import { pendingBoundary } from '../../billing/subscriptions/closing-boundaries.ts';
import type { Instant } from '../../core/instants.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import { listPendingItems } from '../../sql/postgres/invoices/pending-items.ts';
import { listWatermarksOf } from '../../sql/postgres/invoices/usage-watermarks.ts';
import { inSnapshot, inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { findNextFees, type NextFee } from '../../sql/postgres/subscriptions/pending-invoices.ts';
import { findSchedules } from '../../sql/postgres/subscriptions/schedules.ts';
import { lockSubscriptions } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { saveProrationCredits } from '../credits/save-proration-credits.ts';
import { loadBillingRules } from '../state/load-billing-rules.ts';
import { loadPendingInvoices } from '../state/load-pending-invoices.ts';
import { planNext } from '../subscriptions/move-subscription.ts';
import { answerUsages } from '../usage/answer-usage.ts';
import { type Billed, chargeBoundaries, issueBills } from './bill-boundaries.ts';
import { countLateSince, updateLateUsage } from './late-usage.ts';
import { type InvoiceSources, loadOpening } from './load-invoice-inputs.ts';
import { lockChargedBy } from './lock-charged.ts';

/** Ended periods of one customer whose invoices are due, at most one of each subscription, in the order in which they are issued. */
export type Closing = {
  accountId: string;
  customerId: string;
  periods: readonly PeriodKey[];
  /** The instant at which they are due. */
  dueAt: Instant;
  /** The stream position up to which usage counts. */
  usageCutoff: bigint;
  /** The customer's time: that of its test clock, else real time. */
  now: Instant;
};

/** So many components and tiers are billed in one transaction: their lines are some tens of megabytes. The others come with the next. */
const BILLED_TOGETHER = 50_000;

/** What a closing bills by: usage up to its cutoff, of a period that has ended; and whose late usage goes on its invoice. */
type LoadedBill = {
  pending: PendingInvoice;
  boundary: BoundaryInput;
  head: ReturnType<typeof pendingHead>;
  watermarks: readonly InheritedWatermark[];
};

/**
 * Issues the pending invoices of periods: load, compute, then save in one transaction; returns where their subscriptions stand. Does
 * nothing for those that are issued already, so that any number of runs make one invoice each; of very many the first ones.
 */
export async function issuePeriodInvoices(
  sources: InvoiceSources,
  closing: Closing,
): Promise<Map<string, SubscriptionSchedule>> {
  const { accountId, customerId, usageCutoff } = closing;
  const { postgres } = sources;
  const { due: all, rules, watermarks } = await inSnapshot(postgres, accountId, (tx) => loadDue(tx, closing));
  const due = billedTogether(all, rules);
  const boundaries = await answerUsages(
    sources,
    { accountId, customerId, upTo: usageCutoff },
    due.map((pending) => pendingBoundary(pending, rules)),
  );
  const left = new Set(watermarks);
  const bills = due.flatMap((pending, i): LoadedBill[] => {
    const boundary = boundaries[i];
    if (!boundary) return [];
    const { subscriptionId } = pending.owner;
    const head = pendingHead(pending, pausesOf(rules, subscriptionId));
    return [{ pending, boundary, head, watermarks: takeWatermarks(left, subscriptionId, true) }];
  });
  const taken = bills.flatMap((bill) => bill.watermarks);
  const late = await countLateSince(sources, { accountId, customerId }, taken, usageCutoff);
  return inTransaction(postgres, accountId, (tx) => saveClosings(tx, closing, bills, late));
}

/** The first of them, at least one, that are not too much together. */
function billedTogether(due: readonly PendingInvoice[], rules: BillingRules): PendingInvoice[] {
  let weight = 0;
  const over = due.findIndex(({ owner }, i) => {
    for (const component of planOf(rules, owner).components)
      weight += 1 + ('tiers' in component ? component.tiers.length : 0);
    return i > 0 && weight > BILLED_TOGETHER;
  });
  return over < 0 ? [...due] : due.slice(0, over);
}

type LoadedDue = {
  due: PendingInvoice[];
  rules: BillingRules;
  watermarks: InheritedWatermark[];
};

/** All that the records say for closings that have not been done, in their order. */
async function loadDue(tx: Transaction, { accountId, customerId, periods }: Closing): Promise<LoadedDue> {
  const [all, watermarks] = await Promise.all([
    loadPendingInvoices(tx, accountId, [customerId]),
    listWatermarksOf(tx, accountId, [customerId]),
  ]);
  const due = periods.flatMap((period) => all.find((pending) => isOf(pending, period)) ?? []);
  return { due, rules: await loadBillingRules(tx, accountId, [], { pending: due }), watermarks };
}

function isOf({ owner, period }: PendingInvoice, { subscriptionId, periodIndex }: PeriodKey): boolean {
  return owner.subscriptionId === subscriptionId && period.index === periodIndex;
}

/** Saves what has not been saved, and answers where the subscriptions then stand. */
async function saveClosings(
  tx: Transaction,
  closing: Closing,
  loaded: readonly LoadedBill[],
  late: LateUsage,
): Promise<Map<string, SubscriptionSchedule>> {
  const { accountId, customerId, usageCutoff, now, dueAt } = closing;
  await lockSubscriptions(tx, accountId, idsOf(closing));
  const made = await findNextFees(
    tx,
    accountId,
    loaded.map(({ pending: { owner, period } }) => ({ ...owner, periodIndex: period.index })),
  );
  await saveChanges(tx, accountId, {
    periodsInvoiced: made.map(({ subscriptionId, periodIndex }) => ({ subscriptionId, periodIndex })),
  });
  const bills = loaded.flatMap((bill) => {
    const period = made.find((one) => isOf(bill.pending, one));
    if (!period) return [];
    const { nextFeeTaken, nextFeeCredited } = period;
    return { ...bill, nextFee: { nextFeeTaken, nextFeeCredited } };
  });
  const schedules = await findSchedules(tx, accountId, idsOf(closing));
  if (bills.length === 0) return schedules;
  const [account, customer] = await Promise.all([loadAccount(tx, accountId), loadCustomer(tx, accountId, customerId)]);
  const billed = { account, customer, now, by: { dueAt }, usageCutoff } as const;
  const boundaries = bills.map(({ boundary }) => boundary);
  const lateCharges = await updateLateUsage(tx, { ...billed, boundaries, on: 'invoice' }, late, usageCutoff);
  await lockChargedBy(tx, billed, boundaries);
  for (const { pending, boundary } of bills) {
    const { ending = null } = boundary;
    const snapshot = { account, customer, subscription: pending.owner };
    if (ending) await saveProrationCredits(tx, snapshot, { boundary, ending, now });
  }
  const [first, ...others] = bills;
  const apart = first && (await isTakenBack(tx, billed, others)) ? [[first], others] : [bills];
  for (const some of apart) await saveBills(tx, billed, { bills: some, late: lateCharges, ids: idsOf(closing) });
  return schedules;
}

type DueBill = LoadedBill & { nextFee: NextFee };

/** Whether the first invoice takes along what a switch has charged, of which one of `others` may take back: then that is charged once it is there. */
async function isTakenBack(
  tx: Transaction,
  { account: { accountId }, customer: { customerId } }: Billed,
  others: readonly DueBill[],
): Promise<boolean> {
  const switches = others.flatMap(({ boundary }) => switchesIn(boundary.ended?.segments ?? []));
  if (switches.length === 0) return false;
  const { lines } = await listPendingItems(tx, accountId, customerId, { lock: false });
  return lines.some((line) => isOfSwitches(line, switches));
}

/** `ids`: the subscriptions of the closing, whose next steps are planned before invoices are, which nothing is asked behind. */
async function saveBills(
  tx: Transaction,
  billed: Billed,
  { bills, late, ids }: { bills: readonly DueBill[]; late: readonly CountedLate[]; ids: readonly string[] },
): Promise<void> {
  const { account, customer } = billed;
  const boundaries = bills.map(({ boundary, nextFee }) => ({ ...boundary, ...nextFee }));
  const ours = lateOf(
    late,
    bills.flatMap(({ watermarks }) => watermarks),
  );
  const charges = await chargeBoundaries(tx, billed, boundaries, ours);
  const begun: (Begun | null)[] = [];
  for (const bill of bills) begun.push(await loadBegun(tx, account.accountId, bill, customer));
  await planNext(tx, billed, ids);
  await issueBills(
    tx,
    billed,
    bills.map(({ boundary, head, watermarks }, i) => ({
      boundary,
      charges: found(charges[i]),
      late: lateOf(late, watermarks),
      begun: begun[i] ?? null,
      ...head,
    })),
  );
}

function idsOf({ periods }: Closing): string[] {
  return periods.map(({ subscriptionId }) => subscriptionId);
}

/** What came late for the subscriptions of these watermarks. */
function lateOf(charges: readonly CountedLate[], watermarks: readonly InheritedWatermark[]): CountedLate[] {
  return charges.filter((charge) => watermarks.some(({ subscriptionId }) => subscriptionId === charge.subscriptionId));
}

/** What is due at the start of the subscription that a switch began at the period's end; null where none did. */
async function loadBegun(
  tx: Transaction,
  accountId: string,
  { pending: { successor, period }, nextFee }: { pending: PendingInvoice; nextFee: NextFee },
  customer: { currency: string },
): Promise<Begun | null> {
  if (!successor) return null;
  const opening = await loadOpening(tx, accountId, successor);
  return {
    subscription: successor,
    charges: openingPart({ ...opening, ...nextFee }, customer, period.trial !== undefined),
  };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a closing has charged nothing');
  return value;
}
