import { expect, test } from 'vitest';
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

test('behind an entry beyond counting nothing is chained, which is told, and other accounts go on', async () => {
  const [account, other] = [await newAccount(), await newAccount()];
  const { accountId } = account;
  const forge = (sequence: number | bigint) =>
    bend(
      account,
      `INSERT INTO chain_entries VALUES ($A, ${sequence}, 'invoice', 'forged', '{}', NULL, now(), repeat('0', 64))`,
    );
  expect(await chainCredit(account)).toHaveLength(1);
  await expect(forge(2n ** 63n - 1n)).rejects.toThrow('chain_entries_countable');
  await forge(Number.MAX_SAFE_INTEGER);
  const told = async () => {
    expect((await account.api.post('/api/credits', { customer_id: 'acme', amount: 5 })).status).toBe(201);
    await withPostgres((postgres) => wholeHeadOf(postgres, accountId));
    const { body } = await account.api.get('/api/chain/head');
    return (body as { verification: { bent: unknown } | null }).verification;
  };
  // As above.
  const noted = await waitUntil(told, (verification) => Boolean(verification?.bent));
  const fields = [{ field: 'sequence', stored: '9007199254740991', chained: null }];
  // A verification of all accounts finds the gap before it.
  const gap = { found: 'entry_missing', sequence: 2, kind: null, record_id: null, fields: [] };
  expect([{ found: 'entry_changed', sequence: null, kind: null, record_id: null, fields }, gap]).toContainEqual(
    noted?.bent,
  );
  expect(await chainCredit(other)).toHaveLength(1);
  const { entries, bent } = await withPostgres((postgres) => verifyChainOf(postgres, accountId));
  expect({ entries, bent }).toEqual({
    entries: 1,
    bent: { found: 'entry_missing', sequence: 2, kind: null, recordId: null, fields: [] },
  });
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
