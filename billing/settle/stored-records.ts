import { type Decimal, min, ZERO } from '../../core/decimal.ts';
import type { LocalDate } from '../../core/instants.ts';
import type { InvoiceKind } from '../invoices/invoice.ts';
import type { DiscountTerms } from './facts.ts';
import type { InvoiceMoney } from './place.ts';
import type { PlacedCharge } from './record-issued.ts';
import type { Charge, InvoiceTerms } from './terms.ts';

/** The terms of an invoice, or of a section of it, as they are stored. `order` and `voidedBefore` are places in the account's order of issue. */
export type StoredTerms = {
  invoiceId: string;
  section: number;
  order: number;
  kind: InvoiceKind;
  periodId: string;
  payerId: string;
  taxRate: Decimal;
  voidedBefore: number | null;
};

/** A discount that was active at the issue of an invoice or section, and whether it lowered that. */
export type StoredDiscount = { invoiceId: string; section: number; terms: DiscountTerms; hasLowered: boolean };

/**
 * The money of an invoice. `paid`: what was paid, less refunds that have not failed. `reversed`: what lines of other invoices and credits have
 * taken back of it, with tax, but for what such a credit has paid of it at once.
 */
export type StoredMoney = { invoiceId: string; payerId: string; due: Decimal; paid: Decimal; reversed: Decimal };

/** What a credit has paid of an invoice. */
export type StoredCreditPaid = { invoiceId: string; creditId: string; amount: Decimal; expiresAt: LocalDate | null };

/** Identifies the terms of a section: the first one has the id of the invoice. */
export function termsIdOf(invoiceId: string, section: number): string {
  return section === 0 ? invoiceId : `${invoiceId}/${section}`;
}

/**
 * The terms of invoices, which are in order of issue, with their discounts in order of redemption and the keys that they charged. Each section of an invoice has terms
 * of its own. `order` counts from 0: an invoice to come has the next number.
 */
export function termsFromStored(
  stored: readonly StoredTerms[],
  discounts: readonly StoredDiscount[],
  charges: readonly PlacedCharge[],
): InvoiceTerms[] {
  const idOf = ({ invoiceId, section }: { invoiceId: string; section: number }) => termsIdOf(invoiceId, section);
  const discountsOf = Map.groupBy(discounts, idOf);
  const own = charges.filter(({ invoiceId, termsOf }) => invoiceId === termsOf);
  const keysOf = Map.groupBy(own, ({ invoiceId, termsSection }) => termsIdOf(invoiceId, termsSection));
  return stored.map((terms, order) => {
    const { kind, periodId, payerId, taxRate, voidedBefore } = terms;
    const id = idOf(terms);
    const ofDiscounts = discountsOf.get(id) ?? [];
    const behind = stored.findIndex((one) => voidedBefore !== null && one.order >= voidedBefore);
    return {
      ...{ invoiceId: id, order, kind, periodId, payerId, taxRate },
      discounts: ofDiscounts.map(({ terms: of, hasLowered }) => ({ terms: of, hasLowered })),
      keys: [...new Set((keysOf.get(id) ?? []).map(({ key }) => key))],
      voidedBefore: voidedBefore === null ? null : behind < 0 ? stored.length : behind,
    };
  });
}

/** The charges of lines; a key without a line, or a line of nothing, has none. */
export function chargesFromStored(charges: readonly PlacedCharge[]): Charge[] {
  return charges.flatMap(({ lineId, invoiceId, termsOf, termsSection, key, net, back, byHand, isVoid }) => {
    if (lineId === null || net.isZero()) return [];
    return [{ lineId, invoiceId, termsOf: termsIdOf(termsOf, termsSection), key, net, back, byHand, isVoid }];
  });
}

/**
 * How an invoice has been settled. What has been taken back of it came from what money has paid, and beyond that from what credits have paid, in
 * the order in which they were applied (spec/reversals#where-it-goes).
 */
export function moneyFromStored(
  { invoiceId, payerId, due, paid, reversed }: StoredMoney,
  credits: readonly StoredCreditPaid[],
  isPaymentInFlight: boolean,
): InvoiceMoney {
  let rest = reversed.gt(0) ? reversed : ZERO;
  const left = (amount: Decimal) => {
    const back = min(rest, amount);
    rest = rest.minus(back);
    return amount.minus(back);
  };
  const money = left(paid);
  const own = credits.filter((credit) => credit.invoiceId === invoiceId);
  const ofCredits = own.map(({ creditId, amount, expiresAt }) => ({ creditId, amount: left(amount), expiresAt }));
  return { invoiceId, payerId, due, money, credits: ofCredits.filter(({ amount }) => amount.gt(0)), isPaymentInFlight };
}
