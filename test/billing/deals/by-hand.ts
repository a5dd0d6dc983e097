import { expect } from 'vitest';
import { coreDeal } from './core-deal.ts';
import type { Deal, DealDiscount, DealPlan, DealSwitch } from './deal.ts';
import { modelDeal } from './model-deal.ts';

export const MONTH: Partial<DealPlan> = { days: 30, billsMonths: false };
export const YEAR: Partial<DealPlan> = { days: 365, billsMonths: true };

const plan = (fee: string, over: Partial<DealPlan>): DealPlan => ({
  ...{ days: 30, calendar: 'fixed_days', anchorDay: null, billsMonths: false, billsTrial: false, timing: 'in_advance' },
  ...{ limits: { minimum: null, maximum: null }, components: [], fee },
  ...over,
});

/** A coupon for all lines. */
export const off = (of: DealDiscount['off'], periods: number | null = null): DealDiscount => ({ off: of, periods });

/**
 * What is invoiced and credited of a deal that begins with the first fee, and goes to each of the others on its day: the model and the drafts are
 * to say the same.
 */
export function billed(
  fees: [string, ...[number, string][]],
  { of, isInvoicedNow = true, ...over }: Partial<Deal> & { of: Partial<DealPlan>; isInvoicedNow?: boolean },
) {
  const [first, ...others] = fees;
  const deal: Deal = {
    ...{
      seed: 0,
      zone: 'UTC',
      startDate: '2027-01-01',
      trialDays: 0,
      overrides: null,
      phases: [],
      discountedTypes: null,
    },
    ...{
      currency: 'USD',
      credit: '0',
      taxRate: '0',
      days: 0,
      addons: [],
      pauses: [],
      additions: [],
      children: [],
      events: [],
      ignoresLate: false,
      cancel: null,
      discounts: [],
    },
    plans: [plan(first, of), ...others.map(([, fee]) => plan(fee, of))],
    switches: others.map(([day], i): DealSwitch => {
      return { day, plan: i + 1, isPlanned: false, overrides: null, resets: false, isInvoicedNow };
    }),
    ...over,
  };
  const { invoices, credits, drafts } = coreDeal(deal);
  const should = modelDeal(deal);
  expect({ invoices, credits }).toEqual(should);
  for (const { drafted, invoiced } of drafts) expect(drafted).toEqual(invoiced);
  return { invoices: invoices.map(({ subtotal }) => subtotal), credits };
}
