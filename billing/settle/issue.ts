import { type Decimal, sum } from '../../core/decimal.ts';
import { type ComputedCharges, type ComputeInput, computeCharges, newCarry, taxOn } from './compute.ts';
import { costOf } from './cost.ts';
import { discountsAllowed } from './periods-lowered.ts';
import type { BillingRecords } from './settle.ts';
import type { Charge, InvoiceTerms } from './terms.ts';

/** A new invoice with what it charges, and the charge lines that stand from now on. */
export type IssuedCharges = {
  invoice: InvoiceTerms;
  computed: ComputedCharges;
  charges: Charge[];
  net: Decimal;
  tax: Decimal;
};

/**
 * Computes a new invoice: its lines charge what they ask for, without falls of the price (spec/reversals#issue). It has to be settled
 * with the others right afterwards. `terms` name the discounts that are active at its issue; the result knows which ones lower it.
 */
export function issue(records: BillingRecords, terms: InvoiceTerms): IssuedCharges {
  const { facts, places } = records;
  const cost = new Map(facts.flatMap((period) => costOf(period, places)).map((line) => [line.key, line]));
  const invoices = [...records.invoices.toSorted((a, b) => a.order - b.order), terms];
  const input: Omit<ComputeInput, 'isAllowed'> = { cost, facts, grossOf: ({ now }) => now, places };
  const isAllowed = discountsAllowed(invoices, input);
  const carry = newCarry();
  const compute = (invoice: InvoiceTerms, grossOf: ComputeInput['grossOf']) =>
    computeCharges(invoice, { ...input, grossOf, isAllowed: (discount) => isAllowed(invoice, discount) }, carry);
  for (const invoice of invoices.slice(0, -1)) compute(invoice, ({ now }) => now);
  const computed = compute(terms, ({ asked }) => asked);
  const lowered = new Set(computed.lowerings.map(({ discountId }) => discountId));
  const discounts = terms.discounts.map((one) => ({ ...one, hasLowered: lowered.has(one.terms.discountId) }));
  const charges = computed.lines
    .filter(({ gross, net }) => gross.gt(0) || net.gt(0))
    .map(({ key, net }, i) => newCharge({ lineId: `${terms.invoiceId}/${i + 1}`, key, net }, terms));
  const net = sum(charges.map((charge) => charge.net));
  return { invoice: { ...terms, discounts }, computed, charges, net, tax: taxOn(net, terms.taxRate, places) };
}

/** A charge of which nothing has gone back yet. */
export function newCharge(
  { lineId, key, net }: Pick<Charge, 'lineId' | 'key' | 'net'>,
  { invoiceId, termsOf = invoiceId }: { invoiceId: string; termsOf?: string },
): Charge {
  const nothing = net.minus(net);
  return { lineId, invoiceId, termsOf, key, net, back: nothing, byHand: nothing, isVoid: false };
}
