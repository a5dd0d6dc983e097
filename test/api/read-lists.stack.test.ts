import { z } from '@hono/zod-openapi';
import { beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../api/routes.ts';
import { createClient } from '../../sdk/typescript/source/client.ts';
import { paginate } from '../../sdk/typescript/source/paginate.ts';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { type Api, itemsOf, type Json, stack } from '../stack/api.ts';
import { type ListedIds, makeListedRecords } from '../stack/many-records.ts';
import { landed, makeCustomer, makeMetric, makePlan, posted, track } from '../stack/resources.ts';

/** How lists are read to their end (spec/api#lists). */
const LISTS = OPERATIONS.filter(
  (one) => one.method === 'get' && one.query instanceof z.ZodObject && 'page' in one.query.shape,
);

let account: TestAccount;
let ids: ListedIds;
beforeAll(async () => {
  account = await newAccount();
  ids = await makeListedRecords(account.api);
  await makeSecondRecords(account.api);
});

async function makeSecondRecords(api: Api): Promise<void> {
  const { customer_id, subscription_id, plan_id, invoice_id } = ids;
  await makeMetric(api);
  await makePlan(api);
  expect((await api.patch(`/api/plans/${plan_id}`, { recurring_fee: 30 })).status).toBe(200);
  await makeCustomer(api, { customer_name: 'Zebra' });
  const other = await makeCustomer(api, { customer_name: 'Éclair' });
  await posted(api, '/api/subscriptions', { customer_id: other.customer_id, plan_id });
  const coupon = await posted(api, '/api/coupons', { name: 'Second', percent_off: 6, duration: 'once' });
  await posted(api, `/api/subscriptions/${subscription_id}/discounts`, { coupon_id: coupon.body.coupon_id });
  await posted(api, '/api/credits', { customer_id, amount: 1.5, expires_at: '2999-01-01' });
  await posted(api, '/api/credits', { customer_id, amount: 2 });
  await posted(api, '/api/addons', { name: 'Second', kind: 'quantity', price: 5 });
  await posted(api, '/api/webhooks', { name: 'Second', webhook_url: 'http://127.0.0.1:9/' });
  await posted(api, '/api/refunds', { invoice_id, amount: 2, method: 'bank_transfer' });
  await posted(api, `/api/customers/${customer_id}/portal_link`, {});
  for (let day = 1; day <= 5; day++) await track(api, { customer_id, time_created: `2026-01-0${day}T00:00:00Z` });
  await landed(api);
}

const addressOf = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids[name] ?? ''));
const pathIn = (url: string) => url.slice(new URL(url).origin.length);

/** All records of a list by pages of `size`, as `next` leads to them. */
async function readAll(api: Api, path: string, size: number): Promise<Json[]> {
  const found: Json[] = [];
  let at: string | null = `${path}${path.includes('?') ? '&' : '?'}page_size=${size}`;
  for (let page = 1; at !== null; page++) {
    const answer: Awaited<ReturnType<Api['get']>> = await api.get(at);
    expect(answer.status, answer.text).toBe(200);
    expect(itemsOf(answer.body.results).length, at).toBeLessThanOrEqual(size);
    found.push(...itemsOf(answer.body.results));
    at = typeof answer.body.next === 'string' ? pathIn(answer.body.next) : null;
    if (page > 200) throw new Error(`${path} has no end`);
  }
  return found;
}

/** What goes on meanwhile: deliveries are tried again, and keys are used. */
const IN_PROGRESS = ['attempts', 'next_attempt_at', 'last_used_at', 'used'];
const withoutProgress = (record: Json) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !IN_PROGRESS.includes(name)));

describe('every list', () => {
  test.each(LISTS.map((one) => [one.path, one] as const))('%s is the same by pages of one', async (path) => {
    const whole = await readAll(account.api, addressOf(path), 200);
    const { body } = await account.api.get(`${addressOf(path)}?page_size=200`);
    expect(whole).toHaveLength(Number(body.count));
    const byOnes = await readAll(account.api, addressOf(path), 1);
    expect(byOnes.map(withoutProgress)).toEqual(whole.map(withoutProgress));
  });

  test.each(LISTS.map((one) => [one.path, one] as const))('%s refuses an `after` that is not its own', async (path) => {
    const places = ['', '%', 'bm90IGpzb24', Buffer.from('["x","1"]').toString('base64url')];
    for (const after of places) {
      const { status, body } = await account.api.get(`${addressOf(path)}?after=${encodeURIComponent(after)}`);
      expect([status, body.after]).toEqual([422, [expect.stringContaining('Follow `next`')]]);
    }
  });

  test.each(
    LISTS.flatMap(({ path, query }) => {
      const sorts = query instanceof z.ZodObject ? query.shape.sort : undefined;
      const options = sorts instanceof z.ZodOptional ? sortsOf(sorts) : [];
      return options.map((sort) => [`${path}?sort=${sort}`]);
    }),
  )('%s goes on where it was', async (path) => {
    const whole = await readAll(account.api, addressOf(path), 200);
    expect(whole.length).toBeGreaterThan(1);
    expect(await readAll(account.api, addressOf(path), 1)).toEqual(whole);
  });

  test('after of another sort or filter is 422, of another page_size not', async () => {
    const first = (await account.api.get('/api/customers?page_size=1&sort=customer_name')).body;
    const after = new URL(String(first.next)).searchParams.get('after');
    expect((await account.api.get(`/api/customers?sort=customer_name&after=${after}`)).status).toBe(200);
    for (const other of ['', 'sort=-customer_name&', 'sort=customer_name&search=ac&']) {
      expect((await account.api.get(`/api/customers?${other}after=${after}`)).status).toBe(422);
    }
  });

  test('a page that begins behind the last record has none; a page by number there is none of', async () => {
    const coupon = await posted(account.api, '/api/coupons', { name: 'Last', percent_off: 1, duration: 'once' });
    const filter = 'status=archived&page_size=1';
    await posted(account.api, `/api/coupons/${coupon.body.coupon_id}/archive`);
    const other = await posted(account.api, '/api/coupons', { name: 'Newer', percent_off: 1, duration: 'once' });
    await posted(account.api, `/api/coupons/${other.body.coupon_id}/archive`);
    const { body } = await account.api.get(`/api/coupons?${filter}`);
    const last = await account.api.get(pathIn(String(body.next)));
    expect(last.body).toMatchObject({ count: 2, next: null, previous: expect.stringContaining('page=1') });
    expect((await account.api.get(`/api/coupons?${filter}&page=3`)).status).toBe(404);
  });
});

function sortsOf(sort: z.ZodOptional): string[] {
  const inner = sort.unwrap();
  const asked = inner instanceof z.ZodPipe ? inner.in : inner;
  return asked instanceof z.ZodEnum ? asked.options.map(String) : [];
}

test('the loop of the SDK over open invoices sees each of 125, although each leaves the list as it is paid', async () => {
  const { api, key } = await newAccount();
  const { plan_id } = await makePlan(api, { charge_timing: 'in_advance' });
  for (let i = 0; i < 25; i++) {
    const some = await Promise.all([1, 2, 3, 4, 5].map(() => makeCustomer(api)));
    await Promise.all(some.map(({ customer_id }) => posted(api, '/api/subscriptions', { customer_id, plan_id })));
  }
  expect((await api.get('/api/invoices?status=open')).body.count).toBe(125);
  const client = createClient({ baseUrl: stack().base_url, apiKey: key });
  const seen: string[] = [];
  for await (const invoice of paginate(client, '/api/invoices', { params: { query: { status: 'open' } } })) {
    const invoice_id = invoice.invoice_number ?? '';
    seen.push(invoice_id);
    await client.POST('/api/invoices/{invoice_id}/mark_paid', { params: { path: { invoice_id } }, body: {} });
  }
  expect(new Set(seen).size).toBe(125);
  expect(seen).toHaveLength(125);
  expect((await api.get('/api/invoices?status=open')).body.count).toBe(0);
});
