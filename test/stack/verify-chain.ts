import type { PublishedHead } from '../../billing/chain/chain.ts';
import { systemClock } from '../../runtime/clock.ts';
import { GENESIS_HASH } from '../../services/chain/chain.ts';
import { chainQueued } from '../../services/chain/chain-queued.ts';
import { type VerifiedChain, verifyChains } from '../../services/chain/verify-chain.ts';
import { whileVerifying } from '../../sql/postgres/chain/chain-checks.ts';
import { findChainHead } from '../../sql/postgres/chain/chain-entries.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';
import { withPostgres } from './accounts.ts';
import { waitUntil } from './wait-until.ts';

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

/** The head of an account's chain once nothing of the account waits to be chained. */
export async function wholeHeadOf(postgres: Pool, accountId: string): Promise<PublishedHead> {
  const sql = 'SELECT count(*)::int AS waiting FROM chain_queue WHERE account_id = $1';
  const waiting = async () => (await postgres.query<{ waiting: number }>(sql, [accountId])).rows[0]?.waiting;
  // Nobody waits for the worker's next round; where it chains already, this finds nothing to do.
  await waitUntil(
    () => chainQueued(postgres, systemClock.now()).then(waiting),
    (count) => count === 0,
  );
  const head = await whileVerifying(postgres, (tx) => findChainHead(tx, accountId));
  return { accountId, ...(head ?? { sequence: 0, chainHash: GENESIS_HASH }), publishedAt: 0 };
}

/** Whose records are bent. */
type Bendable = { accountId: string; invoice?: string };

/** As a superuser, past row-level security, keys and triggers; `$A` is the account, `$I` its `invoice`. */
export async function bend({ accountId, invoice = '' }: Bendable, sql: string): Promise<void> {
  const statement = sql.replaceAll('$A', `'${accountId}'`).replaceAll('$I', `'${invoice}'`);
  await withPostgres((postgres) =>
    postgres.query(`BEGIN; SET LOCAL session_replication_role = replica; ${statement}; COMMIT`),
  );
}
