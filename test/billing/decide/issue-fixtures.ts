import type { InvoiceToIssue, IssueInput, PayerInput } from '../../../billing/decide/issue-input.ts';
import { emptyLine } from '../../../billing/invoices/invoice-lines.ts';
import { decimal } from '../../../core/decimal.ts';
import { at } from '../fixtures.ts';

/** What issuing is decided by, written down by hand: no database, no clock. */

export const NOW = at('2026-12-01T00:00:05Z');
export const DUE = at('2026-12-01T00:00:00Z');
const NOVEMBER = { index: 2, startsAt: at('2026-11-01T00:00:00Z'), endsAt: DUE };

export const ACME: PayerInput['payer'] = {
  customerId: 'acme',
  customerName: 'Acme Inc.',
  billingAddress: { city: 'Berlin' },
  currency: 'USD',
  taxRate: decimal(0),
  timeZone: 'UTC',
  testClockId: null,
  paymentProviderId: null,
  hasPaymentMethod: false,
};

/** What decides invoices of acme, made by time. */
export function invoicesInput(over: Partial<PayerInput & { discounts: IssueInput['discounts'] }> = {}) {
  const payer = { account: { netTermsDays: 10 }, payer: ACME, credits: [], agreedPlans: [], now: NOW };
  const customer = { ...ACME, billedTo: null };
  return { on: 'invoices', customer, ...payer, by: { dueAt: DUE }, discounts: [], ...over } as const;
}

/** An invoice of a fee for November; below 0 it takes back instead. */
export function wantedOf(amount: string, over: Partial<InvoiceToIssue> = {}): InvoiceToIssue {
  const line = { ...emptyLine('proration', 'By hand'), subscriptionId: 'sub_1', amount: decimal(amount) };
  return { subscriptionId: 'sub_1', period: NOVEMBER, charged: { kind: 'period', pending: [line] }, ...over };
}
