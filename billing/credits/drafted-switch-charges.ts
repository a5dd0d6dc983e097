import { currencyOf } from '../../core/currencies.ts';
import { sum, ZERO } from '../../core/decimal.ts';
import { computeInvoice, type InvoicePart } from '../invoices/compute-invoice.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import type { CustomerSnapshot } from '../snapshot/customer-snapshot.ts';
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
  { customer, discounts }: Pick<CustomerSnapshot, 'customer' | 'discounts'>,
): SwitchCharge[] {
  if (!part.pending.some(isOfSwitch)) return [];
  const { currency, taxRate } = customer;
  const { lines } = computeInvoice({ ...part, currency, taxRate, discounts, today: part.issuedOn, credits: [] });
  const charging = lines.filter(({ type, amount }) => amount.gt(0) || type === 'true_up' || type === 'discount');
  const charges = sum(charging.map(({ amount }) => amount));
  const left = leftToCredit({ charges, taxRate, refunded: ZERO, credited: ZERO }, currencyOf(currency).exponent);
  return lines.filter(isOfSwitch).flatMap(({ subscriptionId, periodStart: at, amount, discountAmount = ZERO }) => {
    if (subscriptionId === null || at === null) return [];
    const charged = { invoiceId: DRAFTED, taxRate, amount: amount.minus(discountAmount), discount: discountAmount };
    return { ...charged, subscriptionId, at, charges, left, unpaid: ZERO };
  });
}

function isOfSwitch({ type, metricId, amount }: NewInvoiceLine): boolean {
  return type === 'proration' && metricId === null && amount.gt(0);
}
