import { beforeEach, describe, expect, test } from 'vitest';
import { closePeriod } from '../../../services/invoices/close-period.ts';
import { newAccount } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { linesOf } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { makeMetric, posted } from '../../stack/resources.ts';
import { connectActivities, setClock } from '../activity-fixture.ts';
import { advance } from '../in-process-clock.ts';

/** What waits in sections is given back as what is on invoices is (spec/invoices#sections): a customer alone, and one that is billed to another. */

let accountId: string;
let api: Api;
let clock: string;

beforeEach(async () => {
  ({ accountId, api } = await newAccount());
  clock = await makeClock(api, '2026-03-01T00:00:00Z');
  await makeCustomer(api, 'payer', { test_clock_id: clock, tax_rate: 20 });
  await makeCustomer(api, 'alone', { test_clock_id: clock, tax_rate: 20 });
  await makeCustomer(api, 'child', { test_clock_id: clock, tax_rate: 20, billed_to: 'payer' });
});

const NOW = { invoicing_behavior: 'invoice_now' };
const CUSTOMERS = ['alone', 'child'];
const to = (date: string) => advance(api, clock, `${date}T00:00:00Z`);
const shown = (lines: readonly Json[]) =>
  lines.filter(({ amount }) => String(amount) !== '0').map(({ type, amount }) => `${type} ${amount}`);
const billedTo = async (payerId: string) => (await invoicesOf(api, `customer_id=${payerId}`)).flatMap(linesOf);
const creditsOf = (lines: readonly Json[]) => lines.filter(({ type }) => String(type) !== 'credit');
/** Of both the lines that are no credits, in their order. */
async function billed() {
  const [alone, child] = [await billedTo('alone'), await billedTo('payer')].map(creditsOf).map(shown);
  return { alone, child };
}

describe('a quarter in arrears by usage months, switched and paused over its end, of which a resume that was planned bills all', () => {
  test('what the switch has charged on the section of the second month is taken back by that of the third', async () => {
    const months = { billing_period: 'quarterly', usage_period: 'monthly', charge_timing: 'in_arrears' };
    const [cheap, dear] = [
      await makePlan(api, { ...months, recurring_fee: 30 }),
      await makePlan(api, { ...months, recurring_fee: 90 }),
    ];
    const { coupon_id } = (await posted(api, '/api/coupons', { name: 'Half', percent_off: 50, duration: 'forever' }))
      .body;
    const ids = await Promise.all(
      CUSTOMERS.map((customer_id) => subscribe(api, { customer_id, plan_id: cheap, discounts: [{ coupon_id }] })),
    );
    await to('2026-03-31');
    for (const id of ids) {
      const switched = await posted(api, `/api/subscriptions/${id}/switch_plan`, { new_plan_id: dear });
      ids[ids.indexOf(id)] = String(switched.body.subscription_id);
    }
    await to('2026-04-15');
    for (const id of ids) await posted(api, `/api/subscriptions/${id}/pause`, { resumes_at: '2026-06-10' });
    await to('2026-06-11');
    const lines = ['proration 40', 'discount -20', 'recurring_fee 15', 'proration -15', 'discount -7.5'];
    expect(await billed()).toEqual({ alone: lines, child: lines });
    // 12.50 and the tax on it: what one section takes back of another is no part of what was paid.
    const [invoice] = await invoicesOf(api, 'customer_id=payer&status=open');
    await posted(api, `/api/invoices/${invoice?.invoice_id}/mark_paid`);
    const refund = { invoice_id: invoice?.invoice_id, method: 'bank_transfer' };
    expect((await api.post('/api/refunds', refund)).exact).toMatchObject({ amount: '15' });
  });
});

describe('a section that waits for others of its instant', () => {
  /** Both end their month of March, and nobody else does: the section of the child waits for the payer's own. On April's day 10. */
  async function waiting(plan: Record<string, unknown>, meanwhile = async (id: string) => id): Promise<string[]> {
    await subscribe(api, { customer_id: 'payer', plan_id: await makePlan(api, { recurring_fee: 0.01 }) });
    const plan_id = await makePlan(api, plan);
    const made = await Promise.all(CUSTOMERS.map((customer_id) => subscribe(api, { customer_id, plan_id })));
    const ids = await Promise.all(made.map(meanwhile));
    const { dependencies, close } = await connectActivities();
    await setClock(dependencies, accountId, clock, Date.parse('2026-04-10T00:00:00Z'));
    for (const subscriptionId of ids)
      await closePeriod(dependencies, { accountId, subscriptionId, periodIndex: 0 }, new AbortController().signal);
    await close();
    return ids;
  }

  const sums = ({ subtotal, tax_amount, credits_applied, amount_due }: Json) =>
    `${subtotal} + ${tax_amount} - ${credits_applied} = ${amount_due}`;
  const sumsOf = async (payerId: string) => (await invoicesOf(api, `customer_id=${payerId}`)).map(sums);

  const creditsOf = async (customer_id: string) =>
    itemsOf((await api.get(`/api/credits?customer_id=${customer_id}`)).exact.results).map(({ amount }) => amount);

  test('is issued before a cancel gives back of it: 20 of 30 in advance', async () => {
    const ids = await waiting({ recurring_fee: 30, charge_timing: 'in_advance' });
    for (const id of ids) await posted(api, `/api/subscriptions/${id}/cancel`, NOW);
    const invoiced = ['30 + 6 - 0 = 36', '30 + 6 - 24 = 12'];
    expect([await sumsOf('alone'), await sumsOf('payer')]).toEqual([invoiced, invoiced]);
  });

  test('before a downgrade does: 20 of the difference of 30', async () => {
    const ids = await waiting({ recurring_fee: 60, charge_timing: 'in_advance' });
    const new_plan_id = await makePlan(api, { recurring_fee: 30, charge_timing: 'in_advance' });
    for (const id of ids) await posted(api, `/api/subscriptions/${id}/switch_plan`, { new_plan_id });
    expect([await sumsOf('payer'), await creditsOf('alone'), await creditsOf('payer')]).toEqual([
      ['60 + 12 - 0 = 72', '60 + 12 - 0 = 72'],
      ['24'],
      ['24'],
    ]);
  });

  test('before fewer prepaid units do: 60 of 100', async () => {
    const metric_id = String((await makeMetric(api)).metric_id);
    const components = [{ metric_id, overage_price: 1, prepaid_units: 100 }];
    const ids = await waiting({ recurring_fee: 0, components });
    for (const id of ids)
      await posted(api, `/api/subscriptions/${id}/components/change-prepaid-units`, { metric_id, units: 40 });
    expect([await creditsOf('alone'), await creditsOf('payer')]).toEqual([['72'], ['72']]);
  });

  // Of the charge of 60 for a quarter 50 of 90 days are not used: 33.33.
  test('before a cancel in arrears takes back of what a switch has charged on it', async () => {
    const months = { billing_period: 'quarterly', usage_period: 'monthly' };
    const new_plan_id = await makePlan(api, { ...months, recurring_fee: 90 });
    const ids = await waiting({ ...months, recurring_fee: 30 }, async (id) => {
      return String((await posted(api, `/api/subscriptions/${id}/switch_plan`, { new_plan_id })).body.subscription_id);
    });
    for (const id of ids) await posted(api, `/api/subscriptions/${id}/cancel`, NOW);
    const lines = ['proration 60', 'recurring_fee 13.33', 'proration -33.33'];
    expect(await billed()).toEqual({ alone: lines, child: lines });
    const [first] = await invoicesOf(api, 'customer_id=payer');
    await posted(api, `/api/invoices/${first?.invoice_id}/mark_paid`);
    const refund = { invoice_id: first?.invoice_id, method: 'bank_transfer', amount: 32.01 };
    expect((await api.post('/api/refunds', refund)).body.detail).toContain('has 32 left to refund');
  });
});

test('a consolidated invoice that is voided gives a proration no period of a discount back, which it has not taken', async () => {
  const fees = { charge_timing: 'in_arrears' };
  const [cheap, dear] = [
    await makePlan(api, { ...fees, recurring_fee: 30 }),
    await makePlan(api, { ...fees, recurring_fee: 60 }),
  ];
  const off = { name: 'Half', percent_off: 50, duration: 'repeating', duration_in_periods: 3 };
  const { coupon_id } = (await posted(api, '/api/coupons', off)).body;
  const id = await subscribe(api, { customer_id: 'child', plan_id: cheap, discounts: [{ coupon_id }] });
  const ended = await subscribe(api, { customer_id: 'payer', plan_id: cheap, start_date: '2026-03-01' });
  await to('2026-04-05');
  const planned = { new_plan_id: dear, effective_date: '2026-04-10', ...NOW };
  await posted(api, `/api/subscriptions/${id}/switch_plan`, planned);
  await posted(api, `/api/subscriptions/${ended}/cancel`, { cancel_at: '2026-04-10', ...NOW });
  await to('2026-04-11');
  const { replaced_by } = (await api.get(`/api/subscriptions/${id}`)).body;
  const usedOf = async () =>
    itemsOf((await api.get(`/api/subscriptions/${replaced_by}/discounts`)).body.results).map(
      ({ periods_used }) => periods_used,
    );
  const [, mixed] = await invoicesOf(api, 'customer_id=payer');
  expect(itemsOf(mixed?.sections).map(({ kind }) => kind)).toEqual(['closing', 'proration']);
  expect(await usedOf()).toEqual([1]);
  await posted(api, `/api/invoices/${mixed?.invoice_id}/void`);
  expect(await usedOf()).toEqual([1]);
});
