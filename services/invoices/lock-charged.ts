import { payerIdOf } from '../../billing/accounts/payers.ts';
import { isOfSwitches } from '../../billing/credits/switch-charges.ts';
import { sectionsSince } from '../../billing/decide/issue-input.ts';
import type { BoundaryInput } from '../../billing/invoices/boundary-charges.ts';
import { isChargedAhead, isFeeOf } from '../../billing/invoices/charged-ahead.ts';
import type { NewInvoiceLine } from '../../billing/invoices/invoice.ts';
import { holdersOf, type SwitchWithin, switchesIn } from '../../billing/periods/segments.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import { lockCredits } from '../../sql/postgres/credits/credits.ts';
import { lockCustomerForUpdate } from '../../sql/postgres/customers/customers.ts';
import { listWaitingSections } from '../../sql/postgres/invoices/invoice-sections.ts';
import { lockInvoices } from '../../sql/postgres/invoices/invoices.ts';
import { findInvoicesOfFees, type PaidPeriodOf } from '../../sql/postgres/invoices/refundable-charges.ts';
import { findInvoicesOfSwitches } from '../../sql/postgres/invoices/switch-charges.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import type { Issuing } from './issue-invoices.ts';
import { issueSectionsThere } from './issue-sections.ts';

/** Whose charges are about to be given back, when in its time, and of which lines. */
type Charged = {
  accountId: string;
  customer: Pick<Customer, 'customerId' | 'billedTo'>;
  now: Instant;
  isOf(line: NewInvoiceLine): boolean;
  /** Of a line on a section of an instant: it is named there, and goes on waiting. */
  isNamed?(line: NewInvoiceLine, dueAt: Instant): boolean;
  /** A section that the transaction itself is to make will be named. */
  namesOwn?: boolean;
};

/**
 * Locks what has charged what is about to be given back, and issues what waits for an invoice with a section of it, though the rest of its
 * instant is still to come (spec/invoices#sections): then it is given back of that invoice, as of any other. `lock` locks the invoices, and
 * answers what they have charged. In the order of locks: who pays, so that nobody issues a section meanwhile; invoices; and only
 * then credits, which pay for what is issued.
 */
export async function lockCharged<T>(tx: Transaction, charged: Charged, lock: () => Promise<T>): Promise<T> {
  const { accountId, now, namesOwn = false } = charged;
  const payerId = payerIdOf(charged.customer);
  if (!namesOwn && (await listCharging(tx, charged)).length === 0) return lock();
  await lockCustomerForUpdate(tx, accountId, payerId);
  const locked = await lock();
  const issued = new Set((await listCharging(tx, charged)).flatMap(({ dueAt, isIssued }) => (isIssued ? dueAt : [])));
  if (issued.size === 0) return locked;
  for (const dueAt of issued) await issueSectionsThere(tx, { accountId, payerId, dueAt }, now);
  return lock();
}

/** The instants whose sections have charged it. */
async function listCharging(tx: Transaction, { accountId, customer, isOf, isNamed = () => false }: Charged) {
  const waiting = await listWaitingSections(tx, accountId, [customer.customerId]);
  return waiting.flatMap(({ lines, dueAt }) => {
    const ours = lines.filter((line) => line.amount.gt(0) && isOf(line));
    return ours.length === 0 ? [] : { dueAt, isIssued: ours.some((line) => !isNamed(line, dueAt)) };
  });
}

/**
 * Locks all that ends of periods, and what they bill, may give back of, before the first of them locks the credits of who pays: what
 * is then done for one boundary after another finds its locks held. `to`: whether invoices are made, or lines wait.
 */
export async function lockChargedBy(
  tx: Transaction,
  issuing: Issuing,
  boundaries: readonly BoundaryInput[],
  to: 'invoices' | 'waiting' = 'invoices',
): Promise<void> {
  const { account, customer, now } = issuing;
  const { accountId } = account;
  const paid = boundaries.flatMap(paidAheadOf);
  const switches = boundaries.flatMap(switchesBilledBy);
  if (paid.length === 0 && switches.length === 0) return;
  const named = to === 'waiting' ? null : sectionsSince(issuing);
  const isOfFee = (line: NewInvoiceLine) => paid.some((one) => isFeeOf(line, one));
  const invoiceIds: string[] = [];
  const charged = {
    ...{ accountId, customer, now },
    isOf: (line: NewInvoiceLine) => isOfFee(line) || isOfSwitches(line, switches),
    isNamed: (line: NewInvoiceLine, dueAt: Instant) => dueAt === named && !isOfFee(line),
    namesOwn: named !== null && switches.length > 0 && boundaries.length > 1,
  };
  await lockCharged(tx, charged, async () => {
    invoiceIds.push(
      ...(await findInvoicesOfFees(tx, accountId, customer.customerId, paid)),
      ...(await findInvoicesOfSwitches(tx, accountId, switches)),
    );
    await lockInvoices(tx, accountId, invoiceIds);
  });
  // What waits of it is locked behind them, for each boundary, and where the first is billed lines that wait are written.
  await lockCredits(tx, accountId, [payerIdOf(customer)], invoiceIds);
}

/**
 * Locks the credits of all to whom charges may be given back: whoever pays now, and whoever was billed for them. To be called before the
 * credits of any of them are locked alone.
 */
export async function lockCreditsOfCharged(
  tx: Transaction,
  accountId: string,
  customer: Pick<Customer, 'customerId' | 'billedTo'>,
  charged: readonly { invoiceId: string }[],
): Promise<void> {
  if (charged.length === 0) return;
  const invoiceIds = charged.map(({ invoiceId }) => invoiceId);
  await lockCredits(tx, accountId, [payerIdOf(customer)], invoiceIds);
}

/** The credits that pay for invoices, to be locked before what waits for them; sections are paid for by the invoice that has them. */
export async function lockCreditsFor(tx: Transaction, issuing: Issuing): Promise<void> {
  const { account, customer } = issuing;
  if (sectionsSince(issuing) === null) await lockCredits(tx, account.accountId, [payerIdOf(customer)]);
}

/** The period whose fee an end gives back of; none where that was not charged ahead. */
function paidAheadOf({ ended, ending, ...boundary }: BoundaryInput): PaidPeriodOf[] {
  if (ended === null || !ending || ended.trial || !isChargedAhead(boundary)) return [];
  return [{ holders: holdersOf(ended.segments), period: ended.billing }];
}

/** The switches of whose charges a boundary takes back what its period has not used. */
export function switchesBilledBy(boundary: BoundaryInput): SwitchWithin[] {
  return isChargedAhead(boundary) ? [] : switchesIn(boundary.ended?.segments ?? []);
}
