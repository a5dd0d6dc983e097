import { type Decimal, min, ZERO } from '../../core/decimal.ts';
import type { ApplicableCredit } from './credits.ts';

/** A credit that a boundary will make. `paysFirst`: what stands for the id of an invoice to come, of which it gives back: that it pays at once. */
export type PlannedCredit = ApplicableCredit & { paysFirst?: string };

/** Planned credits in turn with the invoices of a draft. */
export type PlannedInTurn = {
  /** Those that are there by now, less what they have paid at once. */
  come(isThere: (credit: PlannedCredit) => boolean): ApplicableCredit[];
  /** An invoice has been drafted, for whose id these stand. */
  invoiced(standIns: readonly string[], amountDue: Decimal): void;
};

/** What is given back of an invoice that is still to come pays what will be due of it; the rest is for those behind (spec/invoices#draft). */
export function plannedInTurn(all: readonly PlannedCredit[]): PlannedInTurn {
  let toCome = all;
  const dueOf = new Map<string, { amount: Decimal }>();
  const lessPaid = (credit: PlannedCredit): ApplicableCredit[] => {
    const { paysFirst, ...left } = credit;
    const due = (paysFirst === undefined ? undefined : dueOf.get(paysFirst)) ?? { amount: ZERO };
    const paid = min(left.amountRemaining, due.amount);
    due.amount = due.amount.minus(paid);
    const amountRemaining = left.amountRemaining.minus(paid);
    return amountRemaining.gt(0) ? [{ ...left, amountRemaining }] : [];
  };
  return {
    come: (isThere) => {
      const there = toCome.filter(isThere);
      toCome = toCome.filter((credit) => !there.includes(credit));
      return there.toSorted((a, b) => a.createdAt - b.createdAt).flatMap(lessPaid);
    },
    invoiced: (standIns, amount) => {
      const due = { amount };
      for (const id of standIns) dueOf.set(id, due);
    },
  };
}
