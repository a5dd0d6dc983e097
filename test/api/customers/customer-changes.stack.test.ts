import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { type Api, itemsOf } from '../../stack/api.ts';
import { eventsOf, makeBilledCustomer, whileAdvancing } from '../../stack/billed-customer.ts';
import { eventually, invoicesOf, makeClock, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeCustomer, makeMetric, track } from '../../stack/resources.ts';
import { advance } from '../../workflows/in-process-clock.ts';

let account: TestAccount;
let api: Api;
let other: Api;

beforeEach(async () => {
  account = await newAccount();
  api = account.api;
  other = (await newAccount()).api;
});

describe('PATCH /api/customers/<id>/', () => {
  test('changes what it names, null included, and leaves the rest (spec/customers#record)', async () => {
    const { customer_id } = await makeCustomer(api, { customer_name: 'Acme', billing_address: { city: 'Bern' } });
    const changes = {
      name: 'Acme AG',
      email: 'new@acme.example',
      default_currency_code: 'chf',
      timezone: 'Europe/Zurich',
      tax_rate: '8.1',
      billing_address: null,
      payment_provider: 'stripe',
      payment_provider_id: 'cus_1',
      metadata: { a: 'b' },
    };
    const changed = await api.patch(`/api/customers/${customer_id}/`, changes);
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body).toMatchObject({
      customer_name: 'Acme AG',
      email: 'new@acme.example',
      default_currency: { code: 'CHF' },
      timezone: 'Europe/Zurich',
      tax_rate: 8.1,
      billing_address: null,
      payment_provider: 'stripe',
      payment_provider_id: 'cus_1',
      metadata: { a: 'b' },
    });
    expect((await api.get(`/api/customers/${customer_id}/`)).body).toEqual(changed.body);
    expect((await api.patch(`/api/customers/${customer_id}/`, {})).body).toEqual(changed.body);
  });

  test('every bad field at once is 422; the id cannot be changed', async () => {
    const { customer_id } = await makeCustomer(api);
    const bad = { customer_id: 'x', email: 'no', tax_rate: 101, timezone: 'Mars/Base', default_currency_code: 'zzz' };
    const refused = await api.patch(`/api/customers/${customer_id}/`, bad);
    expect(refused.status).toBe(422);
    expect(Object.keys(refused.body).sort()).toEqual(Object.keys(bad).sort());
  });

  test('an unknown id, and another account, is 404', async () => {
    const { customer_id } = await makeCustomer(api);
    expect((await api.patch('/api/customers/nobody/', {})).status).toBe(404);
    expect((await other.patch(`/api/customers/${customer_id}/`, { email: 'x@x.example' })).status).toBe(404);
  });

  test('the currency stays once there is a live subscription or an invoice', async () => {
    const customer_id = String((await makeCustomer(api)).customer_id);
    await subscribe(api, { customer_id, plan_id: await makePlan(api) });
    const live = await api.patch(`/api/customers/${customer_id}/`, { default_currency_code: 'eur' });
    expect([live.status, live.body.detail]).toEqual([409, 'The customer has a live subscription in USD.']);

    const billed = await makeBilledCustomer(api);
    const path = `/api/customers/${billed.customerId}/`;
    const refused = await api.patch(path, { default_currency_code: 'eur' });
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'The customer has been invoiced in USD, its currency stays.',
    ]);
    expect((await api.patch(path, { default_currency_code: 'USD', customer_name: 'Same' })).status).toBe(200);
  });

  test('a clock is taken before a customer has lived, and kept after', async () => {
    const clock = await makeClock(api, '2026-01-01T00:00:00Z');
    const customer_id = String((await makeCustomer(api)).customer_id);
    const path = `/api/customers/${customer_id}/`;
    expect((await api.patch(path, { test_clock_id: 'clock_none' })).status).toBe(404);
    expect((await api.patch(path, { test_clock_id: clock })).body.test_clock_id).toBe(clock);
    await whileAdvancing(account, clock, async () => {
      expect((await api.patch(path, { customer_name: 'x' })).status).toBe(409);
    });
    await subscribe(api, { customer_id, plan_id: await makePlan(api) });
    expect((await api.patch(path, { test_clock_id: null })).status).toBe(409);
  });
});

describe('POST /api/customers/<id>/delete/', () => {
  test('ends subscriptions at once without an invoice; invoices stay; the id stays taken (spec/customers#deletion)', async () => {
    const { customerId, clockId, invoices } = await makeBilledCustomer(api, {
      customer: { customer_name: 'Acme', billing_address: { city: 'Bern' }, metadata: { a: 'b' } },
    });
    const [subscription] = itemsOf((await api.get(`/api/customers/${customerId}/`)).body.subscriptions);
    const id = String(subscription?.subscription_id);
    await whileAdvancing(account, clockId, async () => {
      expect((await api.post(`/api/customers/${customerId}/delete/`)).status).toBe(409);
    });
    const deleted = await api.post(`/api/customers/${customerId}/delete/`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);

    for (const path of ['', 'draft_invoice/', 'ledger']) {
      expect((await api.get(`/api/customers/${customerId}/${path}`)).status).toBe(404);
    }
    expect((await api.get('/api/customers/')).body.count).toBe(0);
    expect((await api.patch(`/api/customers/${customerId}/`, {})).status).toBe(404);
    expect((await api.post(`/api/customers/${customerId}/delete/`)).status).toBe(404);
    const again = await api.post('/api/customers/', { customer_id: customerId, email: 'a@acme.example' });
    expect(again.status).toBe(409);
    const plan_id = await makePlan(api);
    expect((await api.post('/api/subscriptions', { customer_id: customerId, plan_id })).status).toBe(404);

    expect((await api.get(`/api/subscriptions/${id}`)).body).toMatchObject({
      status: 'canceled',
      cancel_reason: 'canceled',
      canceled_at: (await api.get(`/api/test-clocks/${clockId}`)).body.frozen_time,
    });
    expect((await eventsOf(`subscription/${id}`)).map(({ type }) => type).at(-1)).toBe('subscription.canceled');
    await advance(api, clockId, '2026-12-01T00:00:00Z');
    const stayed = invoices.map((invoice) => ({ ...invoice, past_due: true }));
    expect(await invoicesOf(api, `customer_id=${customerId}`)).toEqual(stayed);
    await withPostgres(async (postgres) => {
      const sql = 'SELECT customer_name, email, billing_address, metadata FROM customers WHERE account_id = $1';
      const erased = { customer_name: '', email: '', billing_address: null, metadata: {} };
      expect((await postgres.query(sql, [account.accountId])).rows).toEqual([erased]);
    });
  });

  test('an unknown id, and another account, is 404', async () => {
    const { customer_id } = await makeCustomer(api);
    expect((await api.post('/api/customers/nobody/delete/')).status).toBe(404);
    expect((await other.post(`/api/customers/${customer_id}/delete/`)).status).toBe(404);
    expect((await api.get(`/api/customers/${customer_id}/`)).status).toBe(200);
  });

  test('a customer whose clock was deleted can be deleted', async () => {
    const test_clock_id = await makeClock(api, '2026-01-01T00:00:00Z');
    const { customer_id } = await makeCustomer(api, { test_clock_id });
    expect((await api.delete(`/api/test-clocks/${test_clock_id}`)).status).toBe(204);
    expect((await api.post(`/api/customers/${customer_id}/delete/`)).status).toBe(204);
  });

  test('a repeated call with its Idempotency-Key is 204 again; the answer to its creation is forgotten', async () => {
    const body = { customer_id: newId('req'), email: 'me@acme.example' };
    const key = { 'Idempotency-Key': newId('req') };
    expect((await api.post('/api/customers/', body, key)).status).toBe(201);
    const path = `/api/customers/${body.customer_id}/delete/`;
    const calls = [await api.post(path, {}, key), await api.post(path, {}, key)];
    expect(calls.map(({ status }) => status)).toEqual([204, 204]);
    await eventually(
      () => api.post('/api/customers/', body, key),
      ({ status }) => status === 409,
    );
  });

  test('subscriptions and a deletion at once leave nothing live', async () => {
    const { customer_id } = await makeCustomer(api);
    const plans = await Promise.all(Array.from({ length: 12 }, () => makePlan(api)));
    const calls = plans.map((plan_id) => api.post('/api/subscriptions', { customer_id, plan_id }));
    const deletion = await api.post(`/api/customers/${customer_id}/delete/`);
    expect(deletion.status, deletion.text).toBe(204);
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.every((status) => status === 201 || status === 404)).toBe(true);
    const left = await api.get(`/api/subscriptions?customer_id=${customer_id}&status=active`);
    expect(left.body.count).toBe(0);
  });
});

describe('erasure of usage', () => {
  const countOf = async (customerId: unknown) =>
    Number((await api.get(`/api/events?customer_id=${customerId}`)).body.count);

  test('events go, also those that come later; an old id stays a repeat; others keep theirs', async () => {
    const metric = await makeMetric(api);
    const gone = String((await makeCustomer(api)).customer_id);
    const stays = String((await makeCustomer(api)).customer_id);
    const time_created = new Date(Date.now() - 3_600_000).toISOString();
    const id = await track(api, { customer_id: gone, time_created });
    await track(api, { customer_id: gone, time_created });
    await track(api, { customer_id: stays, time_created });
    await landed(api);
    expect([await countOf(gone), await countOf(stays)]).toEqual([2, 1]);
    await track(api, { customer_id: gone, time_created });
    expect((await api.post(`/api/customers/${gone}/delete/`)).status).toBe(204);
    await eventually(
      () => countOf(gone),
      (count) => count === 0,
    );

    // Late ones, and a repeat of an erased one, which is counted for nobody.
    await track(api, { customer_id: gone, time_created });
    await track(api, { customer_id: stays, time_created, idempotency_id: id });
    await landed(api);
    await eventually(
      () => countOf(gone),
      (count) => count === 0,
    );
    expect(await countOf(stays)).toBe(1);
    const received = await api.post('/api/verify-events', { idempotency_ids: [id] });
    expect(received.body.ids_received).toEqual([id]);
    const query = 'start=2020-01-01&end=2100-01-01';
    const usage = (customer: string) =>
      api.get(`/api/metrics/${metric.metric_id}/usage?customer_id=${customer}&${query}`);
    expect((await usage(gone)).status).toBe(404);
    expect((await usage(stays)).body.results).toMatchObject([{ value: 1 }]);
  });
});
