import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric, track } from '../../stack/resources.ts';
import { waitUntil } from '../../stack/wait-until.ts';
import { advance } from '../../workflows/in-process-clock.ts';

type Traced = {
  status: string;
  event: { customer_id: string } | null;
  repeats: string;
  repeats_differing: string;
  metrics: { metric_id: string; counts: string; because: string | null }[];
  billed_in: Record<string, unknown>[];
  unpriced: Record<string, unknown>[];
  reason: string | null;
};

let account: TestAccount;
let calls: string;
beforeAll(async () => {
  account = await newAccount();
  const filters = { numeric_filters: [{ property_name: 'bytes', operator: 'gt', comparison_value: 0 }] };
  calls = String((await makeMetric(account.api, filters)).metric_id);
});

async function traced(idempotencyId: string, { api } = account): Promise<Traced> {
  const answer = await api.get(`/api/events/trace?idempotency_id=${encodeURIComponent(idempotencyId)}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.exact as unknown as Traced;
}

const send = (customer_id: string, time_created: string, more: object = {}, { api } = account) =>
  track(api, { customer_id, time_created, properties: { bytes: 1 }, ...more });

/** A customer on a test clock from March on, with a plan that bills calls unless `components` says otherwise. */
async function billed(customerId: string, components: object[] = [{ metric_id: calls, overage_price: 0.5 }]) {
  const clock = await makeClock(account.api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(account.api, customerId, { test_clock_id: clock });
  const subscription = await subscribe(account.api, {
    customer_id,
    plan_id: await makePlan(account.api, { components }),
  });
  return { clock, subscription };
}

test('from the draft to the invoice, the void one too; late usage; repeats', async () => {
  const { clock, subscription } = await billed('acme');
  const id = await send('acme', '2026-03-05T09:00:00Z');
  for (let i = 0; i < 3; i++) await send('acme', '2026-03-05T09:00:00Z', { idempotency_id: id });
  await landed(account.api);
  const noBook = { group: null, price_id: null };
  const line = { type: 'usage', metric_id: calls, subscription_id: subscription, amount: '0.5', ...noBook };
  const drafted = { invoice_id: null, invoice_number: null, status: 'draft', line_id: null, ...line };
  const first = await traced(id);
  expect(first).toEqual({
    ...{ idempotency_id: id, status: 'landed', repeats: '3', repeats_differing: '0', reason: null },
    event: expect.objectContaining({ idempotency_id: id, customer_id: 'acme' }),
    metrics: [{ metric_id: calls, metric_name: expect.any(String), counts: true, because: null }],
    billed_in: [drafted],
    unpriced: [],
  });

  await advance(account.api, clock, '2026-04-01T00:00:00Z');
  const late = await send('acme', '2026-03-06T09:00:00Z');
  await landed(account.api);
  const [invoice] = await invoicesOf(account.api, 'customer_id=acme');
  const issued = {
    ...{ invoice_id: invoice?.invoice_id, invoice_number: invoice?.invoice_number, status: 'open' },
    ...{ line_id: expect.stringMatching(/^line_/), ...line },
  };
  expect((await traced(id)).billed_in).toEqual([issued]);
  expect((await traced(late)).billed_in).toEqual([{ ...drafted, type: 'late_usage' }]);
  expect((await account.api.post(`/api/invoices/${invoice?.invoice_id}/void`)).status).toBe(200);
  expect(await traced(id)).toMatchObject({ billed_in: [{ ...issued, status: 'void' }], reason: 'voided' });
});

/** Of all accounts: other tests send repeats beside this one. */
async function countedByMetric(): Promise<number> {
  const { text } = await account.api.get('/metrics');
  return Number(/^meterbook_repeats_differing_total(?:\{.*\})? (\d+)$/m.exec(text)?.[1]);
}

test('repeats that differ from the event are counted apart, by the trace and by the metric', async () => {
  const before = await countedByMetric();
  const first = { customer_id: 'acme', idempotency_id: 'told apart', time_created: '2026-03-05T09:00:00.000Z' };
  const sendText = async (more: object, properties: string) => {
    const event = JSON.stringify({ event_name: 'api_call', ...first, ...more, properties: {} });
    const body = event.replace('"properties":{}', `"properties":${properties}`);
    const answer = await account.api.post('/api/track', body);
    expect(answer.status, answer.text).toBe(200);
  };
  const properties = '{"bytes":1,"region":"eu","isNew":true}';
  await sendText({}, properties);
  await landed(account.api);
  const repeats: [differing: number, more: object, properties: string][] = [
    [0, {}, properties],
    [0, {}, '{"isNew":true,"region":"eu","bytes":1.00}'],
    [0, {}, '{"region":"eu","bytes":10e-1,"isNew":true}'],
    [0, { time_created: '2026-03-05T10:00:00.0004+01:00' }, properties],
    [1, { time_created: '2026-03-05T09:00:00.001Z' }, properties],
    [1, { customer_id: 'other' }, properties],
    [1, { event_name: 'other' }, properties],
    [1, {}, '{"bytes":2,"region":"eu","isNew":true}'],
    [1, {}, '{"bytes":"1","region":"eu","isNew":true}'],
    [1, {}, '{"bytes":1,"region":"eu","isNew":"true"}'],
    [1, {}, '{"bytes":1,"region":"eu"}'],
    [1, {}, '{}'],
  ];
  let differing = 0;
  for (const [i, [differs, more, sent]] of repeats.entries()) {
    await sendText(more, sent);
    await landed(account.api);
    differing += differs;
    const counted = { repeats: String(i + 1), repeats_differing: String(differing) };
    expect(await traced('told apart'), `${JSON.stringify(more)} ${sent}`).toMatchObject(counted);
  }
  await waitUntil(countedByMetric, (count) => count >= before + differing);
  expect((await traced('told apart')).event).toMatchObject({ customer_id: 'acme', properties: { bytes: '1' } });
});

test('a line at 0 counts it too', async () => {
  await billed('free', [{ metric_id: calls, overage_price: 0.5, free_tier: 100 }]);
  const id = await send('free', '2026-03-05T09:00:00Z');
  await landed(account.api);
  expect((await traced(id)).billed_in).toMatchObject([{ status: 'draft', amount: '0' }]);
});

describe('why nothing bills it', () => {
  test('no metric of its name, a filter, no subscription, not in the plan', async () => {
    await billed('flat', []);
    await makeCustomer(account.api, 'idle');
    const cases: [string, object, string, string | null][] = [
      ['flat', { event_name: 'other' }, 'no_metric', 'event_name'],
      ['flat', { properties: { bytes: 0 } }, 'filtered', 'numeric_filters.0'],
      ['nobody', {}, 'no_subscription', null],
      ['idle', {}, 'no_subscription', null],
      ['flat', {}, 'not_in_plan', null],
    ];
    for (const [customer, more, reason, because] of cases) {
      const id = await send(customer, '2026-03-05T09:00:00Z', more);
      await landed(account.api);
      const { metrics, ...trace } = await traced(id);
      expect(trace).toMatchObject({ status: 'landed', billed_in: [], reason });
      expect(metrics).toEqual([
        { metric_id: calls, metric_name: expect.any(String), counts: because === null, because },
      ]);
    }
  });

  test('it happened in a pause', async () => {
    const { clock, subscription } = await billed('pausing');
    await advance(account.api, clock, '2026-03-04T00:00:00Z');
    expect((await account.api.post(`/api/subscriptions/${subscription}/pause`)).status).toBe(200);
    await advance(account.api, clock, '2026-03-10T00:00:00Z');
    const id = await send('pausing', '2026-03-05T09:00:00Z');
    await landed(account.api);
    expect(await traced(id)).toMatchObject({ billed_in: [], reason: 'paused' });
  });

  test('it came late, and that is ignored', async () => {
    const own = await newAccount();
    await own.api.patch('/api/account', { late_usage: 'ignore' });
    const metric_id = (await makeMetric(own.api)).metric_id;
    const clock = await makeClock(own.api, '2026-03-01T00:00:00Z');
    const customer_id = await makeCustomer(own.api, 'late', { test_clock_id: clock });
    const plan_id = await makePlan(own.api, { components: [{ metric_id, overage_price: 1 }] });
    await subscribe(own.api, { customer_id, plan_id });
    await advance(own.api, clock, '2026-04-02T00:00:00Z');
    const id = await send('late', '2026-03-05T09:00:00Z', {}, own);
    await landed(own.api);
    expect(await traced(id, own)).toMatchObject({ billed_in: [], reason: 'late_ignored' });
  });

  test('nothing does: its period has not begun', async () => {
    await billed('early');
    const id = await send('early', '2026-05-20T09:00:00Z');
    await landed(account.api);
    expect(await traced(id)).toMatchObject({ billed_in: [], reason: null });
  });
});

test('an id that was never sent is 404, as that of another account; without one 422', async () => {
  const id = await send('acme', '2026-03-07T09:00:00Z');
  await landed(account.api);
  const other = await newAccount();
  for (const [{ api }, wanted] of [
    [account, 'never sent'],
    [other, id],
  ] as const) {
    expect((await api.get(`/api/events/trace?idempotency_id=${encodeURIComponent(wanted)}`)).status).toBe(404);
  }
  expect((await account.api.get('/api/events/trace')).body).toEqual({ idempotency_id: ['Required.'] });
});
