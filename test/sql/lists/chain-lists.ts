import { listChainEntries, listChainedAccountsAfter } from '../../../sql/postgres/chain/chain-entries.ts';
import { listHeadsToWitness } from '../../../sql/postgres/chain/chain-heads.ts';
import { hasQueuedRecords, listQueuedRecords, loadChainLag } from '../../../sql/postgres/chain/chain-queue.ts';
import { acrossAccounts, type Pool, type Transaction } from '../../../sql/postgres/postgres.ts';

/** What is asked of one account's chain, in the midst of its copied entries. */
export const OF_A_CHAIN = {
  listChainEntries: (tx: Transaction, accountId: string) => listChainEntries(tx, accountId, 2_000_100, 50),
};

/** What the worker asks again and again. */
export const OF_CHAINS = {
  listChainedAccountsAfter: (postgres: Pool) => acrossAccounts(postgres, (tx) => listChainedAccountsAfter(tx, '', 50)),
  hasQueuedRecords: (postgres: Pool) => hasQueuedRecords(postgres),
  listQueuedRecords: (postgres: Pool) =>
    acrossAccounts(postgres, (tx) => listQueuedRecords(tx, 50, ['acct_that_waits'])),
  listHeadsToWitness: (postgres: Pool) => listHeadsToWitness(postgres, 50),
  loadChainLag: (postgres: Pool) => loadChainLag(postgres),
};
