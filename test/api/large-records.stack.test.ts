import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Pool } from '../../sql/postgres/postgres.ts';
import { startOwnGateway } from '../console/own-gateway.ts';
import { howMany } from '../how-many.ts';
import { newAccount, type TestAccount, withPostgres } from '../stack/accounts.ts';
import { itemsOf } from '../stack/api.ts';
import { landed, makeCustomer, makeMetric, makePlan, posted } from '../stack/resources.ts';

/**
 * Reads and changes the largest records there can be, and several large records at once, through an API with a third of the usual heap
 * (spec/api#large-members).
 */
const HEAP_MB = 128;
const LARGEST_ANSWER = 8 * 2 ** 20;
/** Calls at once. The thorough run makes as many as an account may have (`operations/fair-shares.md`). */
const AT_ONCE = howMany(6, 32);

/** Price books of a plan, each with as many rows as it may have. */
const BOOKS = ['a', 'b', 'c', 'd', 'e'];
const ROWS = 1_000;
/** Lines of invoices: more than an answer may have, just as many, and those of each invoice of a crowd. */
const LINES = { tooMany: 50_000, fitting: 15_000, ofCrowd: 2_000 };
/** Whose drafts have so many lines, and who has so many subscriptions. */
const DRAFTS = { 'too-many-lines': 12_000, 'many-lines': 4_000, 'crowd-of-lines': 1_000 };
const SUBSCRIPTIONS = { 'many-subscriptions': 5_000, 'crowd-of-subscriptions': 800 };

/** The tables of which copySubscription copies rows, and the column that its copies differ in. */
const COPIED = [
  ['periods', 'subscription_id'],
  ['subscriptions', 'subscription_id'],
  ['plan_versions', 'version_id'],
  ['plans', 'plan_id'],
] as const;

let own: Awaited<ReturnType<typeof startOwnGateway>>;
let account: TestAccount;
let pid: number | null;
let planIds: string[];
let invoiceIds: string[];
/** Records whose answers are small. */
let small: Record<'plan' | 'customer' | 'invoice', string>;

beforeAll(async () => {
  own = await startOwnGateway({ heapMb: HEAP_MB });
  account = await newAccount({ at: own.file });
  const { api } = account;
  const metrics = await Promise.all(BOOKS.map(() => makeMetric(api)));
  const components = metrics.map(({ metric_id }) => {
    return { metric_id, group_by: ['model'], prices: [{ when: {}, overage_price: 1 }] };
  });
  [planIds, invoiceIds] = [[], []];
  for (let i = 0; i <= AT_ONCE; i++) {
    const charge_timing = 'in_advance';
    const { plan_id } = await makePlan(api, { ...(i < AT_ONCE && { components }), charge_timing });
    const { customer_id } = await makeCustomer(api);
    await posted(api, '/api/subscriptions', { customer_id, plan_id });
    const [invoice] = itemsOf((await api.get(`/api/invoices?customer_id=${customer_id}`)).body.results);
    small = { plan: String(plan_id), customer: String(customer_id), invoice: String(invoice?.invoice_id) };
    planIds.push(small.plan);
    invoiceIds.push(small.invoice);
  }
  planIds.pop();
  invoiceIds.pop();
  const { plan_id } = await makePlan(api, { recurring_fee: 0, components: components.slice(0, 1) });
  for (const customer_id of [...Object.keys(DRAFTS), ...Object.keys(SUBSCRIPTIONS)]) {
    await makeCustomer(api, { customer_id });
    await posted(api, '/api/subscriptions', { customer_id, plan_id });
  }
  for (const [customerId, models] of Object.entries(DRAFTS)) await useModels(customerId, models);
  await landed(api);
  await withPostgres(async (postgres) => {
    await addRows(postgres);
    await addLines(postgres);
  });
  pid = own.apiPid();
}, 240_000);
afterAll(() => own?.stop());

/** Sends an event of each of so many models. */
async function useModels(customer_id: string, models: number): Promise<void> {
  const time_created = new Date().toISOString();
  for (let from = 0; from < models; from += 5_000) {
    const events = Array.from({ length: Math.min(5_000, models - from) }, (_, i) => {
      const model = `model-${from + i}`;
      const idempotency_id = `${customer_id} ${model}`;
      return { event_name: 'call', customer_id, idempotency_id, time_created, properties: { model } };
    });
    await posted(account.api, '/api/events/batch', { events });
  }
}

/** Of the first plan rows with long texts, so that it just fits into an answer; the others share those of the second, as versions of a plan do. */
async function addRows(postgres: Pool): Promise<void> {
  for (const [planId, length] of [
    [planIds[0], 1_000],
    [planIds[1], 20],
  ]) {
    await postgres.query(
      `INSERT INTO price_rows (account_id, version_id, metric_id, price_id, when_texts, free_tier, pricing_model, overage_price)
       SELECT p.account_id, p.version_id, p.metric_id, p.price_id || i, jsonb_build_object('model', repeat('m', $4::int) || i), 0, 'per_unit', 1
       FROM price_rows p JOIN plan_versions v USING (account_id, version_id), generate_series(1, $2::int) AS i
       WHERE p.account_id = $1 AND v.plan_id = $3`,
      [account.accountId, ROWS - 1, planId, length],
    );
  }
  await postgres.query(
    `UPDATE plan_versions SET prices_of = (SELECT version_id FROM plan_versions WHERE account_id = $1 AND plan_id = $2)
     WHERE account_id = $1 AND plan_id = ANY($3)`,
    [account.accountId, planIds[1], planIds.slice(2)],
  );
}

async function addLines(postgres: Pool): Promise<void> {
  for (const [i, invoiceId] of invoiceIds.entries()) {
    await postgres.query(
      `INSERT INTO invoice_lines (account_id, invoice_id, ordinal, line_id, type, description, amount)
       SELECT account_id, invoice_id, i, line_id || i, 'usage', 'A line.', 1
       FROM invoice_lines, generate_series(1, $2::int) AS i WHERE account_id = $1 AND ordinal = 0 AND invoice_id = $3`,
      [account.accountId, ([LINES.tooMany, LINES.fitting][i] ?? LINES.ofCrowd) - 1, invoiceId],
    );
  }
}

/** Copies the only subscription of a customer, each time with its plan: a customer has one live subscription of a plan. */
async function copySubscription(postgres: Pool, customerId: string, count: number): Promise<void> {
  const ofSubscription =
    'subscription_id = (SELECT min(subscription_id) FROM subscriptions WHERE account_id = $1 AND customer_id = $3)';
  const ofPlan = `plan_id = (SELECT plan_id FROM subscriptions WHERE account_id = $1 AND ${ofSubscription})`;
  for (const [table, changed, where] of [
    ['plans', ['plan_id'], ofPlan],
    ['plan_versions', ['plan_id', 'version_id'], ofPlan],
    ['subscriptions', ['subscription_id', 'plan_id'], ofSubscription],
    ['periods', ['subscription_id'], ofSubscription],
  ] as const) {
    const { rows } = await postgres.query<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
         AND attgenerated = '' AND attidentity = '' AND attname <> ALL($2)`,
      [table, changed],
    );
    const kept = rows.map(({ name }) => name);
    await postgres.query(
      `INSERT INTO ${table} (${[...changed, ...kept].join(', ')})
       SELECT ${[...changed.map((name) => `${name} || '-${customerId}-' || n`), ...kept].join(', ')}
       FROM ${table}, generate_series(1, $2::int) n WHERE account_id = $1 AND ${where}`,
      [account.accountId, count - 1, customerId],
    );
  }
}

/** The worker would start a workflow for each, while other tests wait. */
async function deleteCopies(postgres: Pool): Promise<void> {
  for (const [table, column] of COPIED) {
    await postgres.query(`DELETE FROM ${table} WHERE account_id = $1 AND ${column} ~ '-subscriptions-[0-9]+$'`, [
      account.accountId,
    ]);
  }
}

type Answered = { path: string; text: string };

/**
 * Makes calls at once, after a call of the same operation that has a small answer: nothing tells that these are large. A call that waits too long for its
 * turn is refused. Returns the answers of the others.
 */
async function callsAtOnce(method: string, paths: string[], body: object = {}, headers = {}): Promise<Answered[]> {
  const call = async (path: string) => {
    const response = await fetch(new URL(path, own.file.base_url), {
      method,
      headers: { 'X-API-KEY': account.key, 'Content-Type': 'application/json', ...headers },
      ...(method !== 'GET' && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status !== 503) expect(response.status, text.slice(0, 500)).toBe(200);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LARGEST_ANSWER);
    return response.status === 200 ? [{ path, text }] : [];
  };
  const answered = (await Promise.all(paths.map(call))).flat();
  expect(own.apiPid(), 'the API ran out of its heap').toBe(pid);
  expect(answered.length).toBeGreaterThan(0);
  return answered;
}

const times = (path: string) => Array.from({ length: AT_ONCE }, () => path);
const recordIn = ({ text }: Answered) => JSON.parse(text);
const pathsTo = (call: string, ids = invoiceIds) => ids.map((id) => `/api/invoices/${id}${call}`);

test('plans of 5,000 rows are retrieved and renamed', async () => {
  const { api } = account;
  const paths = planIds.map((id) => `/api/plans/${id}`);
  const expectRows = (answered: Answered) => {
    for (const { prices } of recordIn(answered).components) expect(prices).toHaveLength(ROWS);
  };
  (await callsAtOnce('GET', paths.slice(0, 1))).forEach(expectRows);
  await api.get(`/api/plans/${small.plan}`);
  (await callsAtOnce('GET', paths)).forEach(expectRows);
  await api.patch(`/api/plans/${small.plan}`, { name: 'Renamed' });
  (await callsAtOnce('PATCH', paths, { name: 'Renamed' })).forEach(expectRows);
  const archived = await api.post(`/api/plans/${planIds[0]}/archive`);
  expect(archived.body).toMatchObject({
    status: 'archived',
    components: [{ prices: expect.any(Array) }, {}, {}, {}, {}],
  });
}, 120_000);

test('customers with thousands of subscriptions are retrieved and changed', async () => {
  const { api } = account;
  await withPostgres(async (postgres) => {
    for (const [customerId, count] of Object.entries(SUBSCRIPTIONS))
      await copySubscription(postgres, customerId, count);
    // Postgres does so by itself within a minute.
    await postgres.query(`ANALYZE ${COPIED.map(([table]) => table).join(', ')}`);
  });
  onTestFinished(() => withPostgres(deleteCopies));
  const [many, crowd] = Object.keys(SUBSCRIPTIONS).map((id) => `/api/customers/${id}`);
  const changes = { customer_name: 'Other' };
  const calls = [
    [SUBSCRIPTIONS['many-subscriptions'], [many ?? '']],
    [SUBSCRIPTIONS['crowd-of-subscriptions'], times(crowd ?? '')],
  ] as const;
  for (const [count, paths] of calls) {
    await api.get(`/api/customers/${small.customer}`);
    for (const answered of await callsAtOnce('GET', [...paths])) {
      expect(recordIn(answered).subscriptions).toHaveLength(count);
    }
    await api.patch(`/api/customers/${small.customer}`, changes);
    await callsAtOnce('PATCH', [...paths], changes);
  }
}, 120_000);

test.each(Object.entries(DRAFTS))(
  'the draft of %s, which has %s',
  async (customerId, count) => {
    await account.api.get(`/api/customers/${small.customer}/draft_invoice`);
    const path = `/api/customers/${customerId}/draft_invoice`;
    const [first] = await callsAtOnce('GET', count > 1_000 ? [path] : times(path));
    const { lines, lines_count, charges_subtotal, invoices } = first && recordIn(first);
    expect([lines?.length ?? lines_count, charges_subtotal]).toEqual([count, count]);
    expect(invoices).toMatchObject([
      lines ? { charges_subtotal } : { charges_subtotal, lines: null, lines_count: count },
    ]);
  },
  120_000,
);

test('invoices are retrieved with as many lines as fit, beyond that with none', async () => {
  const { api } = account;
  const countLines = (answered: Answered) => {
    const { lines, lines_count } = recordIn(answered);
    return lines ? lines.length : -lines_count;
  };
  await api.get(`/api/invoices/${small.invoice}`);
  const [tooMany] = await callsAtOnce('GET', pathsTo('', invoiceIds.slice(0, 1)));
  expect(tooMany && countLines(tooMany)).toBe(-LINES.tooMany);
  const [fitting] = await callsAtOnce('GET', pathsTo('', invoiceIds.slice(1, 2)));
  expect(fitting && countLines(fitting)).toBe(LINES.fitting);
  await api.get(`/api/invoices/${small.invoice}`);
  for (const answered of await callsAtOnce('GET', pathsTo('', invoiceIds.slice(2)))) {
    expect(countLines(answered)).toBe(LINES.ofCrowd);
  }
}, 120_000);

test('invoices with thousands of lines are paid and voided, and what is written of that has no lines', async () => {
  const { api } = account;
  const [paid, voided] = [invoiceIds.slice(2, AT_ONCE / 2), invoiceIds.slice(AT_ONCE / 2)];
  const refused = await Promise.all(pathsTo('/pay', paid).map((path) => api.post(path)));
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([409]));
  await callsAtOnce('POST', pathsTo('/mark_paid?preview=true', paid));
  await callsAtOnce('POST', pathsTo('/mark_paid', paid));
  await callsAtOnce('POST', pathsTo('/void', voided));
  const entries = await api.get('/api/audit-log?action=invoice.marked_paid');
  expect(entries.text.length).toBeLessThan(200_000);
}, 240_000);

test('a repeat gets the very answer of its first, which is kept within the same bound', async () => {
  const [tooMany = '', fitting = ''] = invoiceIds;
  for (const [invoiceId, key] of [
    [tooMany, 'too many'],
    [fitting, 'fitting'],
  ]) {
    const headers = { 'Idempotency-Key': key };
    const path = pathsTo('/mark_uncollectible', [String(invoiceId)]);
    const [first] = await callsAtOnce('POST', path, {}, headers);
    expect(first && recordIn(first).status).toBe('uncollectible');
    for (const again of await callsAtOnce('POST', times(path[0] ?? ''), {}, headers)) {
      expect(again.text === first?.text).toBe(true);
    }
  }
  const bytes = await withPostgres(async (postgres) => {
    const sql = 'SELECT max(octet_length(result::text)) AS bytes FROM operations WHERE account_id = $1';
    return (await postgres.query<{ bytes: number }>(sql, [account.accountId])).rows[0]?.bytes;
  });
  expect(bytes).toBeGreaterThan(LARGEST_ANSWER / 2);
  expect(bytes).toBeLessThan(LARGEST_ANSWER + 1_000);
}, 120_000);
