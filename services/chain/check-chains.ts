import { existsSync } from 'node:fs';
import { replaceChainCheck } from '../../sql/postgres/chain/chain-checks.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import { readHeads } from './heads-file.ts';
import { verifyChains } from './verify-chain.ts';

export type ChainsChecked = { accounts: number; entries: number; bent: number };

type Checking = Pick<ServiceDependencies, 'postgres' | 'clock' | 'log'> & {
  /** Where published heads were kept. */
  chainHeadsFile?: string | undefined;
};

/** Verifies the chain of every account, and its balances beside it, keeps what was found, and says loudly what is bent. */
export async function checkChains(
  { postgres, clock, log, chainHeadsFile: file }: Checking,
  cancelled: AbortSignal,
): Promise<ChainsChecked> {
  // Before the first head is published there is none.
  const heads = file !== undefined && existsSync(file) ? readHeads(file) : undefined;
  const sum = { accounts: 0, entries: 0, bent: 0 };
  for await (const { accountId, entries, bent } of verifyChains({ postgres, heads, cancelled })) {
    await replaceChainCheck(postgres, accountId, { checkedAt: clock.now(), entries, bent });
    sum.accounts++;
    sum.entries += entries;
    if (!bent) continue;
    sum.bent++;
    log.error({ accountId, ...bent }, 'a record is not as it was chained, or a balance not as the ledger says');
  }
  return sum;
}
