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
  const computed = computeAgain(records, cost);
  const invoices = records.invoices.toSorted((a, b) => a.order - b.order);
  const differences = invoices.flatMap((invoice) => {
    const ofTerms = charges.filter(({ termsOf }) => termsOf === invoice.invoiceId);
    const targets = netsOf(computed.get(invoice.invoiceId));
    const changes = chargesByKey(ofTerms, [...targets.keys()]).map((one) => {
      return { ...one, change: (targets.get(one.key) ?? ZERO).minus(standing(one.charges)) };
    });
    return differenceOf(invoice, changes, { ofTerms, cost, places }) ?? [];
  });
  return { differences, computed };
}

/** What invoices are computed from: lines with their prices by some facts, and the limits of those facts. */
export type Costs = { lines: ReadonlyMap<string, CostLine>; facts: BillingRecords['facts'] };

/** How an invoice changes. `wanted` is the whole change of what it charges; `difference` what of that can go back or is charged. */
export type InvoiceChange = { invoice: InvoiceTerms; wanted: Decimal; difference: Difference | null };

/**
 * Computes the invoices by two costs, and returns how they differ. What stands bounds what can go back, and does not change the difference. So
 * what other rules have charged or given back of an invoice stays as it is.
 */
export function settleChange(
  { invoices, charges, places }: Omit<BillingRecords, 'facts'>,
  before: Costs,
  after: Costs,
): InvoiceChange[] {
  const [old, now] = [before, after].map(({ lines, facts }) => computeAgain({ facts, invoices, places }, lines));
  return invoices.map((invoice) => {
    const ofTerms = charges.filter(({ termsOf }) => termsOf === invoice.invoiceId);
    const [was, is] = [netsOf(old?.get(invoice.invoiceId)), netsOf(now?.get(invoice.invoiceId))];
    const changes = chargesByKey(ofTerms, [...was.keys(), ...is.keys()]).map((one) => {
      return { ...one, change: (is.get(one.key) ?? ZERO).minus(was.get(one.key) ?? ZERO) };
    });
    const difference = differenceOf(invoice, changes, { ofTerms, cost: after.lines, places });
    return { invoice, wanted: sum(changes.map(({ change }) => change)), difference };
  });
}

/** Computes all invoices again, in order of issue, with what is left of their lines. */
function computeAgain(
  { facts, invoices: all, places }: Omit<BillingRecords, 'charges'>,
  cost: ReadonlyMap<string, CostLine>,
): Map<string, ComputedCharges> {
  const input: Omit<ComputeInput, 'isAllowed'> = { cost, facts, grossOf: ({ now }) => now, places };
  const invoices = all.toSorted((a, b) => a.order - b.order);
  const isAllowed = discountsAllowed(invoices, input);
  const carry = newCarry();
  const computed = new Map<string, ComputedCharges>();
  for (const invoice of invoices) {
    const result = computeCharges(invoice, { ...input, isAllowed: (discount) => isAllowed(invoice, discount) }, carry);
    computed.set(invoice.invoiceId, result);
  }
  return computed;
}

function netsOf(computed: ComputedCharges | undefined): Map<string, Decimal> {
  return new Map((computed?.lines ?? []).map(({ key, net }) => [key, net]));
}

type OfKey = { key: string; charges: readonly Charge[] };

function chargesByKey(ofTerms: readonly Charge[], keys: readonly string[]): OfKey[] {
  const byKey = Map.groupBy(ofTerms, ({ key }) => key);
  return [...new Set([...keys, ...byKey.keys()])].map((key) => ({ key, charges: byKey.get(key) ?? [] }));
}

type Compared = { ofTerms: readonly Charge[]; cost: ReadonlyMap<string, CostLine>; places: number };

function differenceOf(
  invoice: InvoiceTerms,
  changes: readonly (OfKey & { change: Decimal })[],
  { ofTerms, cost, places }: Compared,
): Difference | null {
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
