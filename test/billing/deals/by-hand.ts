import { expect } from 'vitest';
import { coreDeal } from './core-deal.ts';
import type { Deal, DealDiscount, DealOutcome, DealPlan, DealSwitch } from './deal.ts';
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

type Fees = [string, ...[number, string][]];
type Terms = Partial<Deal> & { of: Partial<DealPlan>; isInvoicedNow?: boolean };

/** A deal that begins with the first fee, and goes to each of the others on its day. */
export function dealOf(fees: Fees, { of, isInvoicedNow = true, ...over }: Terms): Deal {
  const [first, ...others] = fees;
  return {
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
}

/** What is invoiced and credited of a deal: the model and the drafts are to say the same. */
export function billed(fees: Fees, terms: Terms) {
  const { invoices, credits } = outcomeOf(dealOf(fees, terms));
  return { invoices: invoices.map(({ subtotal }) => subtotal), credits };
}

export function outcomeOf(deal: Deal): DealOutcome {
  const { drafts, ...outcome } = coreDeal(deal);
  expect(outcome).toEqual(modelDeal(deal));
  expect(drafts.map(({ drafted }) => drafted)).toEqual(drafts.map(({ invoiced }) => invoiced));
  return outcome;
}
