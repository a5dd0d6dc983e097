import type { ChainEntry } from '../../billing/chain/chain.ts';
import type { Instant } from '../../core/instants.ts';
import { findChainHead, insertChainEntries } from '../../sql/postgres/chain/chain-entries.ts';
import {
  hasQueuedRecords,
  type QueuedRecord,
  takeQueuedRecords,
  whileAlone,
} from '../../sql/postgres/chain/chain-queue.ts';
import { findChainedRecords } from '../../sql/postgres/chain/chain-records.ts';
import type { Pool, Transaction } from '../../sql/postgres/postgres.ts';
import { chainHashOf, contentOf, GENESIS_HASH, newSalt } from './chain.ts';

/** Records in one transaction: a few megabytes where their invoices are long. */
const BATCH = 200;

/**
 * Chains a batch of the records that have been committed and are not chained yet, each account's behind its head, in the order in which
 * they were written; how many. Nobody who bills waits for it. One process at a time does it: 0 for any other.
 */
export async function chainQueued(postgres: Pool, now: Instant): Promise<number> {
  if (!(await hasQueuedRecords(postgres))) return 0;
  const chained = await whileAlone(postgres, 'chain', async (tx) => {
    const queued = await takeQueuedRecords(tx, BATCH);
    const byAccount = Map.groupBy(queued, ({ accountId }) => accountId);
    await Promise.all([...byAccount].map(([accountId, ofAccount]) => chainOf(tx, accountId, ofAccount, now)));
    return queued.length;
  });
  return chained ?? 0;
}

/** A record that has gone before it was chained gets its entry, too: it is missed by that. */
async function chainOf(tx: Transaction, accountId: string, queued: readonly QueuedRecord[], now: Instant) {
  const [head, records] = await Promise.all([findChainHead(tx, accountId), findChainedRecords(tx, accountId, queued)]);
  let { sequence, chainHash } = head ?? { sequence: 0, chainHash: GENESIS_HASH };
  const entries = queued.map((name): ChainEntry => {
    const record = records.get(name.recordId);
    const salt = record?.personal ? newSalt() : null;
    const content = contentOf(name, record, salt === null ? { erased: null } : { salt });
    sequence++;
    chainHash = chainHashOf(chainHash, now, content);
    const { kind, recordId } = name;
    return { sequence, kind, recordId, content, salt, chainedAt: now, chainHash };
  });
  await insertChainEntries(tx, accountId, entries);
}
