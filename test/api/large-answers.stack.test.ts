import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Pool } from '../../sql/postgres/postgres.ts';
import { startOwnGateway } from '../console/own-gateway.ts';
import { newAccount, type TestAccount, withPostgres } from '../stack/accounts.ts';
import { itemsOf, type Json } from '../stack/api.ts';
import { landed, makeCustomer, makeMetric, makePlan, posted, track } from '../stack/resources.ts';

/** The largest records that there can be, read from an API that has a third of the usual heap (spec/api#large-members). */
const HEAP_MB = 128;
const LARGEST_ANSWER = 8 * 2 ** 20;

const PLANS = 12;
const ROWS = 5_000;
const OVERRIDDEN = 5;
const CUSTOMERS = 200;
const LINES = 5_000;

let own: Awaited<ReturnType<typeof startOwnGateway>>;
let account: TestAccount;
let ids: Record<'plan_id' | 'metric_id' | 'customer_id' | 'invoice_id' | 'invoice_number', string>;
let pid: number | null;

beforeAll(async () => {
  own = await startOwnGateway({ heapMb: HEAP_MB });
  account = await newAccount({ at: own.file });
  const { api } = account;
  const { metric_id } = await makeMetric(api);
  const prices = [{ when: { model: 'a' }, overage_price: 1 }];
  const components = [{ metric_id, group_by: ['model'], prices }];
  let plan_id = '';
  for (let i = 0; i < PLANS; i++)
    plan_id = String((await makePlan(api, { components, charge_timing: 'in_advance' })).plan_id);
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`key-${i}`, '\u{1F4A1}'.repeat(250)]));
  const { customer_id } = await makeCustomer(api, { metadata });
  const overridden = Array.from({ length: 1_000 }, (_, i) => ({ when: { model: `model-${i}` }, overage_price: 0.5 }));
  const overrides = { components: [{ metric_id, prices: overridden }] };
  for (let i = 0; i < OVERRIDDEN; i++) {
    const customer = await makeCustomer(api);
    await posted(api, '/api/subscriptions', { customer_id: customer.customer_id, plan_id, overrides, metadata });
  }
  await posted(api, '/api/subscriptions', { customer_id, plan_id });
  const [invoice] = itemsOf((await api.get(`/api/invoices?customer_id=${customer_id}`)).body.results);
  await withPostgres((postgres) => makeLarge(postgres, account.accountId, String(customer_id)));
  const { invoice_id, invoice_number } = invoice ?? {};
  const named = { plan_id, metric_id, customer_id, invoice_id, invoice_number };
  ids = Object.fromEntries(Object.entries(named).map(([name, id]) => [name, String(id)])) as typeof ids;
  pid = own.apiPid();
}, 240_000);
afterAll(() => own?.stop());

/** What nobody could make by a few calls: records of before there were bounds, and copies. */
async function makeLarge(postgres: Pool, accountId: string, customerId: string): Promise<void> {
  const run = (sql: string, ...values: unknown[]) => postgres.query(sql, [accountId, ...values]);
  const versions = await postgres.query<{ version_id: string }>(
    'SELECT version_id FROM plan_versions WHERE account_id = $1 AND version = 1',
    [accountId],
  );
  for (const { version_id } of versions.rows) {
    await run(
      `INSERT INTO price_rows (account_id, version_id, metric_id, price_id, when_texts, free_tier, pricing_model, overage_price)
       SELECT p.account_id, p.version_id, p.metric_id, p.price_id || i, jsonb_build_object('model', 'model-' || i), 0, 'per_unit', 1
       FROM price_rows p, generate_series(1, $3::int) AS i WHERE p.account_id = $1 AND p.version_id = $2`,
      version_id,
      ROWS,
    );
  }
  await run(
    `INSERT INTO customers (account_id, customer_id, customer_name, email, currency, tax_rate, timezone, metadata, created_at)
     SELECT account_id, 'large-' || i, customer_name, email, currency, tax_rate, timezone, metadata, created_at
     FROM customers, generate_series(1, $3::int) AS i WHERE account_id = $1 AND customer_id = $2`,
    customerId,
    CUSTOMERS,
  );
  await run(
    `INSERT INTO invoice_lines (account_id, invoice_id, ordinal, line_id, type, description, amount)
     SELECT account_id, invoice_id, i, line_id || i, 'usage', repeat('A long description. ', 100), 1
     FROM invoice_lines, generate_series(1, $2::int) AS i WHERE account_id = $1 AND ordinal = 0`,
    LINES,
  );
  await run(
    `INSERT INTO audit_entries (account_id, audit_id, actor_type, action, resource_type, resource_id, before, after, changed_fields)
     SELECT $1, 'audit-large-' || i, 'system', 'plan.updated', 'plan', 'large', r.record, r.record, ARRAY['components']
     FROM generate_series(1, 12) AS i, (SELECT jsonb_build_object('components', jsonb_build_array(jsonb_build_object('prices', jsonb_agg(
       jsonb_build_object('when', when_texts, 'overage_price', 1))))) AS record FROM (SELECT * FROM price_rows WHERE account_id = $1 LIMIT 31000) p) r`,
  );
}

function pathOf(next: unknown): string | null {
  return typeof next === 'string' ? next.slice(new URL(next).origin.length) : null;
}

/** All records of a list as `next` leads to them; each answer within the bound. */
async function readAll(path: string): Promise<Json[]> {
  const found: Json[] = [];
  let at: string | null = path;
  while (at !== null) {
    const answer: Awaited<ReturnType<typeof account.api.get>> = await account.api.get(at);
    expect(answer.status, answer.text.slice(0, 500)).toBe(200);
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(LARGEST_ANSWER);
    found.push(...itemsOf(answer.body.results));
    at = pathOf(answer.body.next);
  }
  return found;
}

describe('lists of the largest records', () => {
  const componentsOf = (plan: Json | undefined) => itemsOf(plan?.components);

  test('12 plans with 5,000 rows each: the rows are counted', async () => {
    const plans = await readAll('/api/plans?page_size=12');
    expect(plans).toHaveLength(PLANS);
    for (const plan of plans) expect(componentsOf(plan)).toMatchObject([{ prices: null, prices_count: ROWS + 1 }]);
  });

  test('versions of a plan, and an edit of its name, which copies and logs no rows', async () => {
    const before = await countRows();
    for (const name of ['Second', 'Third']) {
      expect((await account.api.patch(`/api/plans/${ids.plan_id}`, { name })).status).toBe(200);
    }
    expect(await countRows()).toBe(before);
    const versions = await readAll(`/api/plans/${ids.plan_id}/versions`);
    expect(versions).toMatchObject([{ name: 'Third' }, { name: 'Second' }, { name: 'Pro' }]);
    for (const plan of versions) expect(componentsOf(plan)).toMatchObject([{ prices: null, prices_count: ROWS + 1 }]);
    const [entry] = await readAll(`/api/audit-log?resource_id=${ids.plan_id}&action=plan.updated`);
    expect(JSON.stringify(entry).length).toBeLessThan(10_000);
    expect(entry).toMatchObject({ after: { name: 'Third', components: [{ prices: null, prices_count: ROWS + 1 }] } });
  });

  test('entries of the audit log with both sides of a plan', async () => {
    const entries = await readAll('/api/audit-log?page_size=200');
    const large = entries.filter(({ resource_id }) => String(resource_id) === 'large');
    expect(large).toHaveLength(12);
    expect(large[0]).toMatchObject({ before: { components: [{ prices: null, prices_count: 31_000 }] } });
  });

  test('200 customers with 50 kB of metadata, whose invoices have 5,000 lines', async () => {
    expect(await readAll('/api/customers?page_size=200')).toHaveLength(CUSTOMERS + OVERRIDDEN + 1);
  });

  test('subscriptions with overrides of 1,000 rows', async () => {
    const subscriptions = await readAll('/api/subscriptions?page_size=200');
    expect(subscriptions).toHaveLength(OVERRIDDEN + 1);
    expect(subscriptions[1]).toMatchObject({ overrides: { components: [{ prices: null, prices_count: 1_000 }] } });
  });

  test('invoices with 5,000 lines, whose sums are right', async () => {
    const invoices = await readAll('/api/invoices?page_size=200');
    expect(invoices).toHaveLength(OVERRIDDEN + 1);
    expect(invoices[0]).toMatchObject({ lines: null, lines_count: LINES + 1, charges_subtotal: 29 + LINES });
  });
});

describe('records that are larger than an answer may be', () => {
  test('an invoice leaves its lines out, and they are listed', async () => {
    const { body, text } = await account.api.get(`/api/invoices/${ids.invoice_id}`);
    expect(text.length).toBeLessThan(100_000);
    expect(body).toMatchObject({ lines: null, lines_count: LINES + 1, sections: [], held: [] });
    const lines = await readAll(`/api/invoices/${ids.invoice_number}/lines?page_size=200`);
    expect(lines).toHaveLength(LINES + 1);
    expect(new Set(lines.map(({ line_id }) => String(line_id))).size).toBe(LINES + 1);
  }, 120_000);

  test('the rows of a plan are listed, of a version, of a metric', async () => {
    const rows = await readAll(`/api/plans/${ids.plan_id}/prices?page_size=200&version=1&metric_id=${ids.metric_id}`);
    expect(rows).toHaveLength(ROWS + 1);
    expect(rows[0]).toMatchObject({ metric_id: ids.metric_id, when: { model: 'a' } });
    expect((await account.api.get(`/api/plans/${ids.plan_id}/prices`)).body.results).toHaveLength(50);
    expect((await account.api.get(`/api/plans/${ids.plan_id}/prices?version=9`)).status).toBe(404);
  }, 120_000);
});

test('a plan with 5,000 rows is subscribed to, with and without overrides, its usage is drafted and its access listed', async () => {
  const { api } = account;
  const { plan_id, metric_id } = ids;
  const customers = await Promise.all([1, 2].map(() => makeCustomer(api)));
  const prices = Array.from({ length: 1_000 }, (_, i) => ({ when: { model: `model-${i}` }, overage_price: 0.5 }));
  const agreed = [{}, { overrides: { components: [{ metric_id, prices }] } }];
  for (const [path, status] of [
    ['/api/subscriptions?preview=true', 200],
    ['/api/subscriptions', 201],
  ] as const) {
    for (const [i, { customer_id }] of customers.entries()) {
      const answer = await api.post(path, { customer_id, plan_id, ...agreed[i] });
      expect(answer.status, answer.text.slice(0, 500)).toBe(status);
      expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(LARGEST_ANSWER);
    }
  }
  const [first] = customers;
  const time_created = new Date().toISOString();
  await track(api, { customer_id: String(first?.customer_id), time_created, properties: { model: `model-${ROWS}` } });
  await landed(api);
  const draft = (await api.get(`/api/customers/${first?.customer_id}/draft_invoice`)).exact;
  const usage = itemsOf(draft.lines).find(({ group }) => JSON.stringify(group)?.includes(`model-${ROWS}`));
  expect(usage).toMatchObject({ type: 'usage', quantity: '1', amount: '1' });
  const lists = await Promise.all(
    customers.map(({ customer_id }) => readAll(`/api/customers/${customer_id}/access?page_size=200`)),
  );
  for (const access of lists) expect(access).toHaveLength(1);
}, 120_000);

test('price books may have 5,000 rows in all', async () => {
  const { api } = account;
  const metrics = await Promise.all([1, 2, 3, 4, 5, 6].map(() => makeMetric(api)));
  const components = metrics.map(({ metric_id }) => ({
    ...{ metric_id, group_by: ['model'] },
    prices: Array.from({ length: 834 }, (_, i) => ({ when: { model: `m-${i}` }, overage_price: 1 })),
  }));
  const plan = { name: 'Many', billing_period: 'monthly' };
  const refused = await api.post('/api/plans', { ...plan, components });
  expect([refused.status, refused.body]).toEqual([
    422,
    { components: ['Their price books may have 5000 rows in all, not 5004.'] },
  ]);
  components[0]?.prices.splice(0, 4);
  const made = await api.post('/api/plans', { ...plan, components });
  expect(made.status).toBe(201);
  expect(itemsOf(itemsOf((await api.get(`/api/plans/${made.body.plan_id}`)).body.components)[1]?.prices)).toHaveLength(
    834,
  );
  const added = { metric_id: metrics[0]?.metric_id, when: { model: 'further' }, overage_price: 1 };
  expect((await api.post(`/api/plans/${made.body.plan_id}/prices`, added)).body).toMatchObject({
    metric_id: [expect.any(String)],
  });
});

test('all of it was answered by one process, which never ran out of its heap', () => {
  expect(own.apiPid()).toBe(pid);
});

function countRows(): Promise<number> {
  return withPostgres(async (postgres) => {
    const sql = 'SELECT count(*)::int AS count FROM price_rows WHERE account_id = $1';
    return (await postgres.query<{ count: number }>(sql, [account.accountId])).rows[0]?.count ?? 0;
  });
}
