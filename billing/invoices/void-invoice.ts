import { type Decimal, sum, ZERO } from '../../core/decimal.ts';
import { conflict } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { type Credit, restoredRemainder } from '../credits/credits.ts';
import { type LedgerPosting, postCreditRestored, postCreditVoided, postInvoiceVoided } from '../ledger/ledger.ts';
import { nextInvoiceStatus } from '../subscriptions/states.ts';
import type { Invoice } from './invoice.ts';

type UsableCredit = Pick<Credit, 'creditId' | 'amountRemaining' | 'voidedAt'>;

/** What an invoice took from a credit, and that credit as it is now. */
export type CreditUse = { credit: UsableCredit; amount: Decimal };

/** A credit that gets back what it gave: what is left of it then, and how that is posted. */
export type Restoration = { creditId: string; amountRemaining: Decimal; postings: LedgerPosting[] };

/** A voided invoice, what its credits get back, and the reversal of its issue. */
export type Voiding<I extends Invoice> = { invoice: I; restorations: Restoration[]; posting: LedgerPosting };

/**
 * Voids an invoice that is open or uncollectible (spec/invoices#states). Its amounts stay as they were issued: they are what it said.
 * @throws DomainError `conflict` in any other status, or while money for it is collected or, as `inFlight` says, may be.
 */
export function voidInvoice<I extends Invoice>(
  invoice: I,
  uses: readonly CreditUse[],
  { at, inFlight }: { at: Instant; inFlight: boolean },
): Voiding<I> {
  const status = nextInvoiceStatus(invoice.status, 'void');
  if (inFlight) throw conflict(`The invoice is ${invoice.status} and a payment of it is in flight.`);
  if (invoice.amountPaid.gt(invoice.amountRefunded)) {
    throw conflict(`The invoice is ${invoice.status} and ${invoice.amountPaid.toFixed()} of it has been collected.`);
  }
  if (!sum(uses.map(({ amount }) => amount)).eq(invoice.creditsApplied)) {
    throw new Error(`the credits used by ${invoice.invoiceId} do not sum to what was applied`);
  }
  return {
    invoice: { ...invoice, status, voidedAt: at },
    restorations: uses.map(restore),
    posting: postInvoiceVoided(invoice),
  };
}

/** Contract 8: an expired credit gets its amount back and stays expired, a voided one stays at 0. */
function restore({ credit, amount }: CreditUse): Restoration {
  const lost = credit.voidedAt === null ? ZERO : amount;
  const postings = [postCreditRestored(amount), postCreditVoided(lost)].filter(({ entries }) => entries.length > 0);
  return { creditId: credit.creditId, amountRemaining: restoredRemainder(credit, amount), postings };
}
