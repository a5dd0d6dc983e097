import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newAccount } from '../stack/accounts.ts';
import { api, stack } from '../stack/api.ts';

/** What an operator does for an account that has lost its keys (spec/accounts#keys). */
function cli(...args: string[]) {
  const main = join(import.meta.dirname, '../../cli/main.ts');
  const env = { ...process.env, DATABASE_URL: stack().postgres_url };
  return spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', env });
}

test('list-accounts shows every account; create-key makes one a key, with the scopes that were asked for', async () => {
  const { accountId } = await newAccount();
  const listed = cli('list-accounts');
  expect([listed.status, listed.stderr]).toEqual([0, '']);
  const { accounts } = JSON.parse(listed.stdout) as { accounts: { account_id: string }[] };
  expect(accounts.find(({ account_id }) => account_id === accountId)).toEqual({
    account_id: accountId,
    name: 'Test',
    mode: 'test',
    default_currency: 'usd',
    created_at: expect.stringMatching(/Z$/),
  });

  const made = cli('create-key', '--account', accountId, '--scopes', 'read');
  expect([made.status, made.stderr]).toEqual([0, '']);
  const key = JSON.parse(made.stdout) as { account_id: string; scopes: string[]; key: string };
  expect(key).toMatchObject({ account_id: accountId, scopes: ['read'], key: expect.stringMatching(/^mb_test_/) });
  const client = api(key.key);
  expect((await client.get('/api/customers')).status).toBe(200);
  expect((await client.get('/api/api-keys')).status).toBe(403);

  const all = JSON.parse(cli('create-key', '--account', accountId).stdout) as { key: string };
  expect((await api(all.key).get('/api/api-keys')).body.count).toBe(3);
});

test('create-key for no account says where they are', () => {
  const refused = cli('create-key', '--account', 'acct_none');
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('list-accounts')]);
});
