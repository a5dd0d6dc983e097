import { type Decimal, sum, ZERO } from '../../core/decimal.ts';
import { type ComputedCharges, type ComputeInput, computeCharges, newCarry, taxOn } from './compute.ts';
import { type CostLine, costOf } from './cost.ts';
import type { PeriodFacts } from './facts.ts';
import { discountsAllowed } from './periods-lowered.ts';
import { cumulativeShares } from './shares.ts';
import { type Charge, type InvoiceTerms, reversible, standing } from './terms.ts';

/** What is settled: the facts of today, the invoices in order of issue, and the charges that stand. */
export type BillingRecords = {
  facts: readonly PeriodFacts[];
  invoices: readonly InvoiceTerms[];
  charges: readonly Charge[];
  /** Decimals of the currency. */
  places: number;
};

/** What goes back of one charge, without tax. */
export type ChargeReversal = { charge: Charge; amount: Decimal };

/** What an invoice would charge more of a line. `restores` names what of it was taken back before; the rest is a new charge. */
export type LineGain = { line: CostLine | null; key: string; amount: Decimal; restores: ChargeReversal[] };

/**
 * How what stands of an invoice differs from what it would charge by today's facts. `net` and `tax` are signed: below zero money goes
 * back to `invoice.payerId`. An invoice either loses or gains, never both.
 */
export type Difference = {
  invoice: InvoiceTerms;
  reversals: ChargeReversal[];
  gains: LineGain[];
  net: Decimal;
  tax: Decimal;
};

/** The result of settling: a difference for each invoice that has one, and which discounts lower which invoice now. */
export type Settlement = { differences: Difference[]; computed: ReadonlyMap<string, ComputedCharges> };

/**
 * Computes the invoices again by today's facts and by the terms of their issue, and compares the result with what stands
 * (spec/reversals#difference). Neither a refund by hand nor a void changes the difference; both bound what can go back.
 */
export function settle(records: BillingRecords): Settlement {
  const { facts, charges, places } = records;
  const cost = new Map(facts.flatMap((period) => costOf(period, places)).map((line) => [line.key, line]));
  const input: Omit<ComputeInput, 'isAllowed'> = { cost, facts, grossOf: ({ now }) => now, places };
  const invoices = records.invoices.toSorted((a, b) => a.order - b.order);
  const isAllowed = discountsAllowed(invoices, input);
  const carry = newCarry();
  const computed = new Map<string, ComputedCharges>();
  for (const invoice of invoices) {
    const result = computeCharges(invoice, { ...input, isAllowed: (discount) => isAllowed(invoice, discount) }, carry);
    computed.set(invoice.invoiceId, result);
  }
  const differences = invoices.flatMap((invoice) => {
    const ofTerms = charges.filter(({ termsOf }) => termsOf === invoice.invoiceId);
    return differenceOf(invoice, { ofTerms, result: computed.get(invoice.invoiceId), cost, places }) ?? [];
  });
  return { differences, computed };
}

type Compared = {
  ofTerms: readonly Charge[];
  result: ComputedCharges | undefined;
  cost: ReadonlyMap<string, CostLine>;
  places: number;
};

function differenceOf(invoice: InvoiceTerms, { ofTerms, result, cost, places }: Compared): Difference | null {
  const targets = new Map((result?.lines ?? []).map(({ key, net }) => [key, net]));
  const keys = [...new Set([...targets.keys(), ...ofTerms.map(({ key }) => key)])];
  const changes = keys.map((key) => {
    const charges = ofTerms.filter((charge) => charge.key === key);
    return { key, charges, change: (targets.get(key) ?? ZERO).minus(standing(charges)) };
  });
  const net = sum(changes.map(({ change }) => change));
  // What some lines gain is set off against what others lose, in proportion.
  const isLoss = net.lt(0);
  const affected = changes.filter(({ change }) => !change.isZero() && change.lt(0) === isLoss);
  const shares = cumulativeShares(
    net.abs(),
    affected.map(({ change }) => change.abs()),
    places,
  );
  const reversals = isLoss ? affected.flatMap(({ charges }, i) => takeBack(charges, shares[i] ?? ZERO)) : [];
  const gains = isLoss ? [] : affected.flatMap((one, i) => gainOf(one, shares[i] ?? ZERO, cost));
  const changed = isLoss ? sum(reversals.map(({ amount }) => amount)).negated() : net;
  if (changed.isZero()) return null;
  const before = standing(ofTerms.filter(({ isVoid }) => !isVoid));
  const tax = taxOn(before.plus(changed), invoice.taxRate, places).minus(taxOn(before, invoice.taxRate, places));
  return { invoice, reversals, gains, net: changed, tax };
}

/** Takes an amount back of the charges of one line: the latest first, so that late lines go before the original one. */
function takeBack(charges: readonly Charge[], amount: Decimal): ChargeReversal[] {
  const reversals: ChargeReversal[] = [];
  let left = amount;
  for (const charge of charges.toReversed()) {
    const most = reversible(charge);
    const part = most.lt(left) ? most : left;
    if (part.gt(0)) reversals.push({ charge, amount: part });
    left = left.minus(part);
  }
  return reversals;
}

/** Fees and units restore what was taken back of them, the first charge first; usage is charged anew by a late line. */
function gainOf(
  { key, charges }: { key: string; charges: readonly Charge[] },
  amount: Decimal,
  cost: ReadonlyMap<string, CostLine>,
): LineGain[] {
  if (amount.isZero()) return [];
  const line = cost.get(key) ?? null;
  const isRestored = line !== null && isLayer(line);
  if (!isRestored) return [{ line, key, amount, restores: [] }];
  const restores: ChargeReversal[] = [];
  let left = amount;
  for (const charge of charges) {
    const part = charge.back.lt(left) ? charge.back : left;
    if (part.gt(0)) restores.push({ charge, amount: part });
    left = left.minus(part);
  }
  return [{ line, key, amount, restores }];
}

/** A layer of a fee or of prepaid units; what is taken off one can be restored. */
function isLayer({ due, line: { type } }: CostLine): boolean {
  return due === 'change' || type === 'recurring_fee' || type === 'prepaid_units';
}
