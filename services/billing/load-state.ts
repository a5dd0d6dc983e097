import type { CollectedFee } from '../../billing/credits/charged-fee.ts';
import { agreedVersions } from '../../billing/invoices/agreed-lines.ts';
import type { BilledUsage } from '../../billing/metering/billed-usage.ts';
import {
  type InheritedWatermark,
  type LateSpan,
  spansToCount,
  type UsageWatermark,
} from '../../billing/metering/late-usage.ts';
import { holdersOf, plansInForce } from '../../billing/periods/segments.ts';
import { type BillingRules, limitedOf, newPlanWanted, switchedOf } from '../../billing/state/billing-rules.ts';
import type { CustomerState } from '../../billing/state/customer-state.ts';
import { plannedEndOfPause } from '../../billing/subscriptions/end-of-pause.ts';
import type { Customer, Subscription } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import { findLateSpans } from '../../sql/clickhouse/metrics/late-spans.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { listCreditsWithRemainder } from '../../sql/postgres/credits/credits.ts';
import { findCustomers } from '../../sql/postgres/customers/customers.ts';
import { listBilledUsage } from '../../sql/postgres/invoices/billed-usage.ts';
import { listPendingItemsOf } from '../../sql/postgres/invoices/pending-items.ts';
import { listChargedFees, listInvoicesAtHand } from '../../sql/postgres/invoices/refundable-charges.ts';
import { listWatermarksOf } from '../../sql/postgres/invoices/usage-watermarks.ts';
import { inSnapshot, type Transaction } from '../../sql/postgres/postgres.ts';
import { listApplicableDiscounts } from '../../sql/postgres/subscriptions/discounts.ts';
import { listBilledLater, listLiveSubscriptions } from '../../sql/postgres/subscriptions/subscriptions.ts';
import type { InvoiceSources } from '../invoices/load-invoice-inputs.ts';
import { loadBillingRules } from '../state/load-billing-rules.ts';
import { loadPendingInvoices } from '../state/load-pending-invoices.ts';
import { loadLateRecords } from './load-late-records.ts';

/** `now`: real time, which counts where the customer has no test clock. `upTo`: later usage does not count. */
export type StateQuestion = { accountId: string; customerId: string; now: Instant; upTo?: bigint };

/** The same of several customers: of one time zone and test clock, as a payer and those that are billed to it. */
export type StatesQuestion = Omit<StateQuestion, 'customerId'> & { customerIds: readonly string[] };

/** Reads records as they are at one instant, which may be that at the end of a change that is undone. */
export type ReadRecords = <T>(read: (tx: Transaction) => Promise<T>) => Promise<T>;

/** As often as closings move watermarks on while it is asked what came late for them. */
const MAX_ATTEMPTS = 10;

/**
 * Reads all that decides what a customer is billed, in one transaction that sees one instant, in some twenty statements
 * however many subscriptions the customer has; undefined where the account has no such customer.
 */
export async function loadState(
  sources: InvoiceSources,
  question: StateQuestion,
  readRecords?: ReadRecords,
): Promise<CustomerState | undefined> {
  return (await loadStateWith(sources, question, async () => null, readRecords))?.state;
}

/** {@link loadState}, and what `also` reads of the same instant. */
export async function loadStateWith<T>(
  sources: InvoiceSources,
  { customerId, ...question }: StateQuestion,
  also: (tx: Transaction) => Promise<T>,
  readRecords?: ReadRecords,
): Promise<{ state: CustomerState; also: T } | undefined> {
  const asked = { ...question, customerIds: [customerId] };
  const [found] = await loadStatesWith(sources, asked, also, readRecords);
  const [state] = found?.states ?? [];
  return found && state && { state, also: found.also };
}

/** Customers as they were at one instant, and what was read with them. */
export type StatesWith<T> = { states: CustomerState[]; also: T };

/**
 * {@link loadState} of several customers in as many statements as of one, and what `also` reads of them with them: those of which nothing
 * may have come late, or where it is known, then the others, each lot of one instant. In no order, without those that do not exist.
 */
export async function loadStatesWith<T>(
  sources: InvoiceSources,
  question: StatesQuestion,
  also: (tx: Transaction, customerIds: readonly string[]) => Promise<T>,
  readRecords: ReadRecords = (read) => inSnapshot(sources.postgres, question.accountId, read),
): Promise<StatesWith<T>[]> {
  const { accountId, upTo } = question;
  const found: StatesWith<T>[] = [];
  // Where something came late only ClickHouse tells, and it is asked with no transaction open.
  const spans: KnownSpans = new Map();
  let customerIds = question.customerIds;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { read, unasked } = await readRecords((tx) => readStates(tx, { ...question, customerIds }, spans, also));
    if (read) found.push(read);
    if (unasked.length === 0) return found;
    const late = await findLateSpans(sources.clickhouse, accountId, unasked, upTo, sources.limits);
    const spanOf = new Map(late.map((span) => [span.subscriptionId, span]));
    for (const watermark of unasked) spans.set(keyOf(watermark), spanOf.get(watermark.subscriptionId) ?? null);
    customerIds = [...new Set(unasked.map(({ customerId }) => customerId))];
  }
  throw new Error(`the watermarks of ${customerIds.join(', ')} do not keep still`);
}

/** By watermark, where something came late; null where nothing did. */
type KnownSpans = Map<string, LateSpan | null>;
type Watermark = InheritedWatermark & { customerId: string };

/** Those of the customers of whose watermarks it is known where something came late, and the watermarks of which it is not. */
async function readStates<T>(
  tx: Transaction,
  { accountId, customerIds, now }: StatesQuestion,
  spans: Readonly<KnownSpans>,
  readAlso: (tx: Transaction, customerIds: readonly string[]) => Promise<T>,
): Promise<{ read?: StatesWith<T>; unasked: Watermark[] }> {
  const [found, watermarks] = await Promise.all([
    findCustomers(tx, accountId, customerIds),
    listWatermarksOf(tx, accountId, customerIds),
  ]);
  const exists = new Set(found.map(({ customerId }) => customerId));
  const unasked = watermarks.filter((one) => exists.has(one.customerId) && !spans.has(keyOf(one)));
  const waiting = new Set(unasked.map(({ customerId }) => customerId));
  const customers = found.filter(({ customerId }) => !waiting.has(customerId));
  if (customers.length === 0) return { unasked };
  const ids = customers.map(({ customerId }) => customerId);
  const known = watermarks.filter(({ customerId }) => !waiting.has(customerId));
  const late = known.flatMap((watermark) => spans.get(keyOf(watermark)) ?? []);
  const [records, also] = await Promise.all([
    readRecordsOf(tx, accountId, customers, spansToCount(known, late)),
    readAlso(tx, ids),
  ]);
  const states = customers.map((customer) => stateOf(customer, records, known, now));
  return { read: { states, also }, unasked };
}

/** What of the records is one customer's. */
function stateOf(
  customer: Customer,
  records: Awaited<ReturnType<typeof readRecordsOf>>,
  watermarks: readonly Watermark[],
  now: Instant,
): CustomerState {
  const { customerId } = customer;
  const { account, rules, paidAhead, payers } = records;
  const isOf = (one: { customerId: string }) => one.customerId === customerId;
  const own = watermarks.filter(isOf);
  const holders = new Set(own.map(({ subscriptionId }) => subscriptionId));
  return {
    ...{ account, customer, at: customer.clockTime ?? now, rules, ...paidAhead },
    payer: payers.find((one) => one.customerId === customer.billedTo) ?? customer,
    subscriptions: records.subscriptions.filter(isOf),
    billedLater: records.billedLater.filter(isOf),
    credits: records.credits.filter(isOf),
    discounts: records.discounts.filter(isOf),
    pending: records.pendingOf(customerId),
    pendingInvoices: records.pendingInvoices.filter(({ owner }) => isOf(owner)),
    watermarks: own,
    billedLate: records.billedLate.filter(({ subscriptionId }) => holders.has(subscriptionId)),
    lateRecords: records.lateRecords,
  };
}

/** What decides the bills of customers, of all together. */
async function readRecordsOf(
  tx: Transaction,
  accountId: string,
  customers: readonly Customer[],
  late: ReturnType<typeof spansToCount>,
) {
  const ids = customers.map(({ customerId }) => customerId);
  const discounted = customers.filter(({ hasDiscounts }) => hasDiscounts).map(({ customerId }) => customerId);
  const payerIds = [...new Set(customers.flatMap(({ billedTo }) => billedTo ?? []))];
  const subscriptions = await listLiveSubscriptions(tx, accountId, ids);
  const [account, pendingInvoices, credits, discounts, pendingOf, billedLate, payers] = await Promise.all([
    loadAccount(tx, accountId),
    loadPendingInvoices(tx, accountId, ids, subscriptions),
    listCreditsWithRemainder(tx, accountId, ids),
    discounted.length > 0 ? listApplicableDiscounts(tx, accountId, discounted) : [],
    listPendingItemsOf(tx, accountId, ids),
    listBilledUsage(tx, accountId, late),
    payerIds.length > 0 ? findCustomers(tx, accountId, payerIds) : [],
  ]);
  const withPending = ids.filter((id) => pendingOf(id).lines.length > 0);
  const billedLater = withPending.length > 0 ? await listBilledLater(tx, accountId, withPending) : [];
  const zoneOf = new Map(customers.map(({ customerId, timeZone }) => [customerId, timeZone]));
  // Behind a pause another phase may be planned as a switch.
  const behindPauses = subscriptions.flatMap((one) => {
    return plannedEndOfPause(one, zoneOf.get(one.customerId) ?? 'UTC')?.subscription ?? [];
  });
  const newPlans = [...subscriptions, ...behindPauses].flatMap((one) => newPlanWanted(one) ?? []);
  const named = agreedVersions(ids.flatMap((id) => pendingOf(id).lines));
  const wanted = { newPlans, named, billed: billedLate, pending: pendingInvoices };
  const rules = await loadBillingRules(tx, accountId, subscriptions, wanted);
  const lateRecords = await loadLate(tx, accountId, customers, billedLate, rules);
  // One that has ended with its period may still be given back of that, by the invoice that is pending.
  const ended = pendingInvoices.flatMap(({ owner, next }) => (next === null ? owner : []));
  const paidAhead = await loadPaidAhead(tx, accountId, [...subscriptions, ...ended], rules);
  return {
    account,
    subscriptions,
    billedLater,
    pendingInvoices,
    credits,
    discounts,
    pendingOf,
    billedLate,
    payers,
    rules,
    paidAhead,
    lateRecords,
  };
}

/** Loads what late usage is settled by, if anything came late. */
async function loadLate(
  tx: Transaction,
  accountId: string,
  customers: readonly Customer[],
  billed: readonly BilledUsage[],
  rules: BillingRules,
): Promise<CustomerState['lateRecords']> {
  const [first] = customers;
  if (!first || billed.length === 0) return null;
  const windows = billed.map((one) => {
    return { ...one, periodStart: one.startsAt, periodEnd: one.endsAt, limited: limitedOf(rules, one) };
  });
  const customerIds = customers.map(({ customerId }) => customerId);
  return loadLateRecords(tx, accountId, { customerIds, currency: first.currency, windows, isReadOnly: true });
}

/** What has been charged ahead, and may be given back by what is planned. */
async function loadPaidAhead(
  tx: Transaction,
  accountId: string,
  subscriptions: readonly Subscription[],
  rules: BillingRules,
): Promise<Pick<CustomerState, 'chargedFees' | 'invoicesAtHand'>> {
  const ending = subscriptions.filter(
    ({ chargeTiming, plannedCancel, plannedSwitch }) =>
      chargeTiming === 'in_advance' && (plannedCancel !== null || plannedSwitch !== null),
  );
  const feesOf = new Map<string, CollectedFee[]>();
  for (const [customerId, own] of Map.groupBy(ending, (one) => one.customerId)) {
    const paid = own.map((subscription) => {
      const { subscriptionId, currentPeriod } = subscription;
      const plans = plansInForce(subscription, currentPeriod, switchedOf(rules, subscriptionId, currentPeriod));
      return { holders: holdersOf(plans), period: currentPeriod.billing };
    });
    const fees = await listChargedFees(tx, accountId, customerId, paid);
    for (const [i, { subscriptionId }] of own.entries()) feesOf.set(subscriptionId, fees[i] ?? []);
  }
  const invoiceIds = [...feesOf.values()].flatMap((charged) => charged.map(({ invoiceId }) => invoiceId));
  const atHand = await listInvoicesAtHand(tx, accountId, invoiceIds);
  return {
    chargedFees: Object.fromEntries(feesOf),
    invoicesAtHand: Object.fromEntries(atHand.map((one) => [one.invoice.invoiceId, one])),
  };
}

function keyOf({ subscriptionId, countedTo, startsAt, endsAt }: UsageWatermark): string {
  return `${subscriptionId} ${countedTo} ${startsAt} ${endsAt}`;
}
