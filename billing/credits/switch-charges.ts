import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, sum, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import { applyDiscounts } from '../discounts/discounts.ts';
import { computeInvoice, computeTax, type InvoicePart } from '../invoices/compute-invoice.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import type { CustomerState } from '../state/customer-state.ts';
import type { SwitchCharge } from './charged-fee.ts';
import { leftToCredit } from './refunds.ts';

/** Stands for the id of an invoice that is still to be made. */
const DRAFTED = 'drafted';

/**
 * The charges of switches that wait for a part of the draft, as its invoice will have them, less their discounts: what is drafted behind it
 * takes back of these, and no more (spec/discounts#given-back).
 */
export function draftedSwitchCharges(
  part: InvoicePart & { issuedOn: string },
  { customer: { currency }, payer: { taxRate }, discounts }: Pick<CustomerState, 'customer' | 'payer' | 'discounts'>,
): SwitchCharge[] {
  if (!part.pending.some(isOfSwitch)) return [];
  const { lines } = computeInvoice({ ...part, currency, taxRate, discounts, today: part.issuedOn, credits: [] });
  return switchChargesOf(lines, { invoiceId: DRAFTED, taxRate, currency });
}

/** An invoice that is still to be made, for whose id `invoiceId` stands; `credited`: what is given back of it already, with tax. */
export type ToBeMade = { invoiceId: string; taxRate: Decimal; currency: string; credited?: Decimal };

/** The charges of switches among the lines of an invoice that is still to be made. */
export function switchChargesOf(lines: readonly NewInvoiceLine[], of: ToBeMade): SwitchCharge[] {
  const { invoiceId, taxRate } = of;
  const { charges, left } = leftOfCharges(lines, of);
  return lines.filter(isOfSwitch).flatMap(({ subscriptionId, periodStart: at, amount, discountAmount = ZERO }) => {
    if (subscriptionId === null || at === null) return [];
    const charged = { invoiceId, taxRate, amount: amount.minus(discountAmount), discount: discountAmount };
    return { ...charged, subscriptionId, at, charges, left, unpaid: ZERO };
  });
}

/** What an invoice of these lines charges, without tax, and what of that can then be given back, with tax. */
export function leftOfCharges(
  lines: readonly NewInvoiceLine[],
  { taxRate, currency, credited = ZERO }: ToBeMade,
): { charges: Decimal; left: Decimal } {
  const charging = lines.filter(({ type, amount }) => amount.gt(0) || type === 'true_up' || type === 'discount');
  const charges = sum(charging.map(({ amount }) => amount));
  const left = leftToCredit({ charges, taxRate, refunded: ZERO, credited }, currencyOf(currency).exponent);
  return { charges, left };
}

/** Whether a line charges the difference of one of these switches. */
export function isOfSwitches(
  line: NewInvoiceLine,
  switches: readonly { subscriptionId: string; at: Instant }[],
): boolean {
  const { subscriptionId, periodStart } = line;
  return isOfSwitch(line) && switches.some((one) => one.subscriptionId === subscriptionId && one.at === periodStart);
}

/** Whether a line charges the difference of a switch. */
function isOfSwitch({ type, metricId, amount }: Pick<NewInvoiceLine, 'type' | 'metricId' | 'amount'>): boolean {
  return type === 'proration' && metricId === null && amount.gt(0);
}

/** Returns the charge of a switch, as an invoice of that line alone will have it, less its discounts. */
export function chargedByLine(
  line: NewInvoiceLine & { subscriptionId: string; periodStart: Instant },
  invoiceId: string,
  { customer: { currency }, payer: { taxRate }, discounts }: Pick<CustomerState, 'customer' | 'payer' | 'discounts'>,
): SwitchCharge {
  const { subscriptionId, periodStart: at, periodEnd } = line;
  const places = currencyOf(currency).exponent;
  const of = { kind: 'proration', currency, places, periodStart: at, periodEnd } as const;
  const discount = ZERO.minus(sum(applyDiscounts([line], discounts, of).discounts.map(({ amount }) => amount)));
  const amount = line.amount.minus(discount);
  const left = amount.plus(computeTax(amount, taxRate, places));
  return { subscriptionId, at, invoiceId, taxRate, amount, charges: amount, discount, left, unpaid: ZERO };
}
