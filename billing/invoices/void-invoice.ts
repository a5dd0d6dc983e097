import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, min, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import { conflict } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { type Credit, restoredRemainder } from '../credits/credits.ts';
import {
  type LedgerPosting,
  postCreditRestored,
  postCreditVoided,
  postInvoiceVoided,
  postProrationCredit,
} from '../ledger/ledger.ts';
import { nextInvoiceStatus } from '../subscriptions/states.ts';
import type { Invoice } from './invoice.ts';

type UsableCredit = Pick<Credit, 'creditId' | 'amountRemaining' | 'voidedAt'>;

/** What of an invoice was given back as a credit, with the tax in it. */
export type GivenAsCredit = { amount: Decimal; tax: Decimal };

/**
 * What an invoice took from a credit (0 for nothing), and that credit as it is now. `given`: the credit was given back from
 * that same invoice.
 */
export type CreditUse = { credit: UsableCredit; amount: Decimal; given: GivenAsCredit | null };

/** What becomes of a credit: what is left of it, whether it is voided with the invoice, and how that is posted. */
export type Restoration = {
  creditId: string;
  amountRemaining: Decimal;
  voidedAt: Instant | null;
  postings: LedgerPosting[];
};

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
  const places = currencyOf(invoice.currency).exponent;
  return {
    invoice: { ...invoice, status, voidedAt: at },
    restorations: uses.map((use) => (use.given === null ? restore(use) : takeBack(use, use.given, { at, places }))),
    posting: postInvoiceVoided(invoice),
  };
}

/** An expired credit gets its amount back and stays expired, a voided one stays at 0 (spec/invoices#states). */
function restore({ credit, amount }: CreditUse): Restoration {
  const { creditId, voidedAt } = credit;
  const lost = voidedAt === null ? ZERO : amount;
  const postings = [postCreditRestored(amount), postCreditVoided(lost)].filter(({ entries }) => entries.length > 0);
  return { creditId, amountRemaining: restoredRemainder(credit, amount), voidedAt, postings };
}

/** What was given back from the invoice goes with it, but for what another invoice has used (spec/invoices#states). */
function takeBack(
  { credit, amount: used }: CreditUse,
  given: GivenAsCredit,
  { at, places }: { at: Instant; places: number },
): Restoration {
  // A credit that holds more than was given back of this invoice keeps the rest.
  const there = used.plus(credit.amountRemaining);
  const taken = min(there, given.amount);
  const amountRemaining = there.minus(taken);
  const part = given.amount.isZero() ? ZERO : taken.div(given.amount);
  const tax = roundHalfAwayFromZero(given.tax.times(part), places);
  const undone = postProrationCredit({ amount: tax.minus(taken), tax: tax.negated() });
  const postings = [postCreditRestored(used), undone];
  return {
    creditId: credit.creditId,
    amountRemaining,
    voidedAt: credit.voidedAt ?? (amountRemaining.isZero() ? at : null),
    postings: postings.filter(({ entries }) => entries.length > 0),
  };
}
