import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { type Answer, api, itemsOf, type Json, stack } from '../../stack/api.ts';
import { makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric, track } from '../../stack/resources.ts';
import { waitUntil } from '../../stack/wait-until.ts';

/** Links by which customers see their own billing (spec/portal). */

let account: TestAccount;
let metricId: string;
let invoices: Record<string, Json>;
beforeAll(async () => {
  account = await newAccount();
  const { api: client } = account;
  metricId = String(
    (await makeMetric(client, { event_name: 'call', is_cost_metric: true, unit_cost: 0.25 })).metric_id,
  );
  const components = [{ metric_id: metricId, overage_price: 0.5 }];
  const plan_id = await makePlan(client, { components, charge_timing: 'in_advance', metadata: { margin: 'high' } });
  const clock = await makeClock(client, '2026-01-01T00:00:00Z');
  for (const id of ['ada', 'bob']) {
    const metadata = { crm: `secret-${id}` };
    await makeCustomer(client, id, { customer_name: `Name of ${id}`, metadata, test_clock_id: clock });
    await subscribe(client, { customer_id: id, plan_id, metadata });
    await client.post('/api/credits', { customer_id: id, amount: 1, description: `credit of ${id}` });
    await track(client, { event_name: 'call', customer_id: id, time_created: '2026-01-02T00:00:00Z' });
  }
  await landed(client);
  const listed = await Promise.all(['ada', 'bob'].map((id) => client.get(`/api/invoices?customer_id=${id}`)));
  const [ada = {}, bob = {}] = listed.map(({ body }) => itemsOf(body.results)[0] ?? {});
  invoices = { ada, bob };
});

const makeLink = async (body: object = {}, id = 'ada') => {
  const answer = await account.api.post(`/api/customers/${id}/portal_link`, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
/** Asks as the customer's browser does, which has no key. */
const ask = (url: unknown, path: string) => api(null).get(`${new URL(String(url)).pathname}/api/${path}`);
const outcome = ({ status, body }: Answer) => [status, body.detail, body.code];

test('a link says whose it is and how long, tells its address once, and is listed without', async () => {
  const before = Date.now();
  const link = await makeLink({ expires_in_seconds: 60 }, 'bob');
  expect(link).toEqual({
    portal_link_id: expect.stringMatching(/^linkt_/),
    customer_id: 'bob',
    url: expect.stringContaining(`${stack().base_url}/portal/`),
    created_at: expect.any(String),
    expires_at: expect.any(String),
  });
  const [created, expires] = [Date.parse(String(link.created_at)), Date.parse(String(link.expires_at))];
  expect([created >= before - 1_000, expires - created]).toEqual([true, 60_000]);
  const [id, expiry, signature] = String(link.url).split('/portal/')[1]?.split('.') ?? [];
  expect([id, Number(expiry), signature]).toEqual([
    link.portal_link_id,
    Math.ceil(expires / 1_000),
    expect.stringMatching(/^[\w-]{43}$/),
  ]);
  const { url: _url, ...head } = link;
  const { body } = await account.api.get('/api/customers/bob/portal_links');
  expect(itemsOf(body.results)).toEqual([{ ...head, revoked_at: null }]);
  for (const bad of [0, 2_592_001, 1.5, 'x']) {
    const answer = await account.api.post('/api/customers/bob/portal_link', { expires_in_seconds: bad });
    expect([bad, answer.status]).toEqual([bad, 422]);
  }
  expect((await account.api.post('/api/customers/nobody/portal_link')).status).toBe(404);
});

test('it says who sends the invoices, and nothing else of the account', async () => {
  const { url } = await makeLink();
  const { name } = (await account.api.get('/api/account')).body;
  expect((await ask(url, 'issuer')).body).toEqual({ name });
});

test('it shows what the API answers about its customer, without what the account keeps for itself', async () => {
  const { url } = await makeLink();
  const ada = invoices.ada;
  const lineId = String(itemsOf(ada?.lines)[0]?.line_id);
  const usage = 'start=2026-01-01&end=2026-01-31';
  const [subscription] = itemsOf((await account.api.get('/api/subscriptions?customer_id=ada')).body.results);
  const line = `subscription_id=${subscription?.subscription_id}&metric_id=${metricId}`;
  const same: [string, string][] = [
    ['customer', '/api/customers/ada/'],
    ['subscriptions', '/api/subscriptions?customer_id=ada'],
    ['credits', '/api/credits?customer_id=ada'],
    ['credit_balance', '/api/customers/ada/credit_balance'],
    ['draft_invoice', '/api/customers/ada/draft_invoice/'],
    [`draft_invoice/explain?${line}`, `/api/customers/ada/draft_invoice/explain?${line}`],
    [`usage?metric_id=${metricId}&${usage}`, `/api/metrics/${metricId}/usage?customer_id=ada&${usage}`],
    ['invoices', '/api/invoices?customer_id=ada'],
    [`invoices/${ada?.invoice_id}`, `/api/invoices/${ada?.invoice_id}`],
    [`invoices/${ada?.invoice_number}`, `/api/invoices/${ada?.invoice_id}`],
    [`invoices/${ada?.invoice_id}/lines/${lineId}/explain`, `/api/invoices/${ada?.invoice_id}/lines/${lineId}/explain`],
  ];
  for (const [path, of] of same) {
    const [shown, answered] = [await ask(url, path), await account.api.get(of)];
    expect([path, shown.status, answered.status]).toEqual([path, 200, 200]);
    const asOf = new Date().toISOString();
    expect(without({ ...shown.exact, ...('as_of' in shown.exact && { as_of: asOf }) })).toEqual(
      without({ ...answered.exact, ...('as_of' in answered.exact && { as_of: asOf }) }),
    );
    expect(shown.text).not.toMatch(/metadata|test_clock_id|cost|secret-|bob/);
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect(shown.headers.get('referrer-policy')).toBe('no-referrer');
  }
  const pdf = await ask(url, `invoices/${ada?.invoice_id}/pdf`);
  expect([pdf.status, pdf.headers.get('content-type'), pdf.headers.get('cache-control')]).toEqual([
    200,
    'application/pdf',
    'no-store',
  ]);
  expect(pdf.text.startsWith('%PDF')).toBe(true);
});

/** What the API keeps for the account, left out at any depth. */
function without(value: unknown): unknown {
  const internal = /^(metadata|test_clock_id|is_cost_metric|unit_cost|billed_to|is_billed_to_another)$/;
  return JSON.parse(JSON.stringify(value, (key, one) => (internal.test(key) ? undefined : one)));
}

test('a link of a customer that another pays for says so, and not who', async () => {
  const { api: client } = account;
  await makeCustomer(client, 'payer-of-mia');
  await makeCustomer(client, 'mia', { billed_to: 'payer-of-mia' });
  await subscribe(client, { customer_id: 'mia', plan_id: await makePlan(client, { recurring_fee: 30 }) });
  const { url } = await makeLink({}, 'mia');
  const views = ['customer', 'subscriptions', 'credits', 'credit_balance', 'draft_invoice', 'invoices'];
  const shown = await Promise.all(views.map((view) => ask(url, view)));
  for (const [i, { status, text }] of shown.entries()) {
    expect([views[i], status, text.includes('payer-of-mia')]).toEqual([views[i], 200, false]);
  }
  expect(shown[0]?.body).toMatchObject({ customer_id: 'mia', is_billed_to_another: true });
  const { url: own } = await makeLink();
  expect((await ask(own, 'customer')).body.is_billed_to_another).toBe(false);
});

test('lists are the customer’s own, page by page, and lead on within the link', async () => {
  const { url } = await makeLink();
  await account.api.post('/api/credits', { customer_id: 'ada', amount: 2 });
  const first = await ask(url, 'credits?page_size=1');
  expect([first.body.count, itemsOf(first.body.results).length]).toEqual([2, 1]);
  expect(String(first.body.next).startsWith(`${url}/api/credits?page_size=1&page=2&after=`)).toBe(true);
  const second = await api(null).get(
    new URL(String(first.body.next)).pathname + new URL(String(first.body.next)).search,
  );
  expect(itemsOf(second.body.results).map(({ description }) => description)).toEqual(['credit of ada']);
});

test('nothing of anybody else, whatever is asked', async () => {
  const { url } = await makeLink();
  const bob = invoices.bob;
  const line = itemsOf(bob?.lines)[0]?.line_id;
  const foreign = await makeMetric(account.api, { event_name: 'other' });
  const paths = [
    `invoices/${bob?.invoice_id}`,
    `invoices/${bob?.invoice_number}`,
    `invoices/${bob?.invoice_id}/pdf`,
    `invoices/${bob?.invoice_id}/lines/${line}/explain`,
    `invoices/${invoices.ada?.invoice_id}/lines/${line}/explain`,
    'invoices/no-such-id',
    'invoices/a%00b',
    `usage?metric_id=${foreign.metric_id}&start=2026-01-01&end=2026-01-31`,
    'usage?metric_id=no-such-id&start=2026-01-01&end=2026-01-31',
    'ledger',
    'api-keys',
    '../../api/customers',
  ];
  for (const path of paths) expect([path, (await ask(url, path)).status]).toEqual([path, 404]);
  for (const query of [
    'customer?customer_id=bob',
    'credits?customer_id=bob',
    'draft_invoice?x=1',
    'invoices?status=open',
  ]) {
    expect([query, (await ask(url, query)).status]).toEqual([query, 422]);
  }
  const { pathname } = new URL(String(url));
  const posted = await api(null).post(`${pathname}/api/customer`, {});
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
  // It opens nothing but the portal.
  const token = pathname.split('/')[2] ?? '';
  expect((await api(token).get('/api/customers/ada')).status).toBe(401);
});

test('expired is 410; altered, unknown, revoked and erased are 404, all alike', async () => {
  const { api: client } = account;
  await makeCustomer(client, 'eve');
  const [short, revoked, kept, erased] = [
    await makeLink({ expires_in_seconds: 1 }),
    await makeLink(),
    await makeLink(),
    await makeLink({}, 'eve'),
  ];
  const expired = await waitUntil(
    () => ask(short.url, 'customer'),
    ({ status }) => status !== 200,
  );
  expect([expired.status, expired.body.code]).toEqual([410, 'gone']);

  const revoke = (body: object) => client.post('/api/customers/ada/portal_links/revoke', body);
  const named = { portal_link_id: revoked.portal_link_id };
  expect((await revoke(named)).body).toEqual({ revoked: 1 });
  expect((await revoke(named)).body).toEqual({ revoked: 0 });
  expect((await revoke({ portal_link_id: short.portal_link_id })).body).toEqual({ revoked: 0 });
  expect((await revoke({ portal_link_id: erased.portal_link_id })).status).toBe(404);
  expect((await client.post('/api/customers/eve/delete/')).status).toBe(204);

  const [id = '', expiry = '', signature = ''] = String(kept.url).split('/portal/')[1]?.split('.') ?? [];
  const other = String(revoked.portal_link_id);
  const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
  const base = `${stack().base_url}/portal`;
  const useless = [
    revoked.url,
    erased.url,
    `${base}/${id}.${Number(expiry) + 1}.${signature}`,
    `${base}/${other}.${expiry}.${signature}`,
    `${base}/${id}.${expiry}.${flipped}`,
    `${base}/${id}.${expiry}.`,
    `${base}/${id}.${expiry}`,
    `${base}/linkt_nobody.${expiry}.${signature}`,
    `${base}/x`,
  ];
  const answers = await Promise.all(useless.map((url) => ask(url, 'customer')));
  expect(answers.map(outcome)).toEqual(useless.map(() => outcome(answers[0] as Answer)));
  expect(answers[0]?.status).toBe(404);

  expect((await ask(kept.url, 'customer')).status).toBe(200);
  const all = await revoke({});
  expect(Number(all.body.revoked)).toBeGreaterThan(0);
  expect((await ask(kept.url, 'customer')).status).toBe(404);
  expect((await revoke({})).body).toEqual({ revoked: 0 });
});

test('of one link more than 20 requests in a second are too many; another link goes on', async () => {
  const [flooded, other] = [await makeLink(), await makeLink()];
  const answers = await Promise.all(Array.from({ length: 120 }, () => ask(flooded.url, 'customer')));
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.headers.get('retry-after')).toBe('1');
  expect((await ask(other.url, 'customer')).status).toBe(200);
});

test('no row and no log has what opens a link', async () => {
  const headers = { 'Idempotency-Key': 'link-of-ada' };
  const made = await account.api.post('/api/customers/ada/portal_link', {}, headers);
  const again = await account.api.post('/api/customers/ada/portal_link', {}, headers);
  expect(again.body).toEqual(made.body);
  expect((await ask(made.body.url, 'customer')).status).toBe(200);
  const signature = String(made.body.url).split('.').at(-1) ?? '';
  const rows = await withPostgres(async (postgres) => {
    const of = (table: string) => `SELECT t::text AS row FROM ${table} t WHERE account_id = '${account.accountId}'`;
    const sql = ['portal_links', 'operations', 'audit_entries', 'outbox_events'].map(of).join(' UNION ALL ');
    return (await postgres.query<{ row: string }>(sql)).rows.map(({ row }) => row).join();
  });
  expect(rows).toContain(String(made.body.portal_link_id));
  expect(rows).not.toContain(signature);
  const logs = join(inject('dataDir'), 'logs');
  const lines = readdirSync(logs).map((file) => readFileSync(join(logs, file), 'utf8'));
  expect(lines.join()).toContain('/portal/-/api/customer');
  expect(lines.join()).not.toContain(signature);
});
