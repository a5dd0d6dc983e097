import type { Bent, ChainEntry } from '../../billing/chain/chain.ts';
import type { Instant } from '../../core/instants.ts';
import { noteBent } from '../../sql/postgres/chain/chain-checks.ts';
import { findChainHead, insertChainEntries } from '../../sql/postgres/chain/chain-entries.ts';
import {
  hasQueuedRecords,
  type QueuedRecord,
  queuedAgain,
  takeQueuedRecords,
  whileAlone,
} from '../../sql/postgres/chain/chain-queue.ts';
import { findChainedRecords } from '../../sql/postgres/chain/chain-records.ts';
import type { Pool, Transaction } from '../../sql/postgres/postgres.ts';
import { chainHashOf, contentOf, GENESIS_HASH, newSalt } from './chain.ts';

/** Records in one transaction: a few megabytes where their invoices are long. */
const BATCH = 200;

/** How many rows of the queue a batch took, and which of them were of records that had their entry already. */
export type Chained = { taken: number; again: (Bent & { accountId: string })[] };

const NOTHING: Chained = { taken: 0, again: [] };

/**
 * Chains a batch of the records that have been committed and are not chained yet, each account's behind its head, in the order in which
 * they were written. Nobody who bills waits for it. One process at a time does it: nothing for any other. A record that has its entry
 * already gets no other one: its row in the queue came past the service, and is noted as what a check has found.
 */
export async function chainQueued(postgres: Pool, now: Instant): Promise<Chained> {
  if (!(await hasQueuedRecords(postgres))) return NOTHING;
  const chained = await whileAlone(postgres, 'chain', async (tx) => {
    const queued = await takeQueuedRecords(tx, BATCH);
    const byAccount = Map.groupBy(queued, ({ accountId }) => accountId);
    const chainAll = [...byAccount].map(async ([accountId, ofAccount]) => {
      const waiting = ofAccount.filter(({ chainedAs }) => chainedAs === null);
      await chainOf(tx, accountId, waiting, now);
      return noteQueuedAgain(tx, accountId, ofAccount, now);
    });
    const again = await Promise.all(chainAll);
    return { taken: queued.length, again: again.flat() };
  });
  return chained ?? NOTHING;
}

/** Notes the first of the rows whose record has its entry already; answers them all. */
async function noteQueuedAgain(tx: Transaction, accountId: string, queued: readonly QueuedRecord[], now: Instant) {
  const again = queued.flatMap(({ kind, recordId, chainedAs }) =>
    chainedAs === null ? [] : [queuedAgain(kind, recordId, chainedAs)],
  );
  const [first] = again;
  if (first) await noteBent(tx, accountId, first, now);
  return again.map((bent) => ({ accountId, ...bent }));
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
