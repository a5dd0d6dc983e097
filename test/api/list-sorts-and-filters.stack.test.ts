import { beforeAll, describe, expect, test } from 'vitest';
import { COUNT_CAP } from '../../sql/postgres/page-window.ts';
import { howMany } from '../how-many.ts';
import { newAccount, type TestAccount, withPostgres } from '../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../stack/api.ts';
import { makeClock, makePlan, subscribe } from '../stack/clocks.ts';
import { makeCustomer } from '../stack/resources.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { advance } from '../workflows/in-process-clock.ts';

const CUSTOMERS = ['c-1', 'c-2', 'B', 'a', 'c-3'];
/** Each value stands twice, so that there are ties, but for one. */
const TIED = `(ARRAY[2, 1, 3, 1, 2])[r.nth]`;

/** Of each kind five records, made through the API; then some of their fields are given values that are alike. */
async function makeRecords({ api, accountId }: TestAccount): Promise<void> {
  const plans = [await makePlan(api, { charge_timing: 'in_advance' }), await makePlan(api)];
  for (const [i, customer_id] of CUSTOMERS.entries()) {
    await makeCustomer(api, { customer_id, customer_name: ['Delta', 'alpha', 'Beta', 'ALPHA', 'beta'][i] });
    await subscribe(api, { customer_id, plan_id: plans[0] });
    await api.post('/api/credits', { customer_id, amount: 1 });
    const invoices = await waitUntil(
      () => listOf(api, `/api/invoices?customer_id=${customer_id}`),
      (all) => all.length > 0,
    );
    const { invoice_id } = invoices[0] ?? {};
    await api.post(`/api/invoices/${invoice_id}/mark_paid`, {});
    const refund = { invoice_id, amount: 1, method: 'bank_transfer' };
    expect((await api.post('/api/refunds', refund)).status).toBe(201);
  }
  await withPostgres(async (postgres) => {
    const client = await postgres.connect();
    // Triggers do not run: no refund may change.
    await client.query('SET session_replication_role = replica');
    const change = (table: string, fields: string) =>
      client.query(
        `UPDATE ${table} t SET ${fields} FROM (
           SELECT seq, row_number() OVER (ORDER BY seq) AS nth FROM ${table} WHERE account_id = $1
         ) r WHERE t.account_id = $1 AND t.seq = r.seq`,
        [accountId],
      );
    const made = `created_at = '2026-03-01'::date + ${TIED}::integer`;
    await change('customers', made);
    await change('subscriptions', `${made}, start_date = '2026-04-01'::date - ${TIED}::integer`);
    await change('credits', `${made}, expires_at = nullif('2090-04-01'::date - ${TIED}::integer, '2090-03-29')`);
    await change('refunds', `${made}, amount = ${TIED}::integer + 0.5`);
    await change(
      'invoices',
      `${made}, issue_date = '2026-05-01'::date - ${TIED}::integer, due_date = '2026-06-01'::date + ${TIED}::integer,
       amount_due = (ARRAY[0, 30, 10, 30, 10])[r.nth], subtotal = 40 - r.nth % 2, total = 40 - r.nth % 2, tax_amount = 0, status = CASE WHEN r.nth = 1 THEN 'paid' ELSE 'open' END,
       kind = CASE WHEN r.nth = 3 THEN 'manual' ELSE kind END`,
    );
    client.release(true);
  });
}

/** All records of a list, page by page. */
async function listOf(api: Api, path: string): Promise<Json[]> {
  const records: Json[] = [];
  for (let next: string | null = path; next !== null; ) {
    const { status, body, text } = await api.get(next);
    expect(status, text).toBe(200);
    records.push(...itemsOf(body.results));
    next = body.next === null ? null : String(body.next);
  }
  return records;
}

let account: TestAccount;
beforeAll(async () => {
  account = await newAccount();
  await makeRecords(account);
});

const SORTS: [path: string, fields: string[]][] = [
  ['/api/customers/', ['created_at', 'customer_name', 'customer_id']],
  ['/api/subscriptions', ['created_at', 'start_date']],
  ['/api/invoices', ['created_at', 'issue_date', 'due_date', 'total', 'amount_due', 'invoice_number']],
  ['/api/credits', ['created_at', 'expires_at']],
  ['/api/refunds', ['created_at', 'amount']],
];

/** How a field's values compare: names without regard to case, no date after all dates. */
function inOrder(field: string): (one: Json, other: Json) => number {
  const keyOf = (record: Json) => {
    const value: unknown = record[field] ?? '9999';
    if (typeof value === 'number') return value;
    return field === 'customer_name' ? String(value).toLowerCase() : String(value);
  };
  return (one, other) => (keyOf(one) < keyOf(other) ? -1 : Number(keyOf(one) > keyOf(other)));
}

describe('sort (spec/api#lists)', () => {
  const cases = SORTS.flatMap(([path, fields]) => fields.map((field): [string, string] => [path, field]));

  test.each(cases)('%s by %s, from either end, page by page; what is alike in it by age', async (path, field) => {
    const oldestFirst = (await listOf(account.api, path)).toReversed();
    expect(oldestFirst).toHaveLength(CUSTOMERS.length);
    const sorted = oldestFirst.toSorted(inOrder(field));
    expect(await listOf(account.api, `${path}?sort=${field}&page_size=2`)).toEqual(sorted);
    expect(await listOf(account.api, `${path}?sort=-${field}&page_size=2`)).toEqual(sorted.toReversed());
  });

  test.each(SORTS)('%s by anything else is 422 and names what there is', async (path, fields) => {
    const allowed = fields.flatMap((field) => [field, `-${field}`]).join(', ');
    for (const sort of ['metadata', '-', '', '+created_at', 'CREATED_AT', 'seq']) {
      const answer = await account.api.get(`${path}?sort=${encodeURIComponent(sort)}`);
      expect([answer.status, answer.body]).toEqual([422, { sort: [`Must be one of ${allowed}.`] }]);
    }
  });

  test("nothing of another account's", async () => {
    const other = await newAccount();
    for (const [path, field] of cases) expect(await listOf(other.api, `${path}?sort=${field}`)).toEqual([]);
  });
});

test('customers of a test clock', async () => {
  const foreign = await makeClock(account.api, '2026-01-01T00:00:00Z');
  const own = await newAccount();
  const clock = await makeClock(own.api, '2026-01-01T00:00:00Z');
  for (const customer_id of ['in-1', 'in-2']) await makeCustomer(own.api, { customer_id, test_clock_id: clock });
  await makeCustomer(own.api, { customer_id: 'out' });
  const listed = await listOf(own.api, `/api/customers/?test_clock_id=${clock}`);
  expect(listed.map(({ customer_id }) => customer_id)).toEqual(['in-2', 'in-1']);
  expect(await listOf(own.api, `/api/customers/?test_clock_id=${clock}&search=out`)).toEqual([]);
  expect(await listOf(own.api, `/api/customers/?test_clock_id=${foreign}`)).toEqual([]);
});

type Filter = [query: string, holds: (record: Json) => boolean];

const INVOICE_FILTERS: Filter[] = [
  ['status=open', ({ status }) => String(status) === 'open'],
  ['customer_id=B', ({ customer_id }) => String(customer_id) === 'B'],
  ['number=INV-000002', ({ invoice_number }) => String(invoice_number) === 'INV-000002'],
  ['kind=manual', ({ kind }) => String(kind) === 'manual'],
  ['issued_from=2026-04-29', ({ issue_date }) => String(issue_date) >= '2026-04-29'],
  ['issued_to=2026-04-29', ({ issue_date }) => String(issue_date) <= '2026-04-29'],
  ['due_before=2026-06-03', ({ due_date }) => String(due_date) < '2026-06-03'],
  ['min_due=30', ({ amount_due }) => Number(amount_due) >= 30],
  ['min_due=10.000000000000000001', ({ amount_due }) => Number(amount_due) > 10],
  ['past_due=true', ({ past_due }) => String(past_due) === 'true'],
  ['past_due=false', ({ past_due }) => String(past_due) === 'false'],
  ['search=inv-000003', ({ invoice_number }) => String(invoice_number) === 'INV-000003'],
  [
    'search=3',
    ({ invoice_number, customer_id }) => String(invoice_number) === 'INV-000003' || String(customer_id) === 'c-3',
  ],
  ['search=ALP', ({ customer_name }) => /^alpha$/i.test(String(customer_name))],
  ['search=bet c', ({ customer_id }) => String(customer_id) === 'c-3'],
];

describe('filters of invoices', () => {
  const pairs = INVOICE_FILTERS.flatMap((one, i) => INVOICE_FILTERS.slice(i + 1).map((other) => [one, other]));

  test.each(INVOICE_FILTERS)('%s', async (query, holds) => {
    const all = await listOf(account.api, '/api/invoices');
    const found = all.filter(holds);
    expect([0, all.length]).not.toContain(found.length);
    expect(await listOf(account.api, `/api/invoices?${query}&page_size=2`)).toEqual(found);
    const { body } = await account.api.get(`/api/invoices?${query}&page_size=1`);
    expect(body.count).toBe(found.length);
  });

  test('any two of them together, in one order after another', async () => {
    const all = (await listOf(account.api, '/api/invoices')).toReversed();
    const orders = ['created_at', 'due_date', 'amount_due'];
    for (const [i, two] of pairs.entries()) {
      const query = two.map(([text]) => text).join('&');
      // One parameter twice is 422.
      if (/(min_due|past_due|search).*\1/.test(query)) continue;
      const found = all.filter((record) => two.every(([, holds]) => holds(record)));
      for (const field of [...orders, ...orders].slice(i % 3, (i % 3) + howMany(1, 3))) {
        const listed = await listOf(account.api, `/api/invoices?${query}&sort=${field}`);
        expect([query, listed]).toEqual([query, found.toSorted(inOrder(field))]);
      }
    }
  });

  test.each([
    ['kind=monthly', { kind: ['Must be one of opening, period, closing, proration, manual.'] }],
    ['status=late', { status: ['Must be one of draft, open, paid, void, uncollectible.'] }],
    ['issued_from=2026-02-30', { issued_from: ['Must be a date such as 2026-11-20.'] }],
    ['issued_to=yesterday', { issued_to: ['Must be a date such as 2026-11-20.'] }],
    ['due_before=2026-01-01T00:00:00Z', { due_before: ['Must be a date such as 2026-11-20.'] }],
    ['min_due=-1', { min_due: ['Must not be negative.'] }],
    ['past_due=yes', { past_due: ['Must be one of true, false.'] }],
    ['search=%20-', { search: ['Must have at least one letter or digit.'] }],
    ['min_due=much', { min_due: ['Must be a number of at most 20 integer digits and 18 decimals.'] }],
  ])('%s is 422 and says what is allowed', async (query, errors) => {
    const answer = await account.api.get(`/api/invoices?${query}`);
    expect([answer.status, answer.body]).toEqual([422, errors]);
  });

  test('past due by the day of a test clock, and in the zone of the customer', async () => {
    const own = await newAccount();
    const due = async (customer_id: string, timezone: string, to: string) => {
      const clock = await makeClock(own.api, '2030-01-01T12:00:00Z');
      await makeCustomer(own.api, { customer_id, test_clock_id: clock, timezone });
      await subscribe(own.api, { customer_id, plan_id });
      await advance(own.api, clock, to);
    };
    await own.api.patch('/api/account', { net_terms_days: 14 });
    const plan_id = await makePlan(own.api, { charge_timing: 'in_advance' });
    // Due on the 15th, but for Kiritimati, where it is the 2nd already: on the 16th.
    await due('utc', 'UTC', '2030-01-16T00:00:00Z');
    await due('kiritimati', 'Pacific/Kiritimati', '2030-01-16T10:00:00Z');
    await due('honolulu', 'Pacific/Honolulu', '2030-01-16T09:59:59Z');
    const found = await listOf(own.api, '/api/invoices?past_due=true');
    expect(found.map(({ customer_id }) => customer_id)).toEqual(['kiritimati', 'utc']);
    expect(found.every(({ past_due }) => past_due)).toBe(true);
    const others = await listOf(own.api, '/api/invoices?past_due=false');
    expect(others.map(({ customer_id, past_due }) => [customer_id, past_due])).toEqual([['honolulu', false]]);
  });

  test('found by a word that more customers have than are collected', async () => {
    const own = await newAccount();
    await makeCustomer(own.api, { customer_id: 'paying', customer_name: 'Common Paying' });
    await subscribe(own.api, {
      customer_id: 'paying',
      plan_id: await makePlan(own.api, { charge_timing: 'in_advance' }),
    });
    await waitUntil(
      () => listOf(own.api, '/api/invoices'),
      (all) => all.length > 0,
    );
    await withPostgres((postgres) =>
      postgres.query(
        `INSERT INTO customers (account_id, customer_id, customer_name, email, currency, tax_rate, timezone, created_at)
         SELECT account_id, 'c-' || n, 'Common', 'a@b.example', currency, 0, 'UTC', now()
         FROM customers, generate_series(1, $2::integer) AS n WHERE account_id = $1`,
        [own.accountId, COUNT_CAP],
      ),
    );
    for (const [search, count] of Object.entries({ common: 1, 'common pay': 1, 'common other': 0, inv: 1 })) {
      expect([search, (await listOf(own.api, `/api/invoices?search=${search}`)).length]).toEqual([search, count]);
    }
  });

  test('more invoices with as much due than are counted', async () => {
    const own = await newAccount();
    await makeCustomer(own.api, { customer_id: 'a' });
    const plan_id = await makePlan(own.api, { charge_timing: 'in_advance' });
    const subscription_id = await subscribe(own.api, { customer_id: 'a', plan_id });
    await waitUntil(
      () => listOf(own.api, '/api/invoices'),
      (all) => all.length > 0,
    );
    await withPostgres((postgres) =>
      postgres.query(
        `INSERT INTO invoices (account_id, invoice_id, invoice_number, customer_id, subscription_id, period_index, kind, status,
           currency, issue_date, due_date, subtotal, tax_rate, tax_amount, total, credits_applied, amount_due, customer_name,
           created_at, issuer_name, issue_timezone)
         SELECT account_id, 'inv_' || n, 'N-' || n, customer_id, subscription_id, n, 'period', 'uncollectible', currency,
           issue_date, due_date, 1000, 0, 0, 1000, 0, 100 + n % 3, customer_name, created_at, issuer_name, issue_timezone
         FROM invoices, generate_series(1, $2::integer) AS n WHERE account_id = $1 AND subscription_id = $3`,
        [own.accountId, COUNT_CAP + 50, subscription_id],
      ),
    );
    const list = async (query: string) => (await own.api.get(`/api/invoices?page_size=2&${query}`)).body;
    const numbers = ({ results }: Json) => itemsOf(results).map(({ invoice_number }) => invoice_number);
    const most = await list('min_due=100');
    expect([most.count, most.count_is_capped, numbers(most)]).toEqual([COUNT_CAP, true, ['N-10050', 'N-10049']]);
    const some = await list('min_due=102&status=uncollectible');
    expect([some.count, numbers(some)]).toEqual([3_350, ['N-10049', 'N-10046']]);
  });

  test("nothing of another account's", async () => {
    const other = await newAccount();
    for (const [query] of INVOICE_FILTERS) expect(await listOf(other.api, `/api/invoices?${query}`)).toEqual([]);
  });
});
