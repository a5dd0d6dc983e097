import { type Credit, creditStatus } from '../../../billing/credits/credits.ts';
import type { Refund } from '../../../billing/credits/refunds.ts';
import type { IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import { toPlain } from '../../../core/decimal.ts';
import type { LocalDate } from '../../../core/instants.ts';
import type { RecordsEntry } from './life.ts';

/** Returns invoices, credits and refunds as the models compare them. */
export function recordsOf(
  invoices: readonly IssuedInvoice[],
  credits: readonly Credit[],
  refunds: readonly Refund[],
  today: LocalDate,
): Omit<RecordsEntry, 'ledger'> {
  return {
    // A void invoice keeps what it said was due.
    invoices: invoices.map(({ invoiceId: id, status, amountDue, amountPaid, amountRefunded }) => ({
      ...{ id, status, due: toPlain(amountDue), paid: toPlain(amountPaid), refunded: toPlain(amountRefunded) },
    })),
    credits: credits.map((credit) => ({
      ...{ id: credit.creditId, left: toPlain(credit.amountRemaining), status: creditStatus(credit, today) },
    })),
    refunds: refunds.map(({ amount, status }) => ({ amount: toPlain(amount), status })),
  };
}
