import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../runtime/clock.ts';
import { chainQueued } from '../../services/chain/chain-queued.ts';
import { publishHeads } from '../../services/chain/publish-heads.ts';
import { whileVerifying } from '../../sql/postgres/chain/chain-checks.ts';
import { listChainEntries } from '../../sql/postgres/chain/chain-entries.ts';
import { findQueuedAgain } from '../../sql/postgres/chain/chain-queue.ts';
import { acrossAccounts } from '../../sql/postgres/postgres.ts';
import { newAccount, type TestAccount, withPostgres } from '../stack/accounts.ts';
import { makeCustomer } from '../stack/clocks.ts';
import { bend, verifyChainOf, wholeHeadOf } from '../stack/verify-chain.ts';
import { waitUntil } from '../stack/wait-until.ts';

/** The entries of an account that has been given a credit of 5, once it is chained. */
async function chainCredit({ api, accountId }: TestAccount) {
  await makeCustomer(api, 'acme');
  expect((await api.post('/api/credits', { customer_id: 'acme', amount: 5 })).status).toBe(201);
  return withPostgres(async (postgres) => {
    await wholeHeadOf(postgres, accountId);
    return whileVerifying(postgres, (tx) => listChainEntries(tx, accountId, 0, 1_000));
  });
}

test('a row of the queue whose record has its entry already is taken off and told, and holds nobody up', async () => {
  const [account, other] = [await newAccount(), await newAccount()];
  const { accountId } = account;
  const [entry, ...more] = await chainCredit(account);
  expect(more).toEqual([]);
  const record = entry?.recordId ?? '';
  const queue = `INSERT INTO chain_queue (account_id, record_id, kind) VALUES ('${accountId}', '${record}', 'ledger_transaction')`;
  const found = { found: 'record_queued_again', sequence: 1, kind: 'ledger_transaction', fields: [] };
  const told = async () => {
    await bend(account, `${queue} ON CONFLICT DO NOTHING`);
    await withPostgres((postgres) => wholeHeadOf(postgres, accountId));
    const { body } = await account.api.get('/api/chain/head');
    return (body as { verification: { bent: unknown } | null }).verification;
  };
  // A verification of all accounts, which another test may run meanwhile, forgets it: again until it is seen.
  const noted = await waitUntil(told, (verification) => Boolean(verification?.bent));
  expect(noted?.bent).toEqual({ ...found, record_id: record });
  expect(await chainCredit(other)).toHaveLength(1);
  const { entries, bent } = await withPostgres((postgres) => verifyChainOf(postgres, accountId));
  expect({ entries, bent }).toEqual({ entries: 1, bent: null });
  // As a verification sees it where nobody chains.
  const seen = await withPostgres((postgres) =>
    acrossAccounts(postgres, async (tx) => {
      await tx.query(queue);
      const again = await findQueuedAgain(tx, accountId);
      await tx.query('DELETE FROM chain_queue WHERE account_id = $1', [accountId]);
      return again;
    }),
  );
  expect(seen).toEqual({ ...found, recordId: record });
});

/** What stays on the queue of an account after a round of chaining. */
const queuedOf = ({ accountId }: TestAccount) =>
  withPostgres(async (postgres) => {
    await chainQueued(postgres, systemClock.now());
    const sql = 'SELECT record_id FROM chain_queue WHERE account_id = $1 ORDER BY queue_id';
    const { rows } = await postgres.query<{ record_id: string }>(sql, [accountId]);
    return rows.map(({ record_id }) => record_id);
  });

const entriesOf = ({ accountId }: TestAccount) =>
  withPostgres((postgres) => whileVerifying(postgres, (tx) => listChainEntries(tx, accountId, 0, 1_000)));

test.each([
  ['beyond counting', Number.MAX_SAFE_INTEGER],
  ['behind a gap', 3],
])(
  'behind a forged entry %s nothing is chained, which is told; other accounts go on, and so does it once that is gone',
  async (_, sequence) => {
    const [account, other] = [await newAccount(), await newAccount()];
    const { accountId, api } = account;
    const forge = (at: number | bigint) =>
      bend(
        account,
        `INSERT INTO chain_entries VALUES ($A, ${at}, 'invoice', 'forged', '{}', NULL, now(), repeat('0', 64))`,
      );
    expect(await chainCredit(account)).toHaveLength(1);
    await expect(forge(2n ** 63n - 1n)).rejects.toThrow('chain_entries_countable');
    await forge(sequence);
    const told = async () => {
      expect((await api.post('/api/credits', { customer_id: 'acme', amount: 5 })).status).toBe(201);
      await queuedOf(account);
      const { body } = await api.get('/api/chain/head');
      return (body as { verification: { bent: unknown } | null }).verification;
    };
    // As above.
    const noted = await waitUntil(told, (verification) => Boolean(verification?.bent));
    const fields = [{ field: 'sequence', stored: String(sequence), chained: null }];
    // A verification of all accounts finds the gap before it.
    const gap = { found: 'entry_missing', sequence: 2, kind: null, record_id: null, fields: [] };
    expect([{ found: 'entry_changed', sequence: null, kind: null, record_id: null, fields }, gap]).toContainEqual(
      noted?.bent,
    );
    // More of them than a batch has.
    await bend(
      account,
      `INSERT INTO chain_queue (account_id, record_id, kind) SELECT $A, 'made up ' || n, 'invoice' FROM generate_series(1, 201) n`,
    );
    expect(await chainCredit(other)).toHaveLength(1);
    await bend(account, "DELETE FROM chain_queue WHERE account_id = $A AND record_id LIKE 'made up %'");
    const { entries, bent } = await withPostgres((postgres) => verifyChainOf(postgres, accountId));
    expect({ entries, bent }).toEqual({
      entries: 1,
      bent: { found: 'entry_missing', sequence: 2, kind: null, recordId: null, fields: [] },
    });

    const waiting = await queuedOf(account);
    expect(waiting.length).toBeGreaterThan(0);
    const goneAt = Date.now();
    await bend(account, "DELETE FROM chain_entries WHERE account_id = $A AND record_id = 'forged'");
    const left = await waitUntil(
      () => queuedOf(account),
      (queued) => queued.length === 0,
    );
    expect(left).toEqual([]);
    const [, ...late] = await entriesOf(account);
    expect(late.map(({ recordId }) => recordId)).toEqual(waiting);
    // An auditor sees how long they had none.
    for (const { chainedAt } of late) expect(chainedAt).toBeGreaterThanOrEqual(goneAt);
    expect((await withPostgres((postgres) => verifyChainOf(postgres, accountId))).bent).toBe(null);
  },
);

test('a forged entry behind a gap is no head that is published', async () => {
  const account = await newAccount();
  const { accountId, api } = account;
  const [entry] = await chainCredit(account);
  await bend(
    account,
    `UPDATE chain_entries SET chained_at = now() - interval '2 hours' WHERE account_id = $A;
     INSERT INTO chain_entries VALUES ($A, ${Number.MAX_SAFE_INTEGER}, 'invoice', 'forged', '{}', NULL, now(), repeat('0', 64))`,
  );
  const publish = async () => {
    await withPostgres((postgres) => publishHeads(postgres, systemClock.now()));
    return (await api.get('/api/chain/head')).body.published;
  };
  const published = await waitUntil(publish, Boolean);
  expect(published).toMatchObject({ account_id: accountId, sequence: 1, chain_hash: entry?.chainHash });
});

test('what has no entry and waits for none is chained by what the runbook has for it, and nothing twice', async () => {
  const account = await newAccount();
  const { accountId } = account;
  expect(await chainCredit(account)).toHaveLength(1);
  await bend(account, 'DELETE FROM chain_entries WHERE account_id = $A');
  const verify = () => withPostgres((postgres) => verifyChainOf(postgres, accountId));
  const { bent } = await verify();
  expect(bent).toMatchObject({ found: 'record_not_chained', kind: 'ledger_transaction' });
  const runbook = await readFile('operations/runbook.md', 'utf8');
  const [, sql = ''] = /```sql\n(INSERT INTO chain_queue[^`]*)```/.exec(runbook) ?? [];
  for (let times = 0; times < 2; times++) await bend(account, sql.replace("'<account>'", '$A').replace(/;\s*$/, ''));
  await waitUntil(
    () => queuedOf(account),
    (queued) => queued.length === 0,
  );
  expect((await entriesOf(account)).map(({ recordId }) => recordId)).toEqual([bent?.recordId]);
  expect((await verify()).bent).toBe(null);
});

test('an entry before the first, which hides that its record is in no chain, is found', async () => {
  const account = await newAccount();
  expect(await chainCredit(account)).toHaveLength(1);
  const check = 'ALTER TABLE chain_entries ADD CONSTRAINT chain_entries_sequence_check CHECK (sequence > 0) NOT VALID';
  await bend(
    account,
    `ALTER TABLE chain_entries DROP CONSTRAINT chain_entries_sequence_check;
     INSERT INTO chain_entries VALUES ($A, 0, 'invoice', 'forged', '{}', NULL, now(), repeat('0', 64)); ${check}`,
  );
  const { bent } = await withPostgres((postgres) => verifyChainOf(postgres, account.accountId));
  expect(bent).toMatchObject({ found: 'entry_changed', sequence: 0, recordId: 'forged' });
});
