import { beforeAll, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import type { Json } from '../../stack/api.ts';
import { landed, makeCustomer, makeMetric, makePlan, posted, track } from '../../stack/resources.ts';
import { waitUntil } from '../../stack/wait-until.ts';

let account: TestAccount;
/** The id of a record of each kind. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  account = await newAccount();
  const { api } = account;
  await makeCustomer(api, { customer_id: 'acme', customer_name: 'Acme Rockets', email: 'pay@acme.example' });
  await makeCustomer(api, { customer_id: 'other', customer_name: 'Rocket Fans', email: 'fans@example.test' });
  ids.metric = String((await makeMetric(api, { metric_name: 'Rocket launches' })).metric_id);
  ids.plan = String((await makePlan(api, { name: 'Big rocket', charge_timing: 'in_advance' })).plan_id);
  ids.addon = String(
    (await posted(api, '/api/addons', { name: 'ROCKET fuel', kind: 'recurring', price: 5 })).body.addon_id,
  );
  ids.credit = String((await posted(api, '/api/credits', { customer_id: 'acme', amount: 5 })).body.credit_id);
  const made = await posted(api, '/api/subscriptions', { customer_id: 'acme', plan_id: ids.plan });
  ids.subscription = String(made.body.subscription_id);
  ids.event = await track(api, { customer_id: 'acme', time_created: '2026-11-20T10:00:00Z' });
  await landed(api);
  const invoices = await waitUntil(
    async () => (await api.get('/api/invoices')).body.results as unknown as Json[],
    ({ length }) => length > 0,
  );
  ids.invoice = String(invoices[0]?.invoice_id);
});

async function found(text: string, { api } = account): Promise<Json[]> {
  const answer = await api.get(`/api/search?q=${encodeURIComponent(text)}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.exact.results as unknown as Json[];
}

test('a record of every kind by its id', async () => {
  const customer = {
    type: 'customer',
    id: 'acme',
    title: 'Acme Rockets',
    detail: 'pay@acme.example',
    customer_id: 'acme',
  };
  expect(await found('acme')).toEqual([customer]);
  const details: Record<string, [title: string, detail: string, customer: string | null]> = {
    subscription: ['Big rocket', 'active', 'acme'],
    invoice: ['INV-000001', expect.stringMatching(/^(open|paid), 29 USD$/), 'acme'],
    plan: ['Big rocket', 'active', null],
    addon: ['ROCKET fuel', 'active', null],
    metric: ['Rocket launches', 'active', null],
    credit: ['5 USD', expect.any(String), 'acme'],
    event: ['call', 'acme, 2026-11-20T10:00:00.000Z', 'acme'],
  };
  for (const [type, [title, detail, customer_id]] of Object.entries(details)) {
    expect(await found(` ${ids[type]} `)).toEqual([{ type, id: ids[type], title, detail, customer_id }]);
  }
});

test.each(['INV-000001', 'inv-000001', '1'])('the invoice of number %s', async (number) => {
  expect((await found(number)).map(({ type, id }) => [type, id])).toEqual([['invoice', ids.invoice]]);
});

test('customers by words, then the catalog by a part of a name', async () => {
  expect((await found('rocket')).map(({ type, title }) => `${type} ${title}`)).toEqual([
    'customer Rocket Fans',
    'customer Acme Rockets',
    'plan Big rocket',
    'addon ROCKET fuel',
    'metric Rocket launches',
  ]);
  expect((await found('ig roc')).map(({ type }) => type)).toEqual(['plan']);
  expect(await found('%')).toEqual([]);
});

test('20 at most', async () => {
  const own = await newAccount();
  for (let i = 0; i < 22; i++) await makeCustomer(own.api, { customer_name: 'Many' });
  expect(await found('many', own)).toHaveLength(20);
});

test("nothing of another account's", async () => {
  const other = await newAccount();
  for (const id of ['acme', 'rocket', 'INV-000001', ...Object.values(ids)]) expect(await found(id, other)).toEqual([]);
});

test.each([
  ['', { q: ['Required.'] }],
  ['?q=%20', { q: ['This field may not be blank.'] }],
  [`?q=${'x'.repeat(321)}`, { q: ['Must have at most 320 characters.'] }],
])('%s is 422', async (query, errors) => {
  const answer = await account.api.get(`/api/search${query}`);
  expect([answer.status, answer.body]).toEqual([422, errors]);
});
