import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { apiWithScopes, newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { api, itemsOf } from '../../stack/api.ts';
import { makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { connect } from '../../stack/processors.ts';
import { landed, makeMetric, track } from '../../stack/resources.ts';
import { advance } from '../../workflows/in-process-clock.ts';
import { entries, requestIdOf } from './audit-log-fixture.ts';

/** Who changed what (spec/audit-log). */

let account: TestAccount;
beforeAll(async () => {
  account = await newAccount();
});

test('an entry says who, from where, and what it was before', async () => {
  const made = await account.api.post('/api/api-keys', { name: 'billing team' });
  const client = api(String(made.body.key));
  await client.post('/api/customers/', { customer_id: 'beta', email: 'old@beta.example', metadata: { crm: '7' } });
  const changed = await client.patch('/api/customers/beta/', { email: 'new@beta.example', tax_rate: 20.5 });
  const [entry, creation] = await entries(account.api, 'customer_id=beta');
  expect(entry).toMatchObject({
    audit_id: expect.stringMatching(/^audit_/),
    at: expect.stringMatching(/Z$/),
    actor: { type: 'key', key_id: made.body.key_id, key_name: 'billing team' },
    action: 'customer.updated',
    resource_type: 'customer',
    resource_id: 'beta',
    customer_id: 'beta',
    before: { customer_id: 'beta', email: 'old@beta.example', tax_rate: 0, metadata: { crm: '7' } },
    after: { customer_id: 'beta', email: 'new@beta.example', tax_rate: 20.5 },
    changes: [
      { field: 'email', before: 'old@beta.example', after: 'new@beta.example' },
      { field: 'tax_rate', before: 0, after: 20.5 },
    ],
    request_id: requestIdOf(changed),
    ip: '127.0.0.1',
  });
  expect(Object.keys(entry?.after ?? {})).not.toContain('invoices');
  expect(creation).toMatchObject({ action: 'customer.created', before: null, after: { email: 'old@beta.example' } });
  expect(creation?.changes).toContainEqual({ field: 'email', before: null, after: 'old@beta.example' });
  expect(creation?.changes.map(({ field }) => field)).not.toContain('billing_address');
});

test('refusals, repeats, questions and events have none', async () => {
  const { api: client } = await newAccount();
  await makeCustomer(client, 'acme');
  const count = async () => (await client.get('/api/audit-log')).body.count;
  const before = Number(await count());
  await client.post('/api/customers/', { customer_id: 'acme', email: 'twice@example.test' });
  await client.post('/api/customers/', { customer_id: 'x' });
  await client.patch('/api/customers/nobody/', { email: 'a@example.test' });
  await client.post('/api/plans', { name: 'Pro', recurring_fee: -1, billing_period: 'monthly' });
  await track(client, { customer_id: 'acme', time_created: new Date().toISOString() });
  await landed(client);
  await client.post('/api/verify-events', { idempotency_ids: ['e-1'] });
  expect(await count()).toBe(before);
  const headers = { 'Idempotency-Key': newId('req') };
  for (let i = 0; i < 3; i++) {
    expect((await client.post('/api/credits', { customer_id: 'acme', amount: 5 }, headers)).status).toBe(201);
  }
  expect(await count()).toBe(before + 1);
  const plan_id = await makePlan(client);
  const id = await subscribe(client, { customer_id: 'acme', plan_id });
  for (let i = 0; i < 2; i++) {
    const canceled = await client.post(`/api/subscriptions/${id}/cancel`, {}, { 'Idempotency-Key': 'once' });
    expect(canceled.status, canceled.text).toBe(200);
  }
  expect((await client.post(`/api/subscriptions/${id}/cancel`)).status).toBe(409);
  expect((await entries(client, `resource_id=${id}`)).map(({ action }) => action)).toEqual([
    'subscription.canceled',
    'subscription.created',
  ]);
});

test('of changes at once each begins where another ended', async () => {
  const { api: client } = await newAccount();
  await makeCustomer(client, 'acme');
  const rates = Array.from({ length: 12 }, (_, i) => i + 1);
  await Promise.all(rates.map((tax_rate) => client.patch('/api/customers/acme/', { tax_rate })));
  const changes = (await entries(client, 'action=customer.updated')).flatMap((entry) => entry.changes);
  const [befores, afters] = [changes.map(({ before }) => Number(before)), changes.map(({ after }) => Number(after))];
  const last = Number((await client.get('/api/customers/acme')).body.tax_rate);
  expect(afters.toSorted((a, b) => a - b)).toEqual(rates);
  expect(befores.toSorted((a, b) => a - b)).toEqual([0, ...rates.filter((rate) => rate !== last)]);
});

test('what a person does from the console, the operator by a command, and time by itself is told apart', async () => {
  const { key, accountId, api: client } = await newAccount();
  expect((await entries(client)).map(({ actor, action }) => [actor.type, actor.key_id, action])).toEqual([
    ['cli', null, 'api_key.created'],
    ['cli', null, 'account.created'],
  ]);
  const logIn = await api(null).post('/console/session', { api_key: key });
  const Cookie = String(logIn.headers.get('set-cookie')).split(';')[0] ?? '';
  const headers = { Cookie, 'X-CSRF-Token': String(logIn.body.csrf_token) };
  await api(null).patch('/api/account', { name: 'Renamed' }, headers);
  await api(null).delete('/console/session', undefined, headers);
  const [ended, renamed, began] = await entries(client);
  expect([ended?.action, renamed?.action, began?.action]).toEqual([
    'session.deleted',
    'account.updated',
    'session.created',
  ]);
  for (const entry of [ended, renamed, began]) {
    expect(entry?.actor).toMatchObject({
      type: 'console',
      key_id: expect.stringMatching(/^key_/),
      key_name: 'first key',
    });
    expect(entry?.ip).toBe('127.0.0.1');
  }
  expect([renamed?.resource_id, began?.resource_id]).toEqual([accountId, ended?.resource_id]);
  expect(JSON.stringify(began)).not.toContain(Cookie.split('=')[1]);

  const clockId = await makeClock(client, '2026-01-01T00:00:00Z');
  await makeCustomer(client, 'acme', { test_clock_id: clockId });
  const plan_id = await makePlan(client);
  const id = await subscribe(client, { customer_id: 'acme', plan_id, end_date: '2026-03-15' });
  await advance(client, clockId, '2026-04-15T00:00:00Z');
  const life = await entries(client, `resource_id=${id}`);
  expect(life.map(({ actor, action, ip }) => [actor.type, action, ip])).toEqual([
    ['system', 'subscription.canceled', null],
    ['system', 'subscription.renewed', null],
    ['system', 'subscription.renewed', null],
    ['key', 'subscription.created', '127.0.0.1'],
  ]);
  expect(life[0]?.changes).toContainEqual({ field: 'status', before: 'active', after: 'canceled' });
  expect(life[2]?.changes.map(({ field }) => field)).toEqual([
    'current_period_start',
    'current_period_end',
    'current_usage_period_start',
    'current_usage_period_end',
  ]);
  const issued = await entries(client, 'action=invoice.created');
  expect(issued.map(({ actor, customer_id }) => [actor.type, customer_id])).toEqual([
    ['system', 'acme'],
    ['system', 'acme'],
    ['system', 'acme'],
  ]);
});

test('what was planned has an entry for each invoice that it makes; what is called has one in all', async () => {
  const { api: client } = await newAccount();
  const clockId = await makeClock(client, '2026-03-01T00:00:00Z');
  const act = async (id: string, path: string, body: object) => {
    const answer = await client.post(`/api/subscriptions/${id}/${path}`, body);
    expect(answer.status, answer.text).toBe(200);
  };
  const subscriber = async (customer_id: string, start_date?: string) => {
    await makeCustomer(client, customer_id, { test_clock_id: clockId });
    const plan_id = await makePlan(client, { charge_timing: start_date ? 'in_advance' : 'in_arrears' });
    return subscribe(client, { customer_id, plan_id, start_date });
  };
  await subscriber('activated', '2026-03-05');
  await act(await subscriber('canceled'), 'cancel', { cancel_at: '2026-03-10' });
  const switched = { new_plan_id: await makePlan(client, { recurring_fee: 58 }), invoicing_behavior: 'invoice_now' };
  await act(await subscriber('switched'), 'switch_plan', { ...switched, effective_date: '2026-03-10' });
  const resumed = await subscriber('resumed');
  const called = await subscriber('called');
  await advance(client, clockId, '2026-03-11T00:00:00Z');
  await act(resumed, 'pause', { resumes_at: '2026-04-10' });
  await act(called, 'cancel', { cancel_at: 'immediately', invoicing_behavior: 'invoice_now' });
  await advance(client, clockId, '2026-04-11T00:00:00Z');
  const invoicesOf = async (customerId: string) => {
    const { body } = await client.get(`/api/invoices?customer_id=${customerId}`);
    return itemsOf(body.results).map(({ invoice_id }) => String(invoice_id));
  };
  for (const customer_id of ['activated', 'canceled', 'switched', 'resumed']) {
    const invoices = await invoicesOf(customer_id);
    const told = await entries(client, `action=invoice.created&customer_id=${customer_id}`);
    expect(invoices.length, customer_id).toBeGreaterThan(0);
    expect(told.map(({ resource_id }) => resource_id).toSorted(), customer_id).toEqual(invoices.toSorted());
    expect(told.every(({ actor }) => actor.type === 'system')).toBe(true);
  }
  expect(await invoicesOf('called')).toHaveLength(1);
  expect(await entries(client, 'action=invoice.created&customer_id=called')).toEqual([]);
});

test('of a customer that is erased nothing personal is left', async () => {
  const { accountId, api: client } = await newAccount();
  const personal = {
    customer_name: 'Ada Lovelace',
    email: 'ada@lovelace.example',
    billing_address: { line1: '12 St James Square', city: 'London' },
    metadata: { crm: 'LOVELACE-1' },
  };
  await makeCustomer(client, 'ada', personal);
  await client.patch('/api/customers/ada/', { email: 'countess@lovelace.example', tax_rate: 20 });
  const charge_timing = 'in_advance';
  await subscribe(client, { customer_id: 'ada', plan_id: await makePlan(client, { charge_timing }) });
  expect((await client.post('/api/customers/ada/delete/')).status).toBe(204);
  const [invoice] = itemsOf((await client.get('/api/invoices?customer_id=ada')).body.results);
  expect((await client.post(`/api/invoices/${invoice?.invoice_id}/mark_paid`)).status).toBe(200);

  const all = await entries(client, 'customer_id=ada');
  expect(all.map(({ action }) => action)).toEqual([
    'invoice.marked_paid',
    'customer.deleted',
    'subscription.created',
    'customer.updated',
    'customer.created',
  ]);
  expect(all[3]?.changes).toEqual([
    { field: 'email', before: '[erased]', after: '[erased]' },
    { field: 'tax_rate', before: 0, after: 20 },
  ]);
  expect(all[1]).toMatchObject({
    before: { customer_id: 'ada', email: '[erased]', metadata: '[erased]' },
    after: null,
  });
  const stored = await withPostgres(async (postgres) => {
    const sql = 'SELECT e::text AS row FROM audit_entries e WHERE account_id = $1';
    return (await postgres.query<{ row: string }>(sql, [accountId])).rows.map(({ row }) => row).join();
  });
  expect(stored).not.toMatch(/lovelace|St James/i);
});

test('it is read by admins, by each filter, and shows nothing of other accounts', async () => {
  const { api: client, ...own } = await newAccount();
  const other = await newAccount();
  await makeCustomer(client, 'acme');
  const { metric_id } = await makeMetric(client);
  await client.patch(`/api/metrics/${metric_id}`, { metric_name: 'renamed' });
  const [newest] = await entries(client);
  const actions = async (query: string) => (await entries(client, query)).map(({ action }) => action);
  expect(await actions(`audit_id=${newest?.audit_id}`)).toEqual(['metric.updated']);
  expect(await actions(`resource_id=${metric_id}`)).toEqual(['metric.updated', 'metric.created']);
  expect(await actions(`action=metric.created&resource_id=${metric_id}`)).toEqual(['metric.created']);
  expect(await actions('customer_id=acme')).toEqual(['customer.created']);
  expect(await actions(`key_id=${newest?.actor.key_id}`)).toEqual([
    'metric.updated',
    'metric.created',
    'customer.created',
  ]);
  expect(await actions(`start=${newest?.at}`)).toEqual(['metric.updated']);
  expect(await actions(`end=${newest?.at}&action=metric.updated`)).toEqual([]);
  expect(await actions('start=2199-01-01')).toEqual([]);
  expect((await client.get('/api/audit-log?end=yesterday')).status).toBe(422);
  const paged = await client.get('/api/audit-log?page_size=2&page=2');
  expect([paged.body.count, paged.body.next !== null, paged.body.previous !== null]).toEqual([5, true, true]);

  expect((await entries(other.api, `audit_id=${newest?.audit_id}`)).length).toBe(0);
  const reader = await apiWithScopes({ ...own, api: client }, ['read', 'write', 'events:write']);
  expect((await reader.get('/api/audit-log')).status).toBe(403);
});

test('an owner who connects a processor comes back without a key: it is the service that notes it', async () => {
  const { api: client, ...own } = await newAccount();
  await connect({ ...own, api: client }, newId('acct').replaceAll('_', ''));
  const [connected, asked] = await entries(client);
  expect([connected?.action, connected?.actor.type]).toEqual(['payment_provider.connected', 'system']);
  expect(connected?.changes).toContainEqual({ field: 'connected', before: false, after: true });
  expect([asked?.action, asked?.actor.type]).toEqual(['payment_provider.connection_requested', 'key']);
});
