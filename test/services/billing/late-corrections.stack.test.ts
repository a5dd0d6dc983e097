import { beforeEach, describe, expect, test } from 'vitest';
import { newAccount } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { billOf, draftOf, linesOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric, posted } from '../../stack/resources.ts';
import { advance } from '../../workflows/in-process-clock.ts';

/**
 * The worked examples of late corrections (spec/reversals#late-corrections). March, of 1,000 units at 1.00, is billed on 03-31 and lacks 900 units when April is
 * billed on 04-30.
 */
const BILLED = '2026-04-01T00:00:00Z';
const LATER = '2026-05-01T00:00:00Z';

let api: Api;
let clock: string;
let metric_id: unknown;

beforeEach(async () => {
  ({ api } = await newAccount());
  clock = await makeClock(api, '2026-03-01T00:00:00Z');
  ({ metric_id } = await makeMetric(api, { aggregation_type: 'sum', property_name: 'n' }));
});

const use = (customer_id: string, time: string, n: number) => trackCalls(api, customer_id, time, 1, { n });
const last = async (query: string) => (await invoicesOf(api, query)).at(-1);
const creditsOf = async (customer_id: string) =>
  itemsOf((await api.get(`/api/credits?customer_id=${customer_id}`)).exact.results);
const amountsOf = (credits: readonly Json[]) => credits.map(({ amount }) => String(amount));

type Prepared = { customer_id: string; subscription: string; invoice_id: string };

/** A customer whose March is billed, before and after which something is done. */
async function march(
  how: { customer?: object; coupon?: object; price?: number; units?: number; credit?: object } = {},
) {
  const { customer = {}, coupon, price = 1, units = 1_000, credit } = how;
  const customer_id = await makeCustomer(api, 'late', { test_clock_id: clock, ...customer });
  const plan_id = await makePlan(api, { recurring_fee: 0, components: [{ metric_id, overage_price: price }] });
  const discounts = coupon ? [{ coupon_id: (await posted(api, '/api/coupons', coupon)).body.coupon_id }] : [];
  if (credit) await posted(api, '/api/credits', { customer_id, ...credit });
  const subscription = await subscribe(api, { customer_id, plan_id, discounts });
  await use(customer_id, '2026-03-05T00:00:00Z', units);
  await advance(api, clock, BILLED);
  const invoice = await last(`subscription_id=${subscription}`);
  return { customer_id, subscription, invoice_id: String(invoice?.invoice_id) };
}

/** The correction arrives, and April is billed, as its draft said. */
async function correct({ customer_id, subscription }: Prepared, units = -900, to = LATER) {
  await use(customer_id, '2026-03-06T00:00:00Z', units);
  await landed(api);
  const draft = await draftOf(api, customer_id);
  await advance(api, clock, to);
  const invoice = await last(`subscription_id=${subscription}`);
  expect(billOf(draft)).toEqual(billOf(invoice));
  const late = rowsOf(invoice).filter((row) => row.startsWith('late_usage'));
  return { invoice, late, total: String(invoice?.total) };
}

const pay = ({ invoice_id }: Prepared) => posted(api, `/api/invoices/${invoice_id}/mark_paid`);
const refund = async ({ invoice_id }: Prepared, more: object = {}) =>
  (await posted(api, '/api/refunds', { invoice_id, method: 'bank_transfer', ...more })).exact;
const off = { name: 'Off', duration: 'once' };

describe('a correction of -900 gives back', () => {
  test.each<[string, Parameters<typeof march>[0], (one: Prepared) => Promise<unknown>, string]>([
    ['900.00 of a paid invoice', {}, pay, '-900'],
    ['nothing of a month that a coupon made free', { coupon: { ...off, percent_off: 100 } }, async () => {}, '0'],
    ['450.00 if the month was half off', { coupon: { ...off, percent_off: 50, duration: 'forever' } }, pay, '-450'],
    ['10.00 if 990.00 were off', { coupon: { ...off, amount_off: 990, currency: 'USD' } }, pay, '-10'],
    ['nothing of a void invoice', {}, ({ invoice_id }) => posted(api, `/api/invoices/${invoice_id}/void`), '0'],
    [
      '600.00 if 400.00 were refunded',
      {},
      async (one) => {
        await pay(one);
        await refund(one, { amount: 400 });
      },
      '-600',
    ],
    [
      'nothing if all was refunded',
      {},
      async (one) => {
        await pay(one);
        await refund(one);
      },
      '0',
    ],
  ])('%s', async (_, how, prepare, back) => {
    const prepared = await march(how);
    await prepare(prepared);
    const { late, total } = await correct(prepared);
    expect(late).toEqual([`late_usage x-900 ${back} from 2026-03-01`]);
    expect(total).toBe(back);
    const credited = amountsOf(await creditsOf(prepared.customer_id));
    expect(credited).toEqual(back === '0' ? [] : [back.slice(1)]);
  });

  test('900.00 of what an open invoice says is due', async () => {
    const prepared = await march();
    const { late, total } = await correct(prepared);
    expect([late, total]).toEqual([['late_usage x-900 0 from 2026-03-01'], '0']);
    const { exact } = await api.get(`/api/invoices/${prepared.invoice_id}`);
    expect(exact).toMatchObject({ status: 'open', total: '1000', credits_applied: '900', amount_due: '100' });
    expect(linesOf(exact)).toMatchObject([{ reversed_amount: '900' }]);
  });

  test('900.00 before a refund, which gives back the rest', async () => {
    const prepared = await march();
    await pay(prepared);
    await correct(prepared);
    expect(await refund(prepared)).toMatchObject({ amount: '100' });
    const { exact } = await api.get(`/api/invoices/${prepared.invoice_id}`);
    expect(linesOf(exact)).toMatchObject([{ reversed_amount: '1000' }]);
  });

  test('900.00 beside an invoice that a coupon makes free', async () => {
    const prepared = await march();
    await pay(prepared);
    const { coupon_id } = (await posted(api, '/api/coupons', { ...off, percent_off: 100 })).body;
    await posted(api, `/api/subscriptions/${prepared.subscription}/discounts`, { coupon_id });
    await use(prepared.customer_id, '2026-04-05T00:00:00Z', 1_000);
    const { invoice, total } = await correct(prepared);
    expect(total).toBe('-900');
    expect(rowsOf(invoice)).toEqual([
      'usage x1000 1000 from 2026-03-31',
      'late_usage x-900 -900 from 2026-03-01',
      'discount -1000 from 2026-03-31',
    ]);
  });

  test('1,071.00 to a payer who has been replaced, with its tax', async () => {
    const payer = await makeCustomer(api, 'payer', { test_clock_id: clock, tax_rate: 19 });
    const customer_id = await makeCustomer(api, 'child', { test_clock_id: clock, billed_to: payer });
    const plan_id = await makePlan(api, { recurring_fee: 0, components: [{ metric_id, overage_price: 1 }] });
    const subscription = await subscribe(api, { customer_id, plan_id });
    await use(customer_id, '2026-03-05T00:00:00Z', 1_000);
    await advance(api, clock, BILLED);
    const [invoice] = await invoicesOf(api, `customer_id=${payer}`);
    const prepared = { customer_id, subscription, invoice_id: String(invoice?.invoice_id) };
    await pay(prepared);
    expect((await api.patch(`/api/customers/${customer_id}`, { billed_to: null })).status).toBe(200);
    const { late, total } = await correct(prepared);
    expect([late, total]).toEqual([['late_usage x-900 0 from 2026-03-01'], '0']);
    expect(amountsOf(await creditsOf(payer))).toEqual(['1071']);
    expect(await creditsOf(customer_id)).toEqual([]);
  });

  test('900.00 as a credit with its expiry, if such a credit has paid', async () => {
    const credit = { amount: 1_000, reason: 'promotional_credit', expires_at: '2026-06-30' };
    const prepared = await march({ credit });
    const { total } = await correct(prepared);
    expect(total).toBe('0');
    const [, made] = (await creditsOf(prepared.customer_id)).toSorted((a, b) => Number(b.amount) - Number(a.amount));
    expect(made).toMatchObject({ amount: '900', expires_at: '2026-06-30', reason: 'overpayment_credit' });
  });
});

test('the tax of corrections adds up to the tax of what they give back', async () => {
  const prepared = await march({ customer: { tax_rate: 19 }, price: 0.99, units: 10 });
  await pay(prepared);
  const months = ['2026-05-01T00:00:00Z', '2026-06-01T00:00:00Z', '2026-07-01T00:00:00Z'];
  const moved: unknown[] = [];
  for (const [i, units] of [-3, -3, -4].entries()) {
    const { invoice } = await correct(prepared, units, months[i]);
    const [, late] = linesOf(invoice);
    moved.push([invoice?.subtotal, invoice?.tax_amount, late?.tax_rate, late?.tax_amount]);
  }
  expect(moved).toEqual([
    ['-2.97', '-0.56', '19', '-0.56'],
    ['-2.97', '-0.57', '19', '-0.57'],
    ['-3.96', '-0.75', '19', '-0.75'],
  ]);
});

test('what a cancel leaves for the next invoice gives back as a credit at once', async () => {
  const prepared = await march();
  await pay(prepared);
  await use(prepared.customer_id, '2026-03-06T00:00:00Z', -900);
  const terms = { invoicing_behavior: 'add_to_next_invoice' };
  await posted(api, `/api/subscriptions/${prepared.subscription}/cancel`, terms);
  expect(amountsOf(await creditsOf(prepared.customer_id))).toEqual(['900']);
  await advance(api, clock, LATER);
  expect(amountsOf(await creditsOf(prepared.customer_id))).toEqual(['900']);
});
