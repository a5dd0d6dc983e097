import type { PublishedHead } from '../../billing/chain/chain.ts';
import { type VerifiedChain, verifyChains } from '../../services/chain/verify-chain.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';

/** What a verification of one account's chain finds; `heads`: published ones that were kept elsewhere. */
export async function verifyChainOf(
  postgres: Pool,
  accountId: string,
  heads: readonly PublishedHead[] = [],
): Promise<VerifiedChain> {
  async function* kept() {
    yield* heads;
  }
  const cancelled = new AbortController().signal;
  for await (const one of verifyChains({ postgres, accountId, heads: kept(), cancelled })) return one;
  throw new Error('nothing was verified');
}
