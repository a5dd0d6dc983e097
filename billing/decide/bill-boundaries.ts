import { currencyOf } from '../../core/currencies.ts';
import type { Account } from '../accounts/account.ts';
import type { ChangeSet } from '../change-set.ts';
import { type BoundaryCharges, type BoundaryInput, joinCharges } from '../invoices/boundary-charges.ts';
import { linesLeft } from '../invoices/compute-invoice.ts';
import { endsFreeTrial, headOfEnd } from '../invoices/opening-invoice.ts';
import { billableLines, billedLate, type PendingItems } from '../invoices/pending-items.ts';
import type { CountedLate } from '../metering/late-usage.ts';
import { countsOf } from '../metering/line-counts.ts';
import type { Customer, Subscription } from '../subscriptions/subscription.ts';
import { endedBy } from './charge-boundaries.ts';
import type { InvoiceToIssue } from './issue-input.ts';
import type { Issued } from './issue-invoices.ts';

/**
 * How a boundary is billed. A `scheduled` boundary always makes an invoice, even of 0. `where_due` makes one only if something is due:
 * after a pause, and for an immediate cancel (spec/subscriptions#pause). `late` is the late usage that was counted, before an account's
 * setting to ignore it is applied.
 */
export type BillOptions = {
  kind: 'period' | 'closing';
  making: 'scheduled' | 'where_due';
  late: readonly CountedLate[];
};

/** A boundary with its charges, and with the subscription that a switch begins at it. */
export type Bill = BillOptions & { boundary: BoundaryInput; charges: BoundaryCharges; begun?: Begun | null };

/** The subscription that a switch begins at a boundary, and the charges at its start. `charges` is null if nothing is due. */
export type Begun = { subscription: Subscription; charges: BoundaryCharges | null };

/** The records by which boundaries are billed. `pending` waits for the customer's next invoice. Usage counts up to `usageCutoff`. */
export type BillInput = { account: Pick<Account, 'lateUsage'>; pending: PendingItems; usageCutoff: bigint };

/**
 * Returns the invoices of boundaries in their order. The first one also bills `pending`. The subscription that a switch begins is billed on
 * the same invoice: within a period that is its opening invoice, "else a closing one" (spec/subscriptions#switch).
 */
export function invoicesOfBills(
  { account, pending, usageCutoff }: BillInput,
  bills: readonly Bill[],
): InvoiceToIssue[] {
  const waiting = billableLines(pending, account);
  return bills.map((bill, i) => {
    const { boundary, charges: ended, begun = null, making } = bill;
    const late = billedLate(bill.late, account);
    const charges = begun?.charges ? joinCharges(ended, begun.charges) : ended;
    const taken = i === 0 ? waiting : { lines: [], counts: [] };
    const { kind, ...about } = headOf(bill);
    const counts = [...taken.counts, ...countsOf({ usages: charges.usages, late }, usageCutoff)];
    return {
      ...about,
      charged: { ...charges, late, kind, pending: taken.lines },
      onlyIfDue: making === 'where_due' || endsFreeTrial(boundary),
      counts,
      ...(i === 0 && { taken: waiting }),
    };
  });
}

/** Returns the add-ons that were charged at the start of subscriptions that switches have begun. */
export function keptOfBills(bills: readonly Bill[], issued: readonly (Issued | null)[]): ChangeSet {
  return { addonsBilled: bills.flatMap(({ begun }, i) => (issued[i] ? (begun?.charges?.addons ?? []) : [])) };
}

/** Returns the subscription, the kind and the period of the invoice of a bill. */
function headOf({ boundary, kind, begun }: Bill) {
  if ((kind === 'closing' || endsFreeTrial(boundary)) && begun?.charges) {
    const { subscriptionId, currentPeriod: period } = begun.subscription;
    return { kind: 'opening' as const, subscriptionId, period };
  }
  const { subscriptionId } = boundary;
  const { kind: made, period } = headOfEnd(boundary, kind);
  return { kind: made, subscriptionId, period: period ?? endedBy(boundary) };
}

/**
 * Decides to bill a boundary on the customer's next invoice. Each line is rounded here and not again. Its tax, and whether late usage is
 * billed, are decided when that invoice is issued.
 */
export function leaveForNext(
  { customer, usageCutoff }: { customer: Pick<Customer, 'customerId' | 'currency'>; usageCutoff: bigint },
  { subscriptionId }: BoundaryInput,
  { charges, late }: { charges: BoundaryCharges; late: readonly CountedLate[] },
): ChangeSet {
  const lines = linesLeft({ ...charges, late, pending: [] }, currencyOf(customer.currency).exponent);
  if (lines.length === 0) return {};
  const owner = { customerId: customer.customerId, subscriptionId };
  return { pendingAdded: [{ owner, lines, counts: countsOf({ usages: charges.usages, late }, usageCutoff) }] };
}
