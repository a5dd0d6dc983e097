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
