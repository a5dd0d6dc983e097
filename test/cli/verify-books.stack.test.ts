import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newAccount, withPostgres } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';
import { makeCustomer } from '../stack/clocks.ts';
import { waitUntil } from '../stack/wait-until.ts';

/** What an auditor runs (spec/chain#verification). */
function verify(...args: string[]) {
  const main = join(import.meta.dirname, '../../cli/main.ts');
  const env = { ...process.env, DATABASE_URL: stack().postgres_url };
  return spawnSync(process.execPath, [main, 'verify-books', ...args], { encoding: 'utf8', env });
}

test('verify-books ends with 0 where all is whole, with 1 where something is bent, which it names, with 2 where it cannot tell', async () => {
  const { api, accountId } = await newAccount();
  await makeCustomer(api, 'acme');
  expect((await api.post('/api/credits', { customer_id: 'acme', amount: 5 })).status).toBe(201);
  await waitUntil(
    async () => (await api.get('/api/chain/head')).body,
    ({ sequence }) => Number(sequence) === 1,
  );
  const whole = verify('--account', accountId);
  expect([whole.status, whole.stderr]).toEqual([0, '']);
  expect(JSON.parse(whole.stdout)).toEqual({
    ...{ accounts: 1, entries: 1, erased: 0, bent_accounts: 0, bent: [] },
    ...{ seconds: expect.any(Number), entries_per_second: expect.any(Number) },
  });

  const folder = await mkdtemp(join(tmpdir(), 'meterbook-heads-'));
  const heads = join(folder, 'heads.ndjson');
  const head = { account_id: accountId, sequence: 4, chain_hash: 'a'.repeat(64), published_at: '2026-01-01T00:00:00Z' };
  await writeFile(heads, `${JSON.stringify(head)}\n`);
  const cut = verify('--account', accountId, '--heads', heads);
  await rm(folder, { recursive: true });
  expect(cut.status).toBe(1);
  expect(JSON.parse(cut.stdout).bent).toMatchObject([{ account_id: accountId, found: 'head_missing', sequence: 4 }]);
  expect(cut.stderr).toContain('operations/runbook.md#meterbookchainbent');

  const forge = "UPDATE ledger_transactions SET kind = 'refund_paid' WHERE account_id = $1";
  await withPostgres((postgres) => postgres.query(forge, [accountId]));
  const bent = verify('--account', accountId);
  expect(bent.status).toBe(1);
  const fields = [{ field: 'kind', stored: '"refund_paid"', chained: '"credit_granted"' }];
  expect(JSON.parse(bent.stdout)).toMatchObject({
    ...{ entries: 0, bent_accounts: 1 },
    bent: [{ account_id: accountId, found: 'record_changed', sequence: 1, kind: 'ledger_transaction', fields }],
  });

  const unknown = verify('--account', 'acct_none');
  expect([unknown.status, unknown.stdout]).toEqual([2, '']);
  expect(unknown.stderr).toContain('there is no account acct_none');
});
