import type { Instant } from '../../core/instants.ts';
import { payerIdOf } from '../accounts/payers.ts';
import type { ChangeSet, PendingItemCredited } from '../change-set.ts';
import { type LineCredited, withCreditedBefore } from '../credits/credited-waiting.ts';
import type { PendingItems } from '../invoices/pending-items.ts';
import { postProrationCredit } from '../ledger/ledger.ts';
import type { DowngradePart } from '../subscriptions/cancel.ts';
import type { Customer } from '../subscriptions/subscription.ts';
import { decideCredits, OVERPAYMENT } from './credits.ts';

/** Parts of earlier charges that are credited, each of an invoice or of no invoice yet, and how much of which pending item that is. */
export type PartsToCredit = {
  parts: readonly DowngradePart[];
  description: string;
  pending: PendingItems;
  ofLines: readonly LineCredited[];
};

type Owner = Pick<Customer, 'customerId' | 'billedTo' | 'currency' | 'timeZone'>;

/** Returns who gets the credits of parts: who was billed for each, and the payer of now for what is on no invoice yet. */
export function payersOfParts(customer: Owner, parts: readonly DowngradePart[]): string[] {
  const now = payerIdOf(customer);
  return [...new Set(parts.map(({ payerId = now }) => payerId))];
}

/**
 * Decides an overpayment credit for each part. The credit names the invoice that it gives back of, so that it counts against that
 * invoice (spec/credits#given-back-once).
 */
export function decidePartsCredited(customer: Owner, credited: PartsToCredit, at: Instant): ChangeSet {
  const { parts, description, pending, ofLines } = credited;
  const { currency, timeZone } = customer;
  const now = payerIdOf(customer);
  const given = parts.map((part) => {
    const { payerId: customerId = now, amount, tax, invoiceId } = part;
    const of = { ...OVERPAYMENT, customerId, amount: amount.plus(tax), currency, description };
    return { ...of, posting: postProrationCredit(part), invoiceId };
  });
  return { ...decideCredits(given, { at, timeZone }), pendingCredited: pendingCreditedOf(pending, ofLines) };
}

function pendingCreditedOf({ seqs, lines }: PendingItems, credited: readonly LineCredited[]): PendingItemCredited[] {
  return credited.flatMap(({ line }) => {
    const seq = seqs[lines.indexOf(line)];
    const { creditedBefore } = withCreditedBefore(line, credited);
    return seq === undefined || creditedBefore === undefined ? [] : { seq, creditedBefore };
  });
}
