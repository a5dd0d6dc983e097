import { describe, expect, test } from 'vitest';
import type { SwitchCharge } from '../../../billing/credits/charged-fee.ts';
import { prorationsNotUsed } from '../../../billing/invoices/prorations-not-used.ts';
import { periodOf } from '../../../billing/periods/periods.ts';
import { prorationAmount } from '../../../billing/pricing/proration-amount.ts';
import { endingAt } from '../../../billing/subscriptions/cancel.ts';
import { decimal, toPlain, ZERO } from '../../../core/decimal.ts';
import { addDays } from '../../../core/instants.ts';
import { at, plan, switchedOf } from '../fixtures.ts';

/** 2026-03-01 to 03-31, 30 days. */
const period = periodOf(
  {
    startDate: '2026-03-01',
    billingPeriod: 'monthly',
    usagePeriod: 'billing_period',
    anchorDate: null,
    timeZone: 'UTC',
  },
  0,
);
const TERMS = { flatFeeBehavior: 'charge_prorated', billUsage: true, invoicingBehavior: 'invoice_now' } as const;

/** Plans in force from these days of the period on, each charged by an invoice of its own; canceled on day 20. */
function takenBack(steps: readonly [day: number, fee: number][], charged: readonly Partial<SwitchCharge>[]) {
  const plans = steps.map(([day, fee], i) => {
    const on = addDays('2026-03-01', day);
    const of = plan({ planId: `plan_${i}`, recurringFee: decimal(fee) });
    return { subscriptionId: `sub_${i}`, at: at(`${on}T00:00:00Z`), on, plan: of };
  });
  const switchCharges = charged.map((one, i): SwitchCharge => {
    const [amount, of] = [decimal(90), plans[i + 1]];
    if (!of) throw new Error('a charge without a switch');
    const whole = { invoiceId: `inv_${i}`, taxRate: ZERO, amount, charges: amount, left: amount, unpaid: ZERO };
    return { subscriptionId: of.subscriptionId, at: of.at, ...whole, ...one };
  });
  const ending = endingAt(at('2026-03-21T00:00:00Z'), TERMS, period);
  const last = plans.at(-1)?.plan ?? plan();
  const origin = { subscriptionId: 'sub_1', planId: 'p', version: 1, periodStart: 0, periodEnd: 1 };
  return prorationsNotUsed(
    { plan: last, ending, switchCharges },
    switchedOf(plans, period, { ending }),
    () => origin,
  ).map((one) => `${toPlain(prorationAmount(one))}${one.givenBackOf ? ` of ${one.givenBackOf}` : ''}`);
}

/** spec/credits#given-back-once */
describe('what is taken back of upgrades in arrears', () => {
  const UP: [number, number][] = [
    [0, 10],
    [0, 100],
  ];
  test.each<[string, Partial<SwitchCharge>, string[]]>([
    ['all days not used', {}, ['-30 of inv_0']],
    ['as much as is left', { left: decimal(25) }, ['-25 of inv_0']],
    ['without its tax', { left: decimal(24), taxRate: decimal(20) }, ['-20 of inv_0']],
    ['nothing of what went back, or is void', { left: ZERO }, []],
    ['nothing that never came', { unpaid: decimal(90) }, []],
    ['what came of it', { unpaid: decimal(70) }, ['-20 of inv_0']],
  ])('%s', (_, charge, lines) => {
    expect(takenBack(UP, [charge])).toEqual(lines);
  });

  test('what waits for an invoice is taken back with it', () => {
    expect(takenBack(UP, [])).toEqual(['-30']);
  });

  test('two of one invoice share what is left of it, the latest first', () => {
    const steps: [number, number][] = [...UP, [10, 190]];
    const shared = { invoiceId: 'inv_0', charges: decimal(150), left: decimal(40) };
    expect(takenBack(steps, [shared, { ...shared, amount: decimal(60) }])).toEqual(['-10 of inv_0', '-30 of inv_0']);
  });

  test('what a downgrade credited for days not used is charged again, and sets off what is taken back', () => {
    const steps: [number, number][] = [...UP, [10, 10]];
    expect(takenBack(steps, [{ left: ZERO }])).toEqual(['-30 of inv_0', '30']);
    expect(takenBack(steps, [{ left: decimal(30) }])).toEqual(['-30 of inv_0', '30']);
    expect(takenBack([...UP, [10, 70]], [{ left: decimal(10) }])).toEqual(['-20 of inv_0', '10']);
  });
});
