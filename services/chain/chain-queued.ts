import { type Bent, type ChainEntry, type ChainHead, queuedAgain } from '../../billing/chain/chain.ts';
import type { Instant } from '../../core/instants.ts';
import { noteBent } from '../../sql/postgres/chain/chain-checks.ts';
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

/** How many rows of the queue a batch took, and what is wrong with chains that they were to be put to. */
export type Chained = { taken: number; bent: (Bent & { accountId: string })[] };

const NOTHING: Chained = { taken: 0, bent: [] };

/**
 * Chains a batch of the records that have been committed and are not chained yet, each account's behind its head, in the order in which
 * they were written. Nobody who bills waits for it. One process at a time does it: nothing for any other. What somebody wrote past the
 * service holds no other account up: a record that has its entry already gets no other one, and behind an entry with a sequence beyond
 * counting comes none; either is noted as what a check has found.
 */
export async function chainQueued(postgres: Pool, now: Instant): Promise<Chained> {
  if (!(await hasQueuedRecords(postgres))) return NOTHING;
  const chained = await whileAlone(postgres, 'chain', async (tx) => {
    const queued = await takeQueuedRecords(tx, BATCH);
    const byAccount = Map.groupBy(queued, ({ accountId }) => accountId);
    const chaining = [...byAccount].map(([accountId, ofAccount]) => chainOf(tx, accountId, ofAccount, now));
    return { taken: queued.length, bent: (await Promise.all(chaining)).flat() };
  });
  return chained ?? NOTHING;
}

/** Chains what waits of an account; notes the first thing that is wrong, and answers them all. */
async function chainOf(tx: Transaction, accountId: string, queued: readonly QueuedRecord[], now: Instant) {
  const waiting = queued.filter(({ chainedAs }) => chainedAs === null);
  const bent = queued.flatMap(({ kind, recordId, chainedAs }) =>
    chainedAs === null ? [] : [queuedAgain(kind, recordId, chainedAs)],
  );
  const head = await findChainHead(tx, accountId);
  if (Number.isSafeInteger((head?.sequence ?? 0) + waiting.length)) await append(tx, accountId, head, waiting, now);
  else bent.push(beyondCounting(head?.sequence));
  const [first] = bent;
  if (first) await noteBent(tx, accountId, first, now);
  return bent.map((found) => ({ accountId, ...found }));
}

/** What is found of a head that no entry can come behind. */
function beyondCounting(sequence: number | undefined): Bent {
  const fields = [{ field: 'sequence', stored: String(sequence), chained: null }];
  return { found: 'entry_changed', sequence: null, kind: null, recordId: null, fields };
}

/** Puts records behind the head. One that has gone before it was chained gets its entry, too: it is missed by that. */
async function append(
  tx: Transaction,
  accountId: string,
  head: ChainHead | undefined,
  queued: readonly QueuedRecord[],
  now: Instant,
) {
  const records = await findChainedRecords(tx, accountId, queued);
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
