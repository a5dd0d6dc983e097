import { beforeAll, expect, test } from 'vitest';
import { whereWords } from '../../../sql/postgres/customers/customer-words.ts';
import { COUNT_CAP, findPage } from '../../../sql/postgres/page-window.ts';
import { inTransaction } from '../../../sql/postgres/postgres.ts';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { makeCustomer } from '../../stack/resources.ts';

const PEOPLE = [
  { customer_id: 'cust-4711_eu', customer_name: 'Ann Smith', email: 'ann.smith@acme.example' },
  { customer_id: 'ann', customer_name: 'Zoë Müller-Lüdenscheidt', email: 'zoe@mueller.example' },
  { customer_id: 'org/7', customer_name: 'ACME Robotics GmbH', email: 'billing@acme.example' },
  { customer_id: '漢字', customer_name: 'Иван Петров ﬁrst', email: 'ivan@petrov.example' },
];

let account: TestAccount;
beforeAll(async () => {
  account = await newAccount();
  for (const person of PEOPLE) await makeCustomer(account.api, person);
});

/** Ids of the customers found, in the order of the list. */
async function found({ api }: TestAccount, search: string, more = ''): Promise<unknown[]> {
  const { status, body, text } = await api.get(`/api/customers/?search=${encodeURIComponent(search)}${more}`);
  expect(status, text).toBe(200);
  const results = itemsOf(body.results);
  expect(body.count).toBe(results.length);
  return results.map(({ customer_id }) => customer_id);
}

test.each([
  ['the beginning of a name, in any case', 'sMi', ['cust-4711_eu']],
  ['a whole word', 'robotics', ['org/7']],
  ['of id, name or email, newest first', 'ann', ['ann', 'cust-4711_eu']],
  ['an id', 'cust-4711_eu', ['cust-4711_eu']],
  ['part of an id', '4711', ['cust-4711_eu']],
  ['an address, also while it is typed', 'ann.smith@ac', ['cust-4711_eu']],
  ['all words, in any order', 'acme ann', ['cust-4711_eu']],
  ['words that no one customer has', 'robotics ann', []],
  ['letters beyond ASCII, in any case', 'MÜLL lü', ['ann']],
  ['other writing systems', 'иван', ['漢字']],
  ['ideographs', '漢', ['漢字']],
  ['a ligature', 'first', ['漢字']],
  ['not the middle of a word', 'mith', []],
  ['nothing that stands for any text', 'sm%th', []],
  ['nor an underscore', 'acm_', ['org/7', 'cust-4711_eu']],
  ['nor what SQL reads', "'; DROP TABLE customers; --", []],
])('finds %s', async (_, search, ids) => {
  expect(await found(account, search)).toEqual(ids);
});

test('a search is sorted as any list', async () => {
  expect(await found(account, 'acme', '&sort=customer_name')).toEqual(['org/7', 'cust-4711_eu']);
  expect(await found(account, 'acme', '&sort=-customer_name')).toEqual(['cust-4711_eu', 'org/7']);
});

test.each([
  ['', 'Must have at least one letter or digit.'],
  [' -', 'Must have at least one letter or digit.'],
  ['x'.repeat(321), 'Must have at most 320 characters.'],
])('%j is 422', async (search, message) => {
  const answer = await account.api.get(`/api/customers/?search=${encodeURIComponent(search)}`);
  expect([answer.status, answer.body]).toEqual([422, { search: [message] }]);
});

test('many words are looked for at once', async () => {
  expect(await found(account, 'a b c d e f g h i j k l m n o p q r s t u v w x y z')).toEqual([]);
  expect(await found(account, 'a an ann s sm smi smit smith ac acm acme e ex')).toEqual(['cust-4711_eu']);
});

test("nothing of another account's", async () => {
  const other = await newAccount();
  await makeCustomer(other.api, { customer_id: 'own', customer_name: 'Ann Other' });
  expect(await found(other, 'ann')).toEqual(['own']);
  expect(await found(other, 'smith')).toEqual([]);
});

test('follows a new name, and forgets who is deleted', async () => {
  const own = await newAccount();
  await makeCustomer(own.api, { customer_id: 'x', customer_name: 'Before', email: 'x@first.example' });
  await own.api.patch('/api/customers/x/', { customer_name: 'After' });
  expect([await found(own, 'before'), await found(own, 'after'), await found(own, 'first')]).toEqual([
    [],
    ['x'],
    ['x'],
  ]);
  await own.api.patch('/api/customers/x/', { email: 'x@second.example' });
  expect([await found(own, 'first'), await found(own, 'second')]).toEqual([[], ['x']]);
  expect((await own.api.post('/api/customers/x/delete/', {})).status).toBe(204);
  expect(await found(own, 'after')).toEqual([]);
  const { rows } = await withPostgres((postgres) =>
    postgres.query('SELECT word FROM customer_words WHERE account_id = $1', [own.accountId]),
  );
  expect(rows).toEqual([]);
});

test('customers that were there before get their words, those that were deleted none', async () => {
  const own = await newAccount();
  for (const customer_id of ['kept', 'gone']) await makeCustomer(own.api, { customer_id, customer_name: 'Older' });
  await own.api.post('/api/customers/gone/delete/', {});
  await withPostgres(async (postgres) => {
    await postgres.query('DELETE FROM customer_words WHERE account_id = $1', [own.accountId]);
    expect(await found(own, 'older')).toEqual([]);
    for (const _ of ['once', 'again']) await postgres.query('CALL fill_customer_words()');
    const { rows } = await postgres.query('SELECT word FROM customer_words WHERE account_id = $1 ORDER BY word', [
      own.accountId,
    ]);
    expect(rows.map(({ word }) => word)).toEqual(['acme', 'billing', 'example', 'kept', 'older']);
  });
  expect(await found(own, 'older')).toEqual(['kept']);
});

test('a word that more customers have than are counted', async () => {
  const own = await newAccount();
  await makeCustomer(own.api, { customer_id: 'first', customer_name: 'Many' });
  await withPostgres((postgres) =>
    postgres.query(
      `INSERT INTO customers (account_id, customer_id, customer_name, email, currency, tax_rate, timezone, created_at)
       SELECT account_id, 'n-' || i, 'Many ' || CASE WHEN i % 4000 = 0 THEN 'Rare' ELSE 'Common' END, email, currency, tax_rate,
         timezone, created_at
       FROM customers, generate_series(1, $2::integer) AS i WHERE account_id = $1`,
      [own.accountId, COUNT_CAP + 50],
    ),
  );
  const list = (query: string) => own.api.get(`/api/customers/?page_size=2&search=${query}`);
  const ids = ({ results }: Json) => itemsOf(results).map(({ customer_id }) => customer_id);
  const many = (await list('man')).body;
  expect([many.count, many.count_is_capped, ids(many)]).toEqual([COUNT_CAP, true, ['n-10050', 'n-10049']]);
  expect(ids((await list('many&sort=created_at')).body)).toEqual(['first', 'n-1']);
  const common = (await list('com+n+man&page=5000')).body;
  expect([common.count, ids(common)]).toEqual([COUNT_CAP, ['n-50', 'n-49']]);
  const rare = (await list('many+rare')).body;
  expect([rare.count, ids(rare)]).toEqual([2, ['n-8000', 'n-4000']]);
  // The same where even the rarest word is one of too many to be collected.
  const walked = await withPostgres((postgres) =>
    inTransaction(postgres, own.accountId, async (tx) => {
      const where = await whereWords(tx, own.accountId, 'many rare', 1);
      const list = {
        select: 'c.customer_id',
        table: ['customers', 'c'],
        equals: { account_id: own.accountId },
        where,
      } as const;
      return findPage(tx, list, { limit: 50, offset: 0 }, (row: { customer_id: string }) => row.customer_id);
    }),
  );
  expect(walked.results).toEqual(['n-8000', 'n-4000']);
});
