import { describe, expect, it } from 'vitest';
import type { ChargeableAddon } from '../../../billing/invoices/addon-charges.ts';
import { computeInvoice } from '../../../billing/invoices/compute-invoice.ts';
import { type OpeningInput, openingPart } from '../../../billing/invoices/opening-invoice.ts';
import { periodOf } from '../../../billing/periods/periods.ts';
import { decimal, toPlain, ZERO } from '../../../core/decimal.ts';
import { component, plan, wholeOf } from '../fixtures.ts';

const first = periodOf(
  {
    startDate: '2026-11-01',
    billingPeriod: 'monthly',
    usagePeriod: 'billing_period',
    anchorDate: null,
    timeZone: 'UTC',
  },
  0,
);

const OPENING = { subscriptionId: 'sub_1', plan: plan(), nameOf: () => 'Calls' };

function addon(kind: ChargeableAddon['kind'], price: string): ChargeableAddon {
  const attached = { addonSubscriptionId: kind, quantity: 1, from: 0, to: null, billedTo: null };
  return { ...attached, addonId: kind, name: kind, kind, price: decimal(price) };
}

/** The lines of the opening invoice as `type amount`, null where there is none. */
function opening(over: Partial<OpeningInput>, currency = 'USD') {
  const begun = { ...OPENING, ...over };
  const part = openingPart({ first: wholeOf(begun.plan, first), ...begun }, { currency });
  if (part === null) return null;
  const invoice = computeInvoice({ ...part, currency, taxRate: ZERO, credits: [], today: first.startDate });
  expect([invoice.kind, invoice.periodStart, invoice.periodEnd]).toEqual(['opening', first.startsAt, first.endsAt]);
  return invoice.lines.map(({ type, amount }) => `${type} ${toPlain(amount)}`);
}

const inAdvance = { chargeTiming: 'in_advance' } as const;
const prepaying = (units: string, price = '0.1') => ({
  components: [component({ prepaidUnits: decimal(units), overagePrice: decimal(price) })],
});

describe('openingPart', () => {
  // "What is due at the very start (in_advance fee, prepaid units under either timing) is an invoice of kind `opening` for
  // the first period (none where nothing above 0 is due; it has no usage lines)" (spec/prepaid-units#changes)
  it.each<[string, Partial<OpeningInput>, string[] | null]>([
    ['in_arrears', {}, null],
    ['in_advance', { plan: plan(inAdvance) }, ['recurring_fee 29']],
    ['in_advance without a fee', { plan: plan({ ...inAdvance, recurringFee: ZERO }) }, null],
    ['in_arrears, prepaid', { plan: plan(prepaying('50')) }, ['prepaid_units 5']],
    [
      'in_advance, prepaid',
      { plan: plan({ ...inAdvance, ...prepaying('50') }) },
      ['recurring_fee 29', 'prepaid_units 5'],
    ],
    [
      'prepaid within the free tier',
      { plan: plan({ components: [component({ prepaidUnits: decimal(5), freeTier: decimal(5) })] }) },
      null,
    ],
    ['prepaid for less than half a cent', { plan: plan(prepaying('1', '0.0049')) }, null],
    ['prepaid for half a cent', { plan: plan(prepaying('1', '0.005')) }, ['prepaid_units 0.01']],
    [
      'units of its own',
      { prepaidUnits: [{ metricId: 'metric_1', units: decimal(20), fromPeriod: 0 }] },
      ['prepaid_units 2'],
    ],
    [
      'none of its own',
      { plan: plan(prepaying('50')), prepaidUnits: [{ metricId: 'metric_1', units: ZERO, fromPeriod: 0 }] },
      null,
    ],
    // "Recurring add-ons follow the plan's timing"
    [
      'a recurring add-on in_advance',
      { plan: plan({ ...inAdvance, recurringFee: ZERO }), addons: [addon('recurring', '7')] },
      ['addon 7'],
    ],
    ['a recurring add-on in_arrears', { addons: [addon('recurring', '7')] }, null],
    [
      'a one_time add-on goes along',
      { plan: plan(inAdvance), addons: [addon('one_time', '7')] },
      ['recurring_fee 29', 'addon 7'],
    ],
    ['a one_time add-on alone waits for the first boundary', { addons: [addon('one_time', '7')] }, null],
  ])('%s', (_, over, expected) => {
    expect(opening(over)).toEqual(expected);
  });

  // A one_time add-on of 7 in a trial, and a switch planned for its end to a plan in arrears: 7.00 on the opening invoice.
  it('has a one_time add-on alone where a trial has ended (spec/subscriptions#trials)', () => {
    const input = { ...OPENING, first: wholeOf(plan(), first), addons: [addon('one_time', '7')] };
    const part = openingPart(input, { currency: 'USD' }, true);
    expect(part?.addons.map(({ price }) => toPlain(price))).toEqual(['7']);
  });

  it('judges "above 0" in the currency', () => {
    expect(opening({ plan: plan(prepaying('4')) }, 'JPY')).toBeNull();
    expect(opening({ plan: plan(prepaying('5')) }, 'JPY')).toEqual(['prepaid_units 1']);
    expect(opening({ plan: plan(prepaying('1', '0.0005')) }, 'KWD')).toEqual(['prepaid_units 0.001']);
  });
});
