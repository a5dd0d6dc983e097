import type { Instant } from '../../core/instants.ts';
import type { Account } from '../accounts/account.ts';
import type { ApplicableCredit } from '../credits/credits.ts';
import type { ApplicableDiscount } from '../discounts/discounts.ts';
import type { InvoicePart } from '../invoices/compute-invoice.ts';
import type { InvoiceKind } from '../invoices/invoice.ts';
import type { PendingItems } from '../invoices/pending-items.ts';
import type { ChargeCount } from '../metering/line-counts.ts';
import type { Period } from '../periods/periods.ts';
import type { Customer, Plan } from '../subscriptions/subscription.ts';

/**
 * What has an invoice made: a call, whose audit entry it is part of, or time, at the instant at which it was due. Time writes an audit
 * entry of its own (spec/audit-log#actions).
 */
export type IssuedBy = 'call' | { dueAt: Instant };

/** What an invoice charges: nothing of what is left out. `pending`: lines that were waiting for it. */
export type Charged = { kind: InvoiceKind } & Partial<
  Pick<InvoicePart, 'fees' | 'prepaid' | 'usages' | 'addons' | 'prorations' | 'late' | 'trueUps' | 'held' | 'pending'>
>;

/** An invoice to be made, about a period of a subscription. */
export type InvoiceToIssue = {
  subscriptionId: string;
  period: Pick<Period, 'index' | 'startsAt' | 'endsAt'>;
  charged: Charged;
  /** The call that a proration is invoiced for: each makes one (spec/subscriptions#invoices-on-schedule). */
  operationId?: string | undefined;
  /** Makes none where nothing is due. */
  onlyIfDue?: boolean;
  /** Pending invoice items that are on it. */
  taken?: PendingItems;
  /** What its usage was counted from, also that of pending invoice items. */
  counts?: readonly ChargeCount[];
};

/** Whose usage is billed. */
export type BilledCustomer = Pick<Customer, 'customerId' | 'billedTo' | 'currency' | 'timeZone' | 'testClockId'>;

/** Who pays for it. */
export type PayingCustomer = Pick<
  Customer,
  | 'customerId'
  | 'customerName'
  | 'billingAddress'
  | 'currency'
  | 'taxRate'
  | 'timeZone'
  | 'testClockId'
  | 'paymentProviderId'
  | 'hasPaymentMethod'
>;

/** What decides an invoice besides its charges. `agreedPlans`: the agreed plan versions that its lines name. */
export type PayerInput = {
  account: Pick<Account, 'netTermsDays'>;
  payer: PayingCustomer;
  credits: readonly ApplicableCredit[];
  agreedPlans: readonly Plan[];
  /** In the payer's time. */
  now: Instant;
  by: IssuedBy;
};

/** What decides invoices of a customer, or sections of its payer's next one, due at `dueAt`. Discounts are in order of redemption. */
export type IssueInput = { customer: BilledCustomer; discounts: readonly ApplicableDiscount[] } & (
  | ({ on: 'invoices' } & PayerInput)
  | { on: 'sections'; now: Instant; dueAt: Instant }
);

/** Returns the instant of whose consolidated invoice the charges are sections; null where they are on invoices of their own (spec/invoices#sections). */
export function sectionsSince({
  customer,
  by,
}: {
  customer: Pick<Customer, 'isPayer' | 'billedTo'>;
  by: IssuedBy;
}): Instant | null {
  return by !== 'call' && (customer.isPayer || customer.billedTo !== null) ? by.dueAt : null;
}

/** Returns the invoice to be made as it is computed. */
export function partOf({ period, charged }: InvoiceToIssue): InvoicePart {
  const nothing = { fees: [], prepaid: [], usages: [], pending: [] };
  return { ...nothing, ...charged, periodStart: period.startsAt, periodEnd: period.endsAt };
}
