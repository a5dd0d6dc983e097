import { beforeAll, expect, test } from 'vitest';
import { newAccount } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { billOf, draftOf, linesOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { advance, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';

let api: Api;
let clock: string;
let metric_id: unknown;

beforeAll(async () => {
  ({ api } = await newAccount());
  clock = await makeClock(api, '2026-11-01T00:00:00Z');
  ({ metric_id } = await makeMetric(api, { metric_name: 'Tokens' }));
});

test('a book bills by combination and row, holds what has no price, and late events by the same rows', async () => {
  const customer_id = await makeCustomer(api, 'ai', { test_clock_id: clock });
  const prices = [
    { when: { model: 'a' }, overage_price: 0.1 },
    { when: { model: 'a' }, from: '2026-11-12', overage_price: 0.07 },
    { when: { model: 'b' }, overage_price: 1, free_tier: 2 },
  ];
  const components = [{ metric_id, group_by: ['model'], prices }];
  const plan_id = await makePlan(api, { recurring_fee: 0, components });
  await subscribe(api, { customer_id, plan_id });
  await trackCalls(api, customer_id, '2026-11-11T10:00:00Z', 10, { model: 'a' });
  await trackCalls(api, customer_id, '2026-11-12T00:00:00Z', 10, { model: 'a' });
  await trackCalls(api, customer_id, '2026-11-05T00:00:00Z', 3, { model: 'b' });
  await trackCalls(api, customer_id, '2026-11-06T00:00:00Z', 4, { model: 'new' });
  await landed(api);
  const draft = await draftOf(api, customer_id);
  const rows = ['usage x10 1 from 2026-11-01', 'usage x10 0.7 from 2026-11-12', 'usage x3 1 from 2026-11-01'];
  expect(rowsOf(draft)).toEqual(rows);
  expect(linesOf(draft).map(({ group }) => group)).toEqual([{ model: 'a' }, { model: 'a' }, { model: 'b' }]);
  expect(itemsOf(draft.held)).toMatchObject([{ metric_id, group: { model: 'new' }, quantity: '4', events_count: '4' }]);

  await advance(api, clock, '2026-12-02T00:00:00Z');
  const [november] = await invoicesOf(api, `customer_id=${customer_id}`);
  expect(billOf(draft)).toEqual(billOf(november));
  expect(november?.held).toEqual(draft.held);
  for (const line of linesOf(november)) {
    const proof = await api.get(`/api/invoices/${november?.invoice_id}/lines/${line.line_id}/explain`);
    expect([proof.status, proof.exact.total]).toEqual([200, line.amount]);
  }

  await trackCalls(api, customer_id, '2026-11-12T00:00:00Z', 5, { model: 'a' });
  await landed(api);
  const next = await draftOf(api, customer_id);
  expect(rowsOf(next)).toEqual(['usage x0 0 from 2026-12-01', 'late_usage x5 0.35 from 2026-11-12']);
  await advance(api, clock, '2027-01-02T00:00:00Z');
  const december = (await invoicesOf(api, `customer_id=${customer_id}`)).at(-1);
  expect(billOf(next)).toEqual(billOf(december));
  const costs = await api.get(`/api/customers/${customer_id}/cost_analysis/?start_date=2026-11-01&end_date=2027-01-31`);
  expect([costs.status, costs.exact.total_revenue]).toEqual([200, '3.05']);
});

test('limits count its lines, and the invoice of a payer holds what has no price', async () => {
  const ownClock = await makeClock(api, '2026-11-01T00:00:00Z');
  const payer = await makeCustomer(api, 'payer', { test_clock_id: ownClock });
  const customer_id = await makeCustomer(api, 'child', { test_clock_id: ownClock, billed_to: payer });
  const prices = [{ when: { model: 'a' }, overage_price: 0.1 }];
  const components = [{ metric_id, group_by: ['model'], prices, maximum_amount: 0.5 }];
  await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 0, components }) });
  await trackCalls(api, customer_id, '2026-11-11T10:00:00Z', 10, { model: 'a' });
  await trackCalls(api, customer_id, '2026-11-06T00:00:00Z', 4, { model: 'new' });
  await landed(api);
  const draft = await draftOf(api, payer);
  expect(itemsOf(draft.held)).toMatchObject([{ metric_id, group: { model: 'new' }, quantity: '4' }]);

  const amounts = (bill: Json | undefined) => linesOf(bill).map(({ type, amount }) => `${type} ${amount}`);
  await advance(api, ownClock, '2026-12-02T00:00:00Z');
  const [november] = await invoicesOf(api, `customer_id=${payer}`);
  expect(amounts(november)).toEqual(['usage 1', 'true_up -0.5']);
  expect([billOf(november), november?.held]).toEqual([billOf(draft), draft.held]);

  await trackCalls(api, customer_id, '2026-11-12T00:00:00Z', 5, { model: 'a' });
  await landed(api);
  const next = await draftOf(api, payer);
  await advance(api, ownClock, '2027-01-02T00:00:00Z');
  const december = (await invoicesOf(api, `customer_id=${payer}`)).at(-1);
  expect(amounts(december)).toEqual(['usage 0', 'late_usage 0.5', 'true_up -0.5']);
  expect(billOf(next)).toEqual(billOf(december));
});
