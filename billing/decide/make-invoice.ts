import { decimal } from '../../core/decimal.ts';
import { addDays, localDateAt } from '../../core/instants.ts';
import { invoicePlaceholder, type LocalId, type NewCredit, type NewInvoice } from '../change-set.ts';
import { type CreditApplication, newCredit } from '../credits/credits.ts';
import { countsPeriods } from '../discounts/discounts.ts';
import { nameAgreed } from '../invoices/agreed-lines.ts';
import type { ComputedInvoice } from '../invoices/compute-invoice.ts';
import type { InvoiceSection } from '../invoices/invoice.ts';
import { type ChargeCount, withLineIds } from '../metering/line-counts.ts';
import type { Plan, PlanVersion } from '../subscriptions/subscription.ts';
import { OVERPAYMENT } from './credits.ts';
import type { PayerInput } from './issue-input.ts';

/** An invoice that is made, with the credit that a negative one leaves, and the discounts of which it is a period. */
export type MadeInvoice = NewInvoice & {
  applications: readonly CreditApplication[];
  credit: NewCredit | null;
  discountsUsed: readonly string[];
  /** The pending invoice items that are on it, by `seq`. */
  taken: readonly string[];
};

/** What an invoice is about. `counts`: what its usage was counted from, in the order of its lines. */
type About = Pick<NewInvoice, 'periodIndex' | 'operationId'> & {
  subscriptionId: string | null;
  sections: InvoiceSection[];
  counts: readonly ChargeCount[];
};

/** What is the same for all invoices of a decision. */
type Terms = PayerInput & { nextId(): LocalId; planOf(version: PlanVersion): Plan };

/** Returns the computed invoice as it is issued now, its lines with what was agreed on for them. */
export function makeInvoice(terms: Terms, invoice: ComputedInvoice, about: About): Omit<MadeInvoice, 'taken'> {
  const { account, payer, now, nextId } = terms;
  const { subscriptionId, sections, periodIndex, operationId, counts } = about;
  const { applications, overpayment: _overpayment, discountsUsed, ...computed } = nameAgreed(invoice, terms.planOf);
  const invoiceId = nextId();
  const credit = overpaymentOf(terms, invoice, invoiceId);
  const issueDate = localDateAt(now, payer.timeZone);
  const lines = computed.lines.map((line) => ({ ...line, lineId: nextId() }));
  return {
    invoice: {
      ...computed,
      ...{ invoiceId, customerId: payer.customerId, subscriptionId, lines, sections },
      issueDate,
      dueDate: addDays(issueDate, account.netTermsDays),
      amountPaid: decimal(0),
      amountRefunded: decimal(0),
      createdAt: now,
      paidAt: computed.status === 'paid' ? now : null,
      voidedAt: null,
      payments: [],
      billingAddress: payer.billingAddress,
      customerName: payer.customerName,
      testClockId: payer.testClockId,
      customerToday: issueDate,
    },
    ...{ periodIndex, operationId, applications, credit },
    counts: withLineIds(counts, lines),
    discountsUsed: countsPeriods(computed.kind) ? discountsUsed : [],
  };
}

/** What a negative total leaves is the payer's: a credit for the next invoice (spec/invoices#arithmetic). */
function overpaymentOf(
  { payer, now, nextId }: Terms,
  { overpayment }: ComputedInvoice,
  invoiceId: LocalId,
): NewCredit | null {
  if (!overpayment.gt(0)) return null;
  const { customerId, currency, timeZone } = payer;
  const of = { ...OVERPAYMENT, customerId, currency, createdAt: now };
  const description = `Overpayment of invoice ${invoicePlaceholder(invoiceId)}`;
  const credit = newCredit({ ...of, creditId: nextId(), amount: overpayment, description });
  return { ...credit, customerToday: localDateAt(now, timeZone) };
}
