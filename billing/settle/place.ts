import { type Decimal, min, sum, ZERO } from '../../core/decimal.ts';
import type { LocalDate } from '../../core/instants.ts';
import type { ChargeReversal, Difference } from './settle.ts';
import { cumulativeShares } from './shares.ts';
import type { Charge } from './terms.ts';

/** What a credit has paid of an invoice and has not got back. `expiresAt` is the last day on which it applies; null: none. */
export type CreditPaid = { creditId: string; amount: Decimal; expiresAt: LocalDate | null };

/**
 * How an invoice has been settled. `due` is what its payer still owes. `money` is what was paid and has not gone back.
 * `credits` paid the rest, in the order in which they were applied.
 */
export type InvoiceMoney = {
  invoiceId: string;
  payerId: string;
  due: Decimal;
  money: Decimal;
  credits: readonly CreditPaid[];
  isPaymentInFlight: boolean;
};

/** A part of a charge that goes back, with the tax in it. The shape of `reverses` on lines, credits and refunds. */
export type Reversed = { invoiceId: string; lineId: string; amount: Decimal; taxAmount: Decimal };

/** Where money that goes back is put. `total` is with tax, and what `reverses` sums to. */
export type Placement = { invoiceId: string; payerId: string; total: Decimal; reverses: Reversed[] } & (
  | { kind: 'applied' | 'after_payment' | 'line' | 'refund_or_credit' }
  | { kind: 'credit'; creditId: string | null; expiresAt: LocalDate | null }
);

/** `takesLines`: an invoice of today's payer that a reversal may be a line of, now or later; null if it becomes a credit or a refund. */
export type PlaceInput = {
  moneyOf: ReadonlyMap<string, InvoiceMoney>;
  takesLines: { payerId: string } | null;
  places: number;
};

/**
 * Decides where what goes back is put (spec/reversals#where-it-goes). For each invoice that charged it, in this order:
 *
 * 1. What is still due of the invoice is lowered by a credit that is applied to it, after a payment in flight has ended.
 * 2. What money has paid is a line of the next invoice of the same payer, if it takes lines; else a refund or a credit.
 * 3. What a credit has paid becomes a credit with the same expiry.
 */
export function place(differences: readonly Difference[], input: PlaceInput): Placement[] {
  const reversed = differences.flatMap((one) => withTax(one, input.places));
  const byInvoice = Map.groupBy(reversed, ({ invoiceId }) => invoiceId);
  return [...byInvoice].flatMap(([invoiceId, parts]) => {
    const money = input.moneyOf.get(invoiceId);
    if (!money) throw new Error(`nothing is known of the money of invoice ${invoiceId}`);
    return placeOf(parts, money, input);
  });
}

/** The tax of a difference, shared by its reversals. */
function withTax({ reversals, tax }: Difference, places: number): Reversed[] {
  const shares = cumulativeShares(
    tax.abs(),
    reversals.map(({ amount }) => amount),
    places,
  );
  return reversals.map(({ charge, amount }: ChargeReversal, i) => {
    return { ...idsOf(charge), amount, taxAmount: shares[i] ?? ZERO };
  });
}

function placeOf(parts: readonly Reversed[], money: InvoiceMoney, { takesLines, places }: PlaceInput): Placement[] {
  const { invoiceId, payerId, isPaymentInFlight, credits } = money;
  const isLine = takesLines !== null && takesLines.payerId === payerId;
  const slots: { most: Decimal | null; to: Slot }[] = [
    { most: money.due, to: { kind: isPaymentInFlight ? 'after_payment' : 'applied' } },
    { most: money.money, to: { kind: isLine ? 'line' : 'refund_or_credit' } },
    ...credits.map(({ creditId, amount, expiresAt }) => {
      return { most: amount, to: { kind: 'credit', creditId, expiresAt } as const };
    }),
    // What neither money nor a credit has paid is not paid out: nothing is left here, or the invoice's records are wrong.
    { most: null, to: { kind: 'credit', creditId: null, expiresAt: null } },
  ];
  let left = [...parts];
  return slots.flatMap(({ most, to }) => {
    const whole = totalOf(left);
    const total = most === null ? whole : min(most, whole);
    if (!total.gt(0)) return [];
    const taken = takeTotal(left, total, places);
    left = left.map((part, i) => less(part, taken[i]));
    return [{ invoiceId, payerId, total, reverses: taken.filter((part) => !sumOf(part).isZero()), ...to }];
  });
}

type Slot =
  | { kind: 'applied' | 'after_payment' | 'line' | 'refund_or_credit' }
  | ({ kind: 'credit' } & Pick<Extract<Placement, { kind: 'credit' }>, 'creditId' | 'expiresAt'>);

/** A part of each charge, together `total` with tax, in proportion to what is left of each. */
function takeTotal(parts: readonly Reversed[], total: Decimal, places: number): Reversed[] {
  const shares = cumulativeShares(total, parts.map(sumOf), places);
  const taxes = cumulativeShares(
    taxWithin(parts, total, places),
    parts.map(({ taxAmount }) => taxAmount),
    places,
  );
  return parts.map((part, i) => {
    const taxAmount = taxes[i] ?? ZERO;
    return { ...part, amount: (shares[i] ?? ZERO).minus(taxAmount), taxAmount };
  });
}

/** The tax in a part of a sum with tax: its proportional share. */
function taxWithin(parts: readonly Reversed[], total: Decimal, places: number): Decimal {
  const tax = sum(parts.map(({ taxAmount }) => taxAmount));
  const [share = ZERO] = cumulativeShares(tax, [total, totalOf(parts).minus(total)], places);
  return share;
}

function less(part: Reversed, taken: Reversed | undefined): Reversed {
  if (!taken) return part;
  return { ...part, amount: part.amount.minus(taken.amount), taxAmount: part.taxAmount.minus(taken.taxAmount) };
}

function totalOf(parts: readonly Reversed[]): Decimal {
  return sum(parts.map(sumOf));
}

function sumOf({ amount, taxAmount }: Reversed): Decimal {
  return amount.plus(taxAmount);
}

function idsOf({ invoiceId, lineId }: Charge): Pick<Reversed, 'invoiceId' | 'lineId'> {
  return { invoiceId, lineId };
}
