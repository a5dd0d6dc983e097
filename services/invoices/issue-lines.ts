import { computeInvoice } from '../../billing/invoices/compute-invoice.ts';
import type { InvoiceKind, IssuedInvoice, NewInvoiceLine } from '../../billing/invoices/invoice.ts';
import type { Period } from '../../billing/periods/periods.ts';
import { type Instant, localDateAt } from '../../core/instants.ts';
import { listCreditsWithRemainder, lockCredits } from '../../sql/postgres/credits/credits.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import type { SubscriptionSnapshot } from '../subscriptions/move-subscription.ts';
import { saveInvoice } from './save-invoice.ts';

/** An invoice of nothing but these lines, for the period they concern; `now` in the customer's time. */
export type LinesToIssue = {
  kind: InvoiceKind;
  subscriptionId: string;
  period: Period;
  lines: readonly NewInvoiceLine[];
  now: Instant;
  /** The call that a proration is invoiced for: each makes one (spec/subscriptions#invoices-on-schedule). */
  operationId?: string | undefined;
};

/** Issues an invoice that no boundary makes: a call's proration, or what a cancel left waiting. */
export async function issueLines(
  tx: Transaction,
  { account, customer }: Pick<SubscriptionSnapshot, 'account' | 'customer'>,
  { kind, subscriptionId, period, lines, now, operationId }: LinesToIssue,
): Promise<IssuedInvoice> {
  const { accountId } = account;
  const { customerId, currency, taxRate } = customer;
  await lockCredits(tx, accountId, customerId);
  const invoice = computeInvoice({
    kind,
    currency,
    taxRate,
    periodStart: period.startsAt,
    periodEnd: period.endsAt,
    fees: [],
    prepaid: [],
    usages: [],
    pending: lines,
    credits: await listCreditsWithRemainder(tx, accountId, customerId),
    today: localDateAt(now, customer.timeZone),
  });
  const issue = { account, customer, subscriptionId, periodIndex: period.index, invoice, now };
  return saveInvoice(tx, operationId === undefined ? issue : { ...issue, operationId });
}
