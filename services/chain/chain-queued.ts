import { type Bent, type ChainEntry, type ChainHead, queuedAgain } from '../../billing/chain/chain.ts';
import type { Instant } from '../../core/instants.ts';
import { noteBent } from '../../sql/postgres/chain/chain-checks.ts';
import { findChainEnd, insertChainEntries } from '../../sql/postgres/chain/chain-entries.ts';
import {
  deleteQueuedRecords,
  hasQueuedRecords,
  listQueuedRecords,
  type QueuedRecord,
  whileAlone,
} from '../../sql/postgres/chain/chain-queue.ts';
import { findChainedRecords } from '../../sql/postgres/chain/chain-records.ts';
import type { Pool, Transaction } from '../../sql/postgres/postgres.ts';
import { chainHashOf, contentOf, GENESIS_HASH, newSalt } from './chain.ts';

/** Records in one transaction: a few megabytes where their invoices are long. */
const BATCH = 200;

/** How many rows of the queue a batch took, and what is wrong with chains, or with the queue, and was not known. */
export type Chained = { taken: number; bent: FoundBent[] };

type FoundBent = Bent & { accountId: string };

const NOTHING: Chained = { taken: 0, bent: [] };

/**
 * Chains a batch of the records that have been committed and are not chained yet, each account's behind its head, in the order in which
 * they were written. Nobody who bills waits for it. One process at a time does it: nothing for any other. What somebody wrote past the
 * service holds no other account up: a record that has its entry already gets no other one, and what would come behind an entry that none
 * can follow waits until that is gone; either is noted as what a check has found.
 */
export async function chainQueued(postgres: Pool, now: Instant): Promise<Chained> {
  if (!(await hasQueuedRecords(postgres))) return NOTHING;
  const chained = await whileAlone(postgres, 'chain', async (tx) => {
    const { queued, heads, stuck } = await listToChain(tx);
    const told = await Promise.all(stuck.map((found) => note(tx, found, now)));
    const byAccount = Map.groupBy(queued, ({ accountId }) => accountId);
    const chaining = [...byAccount].map(([accountId, ofAccount]) =>
      chainOf(tx, accountId, heads.get(accountId), ofAccount, now),
    );
    const bent = (await Promise.all(chaining)).flat();
    await deleteQueuedRecords(tx, queued);
    return { taken: queued.length, bent: [...told.flat(), ...bent] };
  });
  return chained ?? NOTHING;
}

/**
 * The oldest records of accounts whose chains can go on, with their heads, and what keeps the others from it: however many records of
 * theirs are older.
 */
async function listToChain(tx: Transaction) {
  const stuck = new Map<string, FoundBent>();
  for (;;) {
    const queued = await listQueuedRecords(tx, BATCH, [...stuck.keys()]);
    const accountIds = [...new Set(queued.map(({ accountId }) => accountId))];
    const ends = await Promise.all(accountIds.map((accountId) => findChainEnd(tx, accountId)));
    const heads = new Map(accountIds.map((accountId, i) => [accountId, ends[i]?.head]));
    const before = stuck.size;
    for (const [i, accountId] of accountIds.entries()) {
      const end = ends[i];
      if (end && !canBeFollowed(end)) stuck.set(accountId, { accountId, ...unfollowed(end.head.sequence) });
    }
    if (stuck.size === before) return { queued, heads, stuck: [...stuck.values()] };
  }
}

/** Not by a whole batch where the sequence would be beyond counting, nor where an entry is missing before it. */
function canBeFollowed({ head, follows }: { head: ChainHead; follows: boolean }): boolean {
  return follows && Number.isSafeInteger(head.sequence + BATCH);
}

/** What is found of a head that no entry can come behind. */
function unfollowed(sequence: number): Bent {
  const fields = [{ field: 'sequence', stored: String(sequence), chained: null }];
  return { found: 'entry_changed', sequence: null, kind: null, recordId: null, fields };
}

/** What is found again and again, round by round, is told once. */
async function note(tx: Transaction, { accountId, ...bent }: FoundBent, now: Instant): Promise<FoundBent[]> {
  return (await noteBent(tx, accountId, bent, now)) ? [{ accountId, ...bent }] : [];
}

/** Chains what waits of an account; notes the first thing that is wrong, and answers them all. */
async function chainOf(
  tx: Transaction,
  accountId: string,
  head: ChainHead | undefined,
  queued: readonly QueuedRecord[],
  now: Instant,
) {
  const waiting = queued.filter(({ chainedAs }) => chainedAs === null);
  const bent = queued.flatMap(({ kind, recordId, chainedAs }) =>
    chainedAs === null ? [] : [queuedAgain(kind, recordId, chainedAs)],
  );
  await append(tx, accountId, head, waiting, now);
  const [first] = bent;
  if (first) await noteBent(tx, accountId, first, now);
  return bent.map((found) => ({ accountId, ...found }));
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
