import { findChainCheck } from '../../sql/postgres/chain/chain-checks.ts';
import { findChainHead } from '../../sql/postgres/chain/chain-entries.ts';
import { findPublishedHead } from '../../sql/postgres/chain/chain-heads.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import type { ChainState } from '../../wire/accounts/chain.ts';
import { GENESIS_HASH } from './chain.ts';

/** Where an account's chain stands: its head, what was published of it, and what was found when it was last computed again. */
export async function loadChainState(tx: Transaction, accountId: string): Promise<ChainState> {
  const [head, published, check] = await Promise.all([
    findChainHead(tx, accountId),
    findPublishedHead(tx, accountId),
    findChainCheck(tx, accountId),
  ]);
  return { head: head ?? { sequence: 0, chainHash: GENESIS_HASH, chainedAt: null }, published, check };
}
