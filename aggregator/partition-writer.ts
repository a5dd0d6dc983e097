import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import type { Log } from '../runtime/log.ts';
import { inSpan } from '../runtime/tracing.ts';
import { insertUsageBatch } from '../sql/clickhouse/usage/usage-landing.ts';
import { insertRepeats } from '../sql/clickhouse/usage/usage-repeats.ts';
import { type Claim, tokenOf } from '../stream/claims.ts';
import type { StreamConnection } from '../stream/connection.ts';
import { publishDeadLetter } from '../stream/dead-letters.ts';
import { confirmClaim, FenceLost, loadPartitionState, publishClaim, publishLanding } from '../stream/landings.ts';
import { loadLastSequence } from '../stream/streams.ts';
import { type Batch, bytesOfRepeats, bytesOfRows } from './batch.ts';
import { type BatchReader, createBatchReader } from './batch-reader.ts';
import { acceptedByClaim, claimOf, type Decision, decideBatch } from './decide.ts';
import type { IdSet } from './id-set.ts';
import { insertMissing } from './insert-missing.ts';
import type { KnownIds } from './known-ids.ts';
import { readClaimedBatch } from './read-claimed-batch.ts';

/** The points between which a crash must change no total; tests end the process there. */
export type Step = 'pulled' | 'decided' | 'claimed' | 'inserted' | 'landed';

export type PartitionWriter = {
  connection: StreamConnection;
  clickhouse: ClickHouseClient;
  partition: number;
  epoch: number;
  /** Unique per run of a process: tells its own claims from those of any other run. */
  writerId: string;
  log: Log;
  signal: AbortSignal;
  /** Called after each step. */
  onStep(step: Step, claim: Claim | undefined): void;
};

/** The sequences of the newest claim and landing of the partition in the landings stream. */
type Fence = { claim: number; landing: number };

const RETRY_MS = { first: 100, most: 5_000 };

/** A claim confirmed longer ago than this is confirmed again before an insert: the store's memory of tokens is long, not endless. */
const CONFIRM_AFTER_MS = 5_000;

/**
 * Brings the partition to where its last writer was: lands the batch that was claimed and perhaps not landed, exactly as
 * claimed (architecture#the-aggregator). Returns what to go on from.
 * @throws FenceLost when another writer is at work.
 */
export async function recoverPartition(writer: PartitionWriter): Promise<{ fence: Fence; next: number }> {
  const { connection, clickhouse, partition, signal, log } = writer;
  const state = await again(writer, 'the landings cannot be read', () => loadPartitionState(connection, partition));
  const fence = { claim: state.claimSequence, landing: state.landingSequence };
  const { claim } = state;
  if (!claim) return { fence, next: 1 };
  const last = await again(writer, 'the usage stream cannot be asked', () => loadLastSequence(connection.jsm));
  // Nothing can be done about it here, and new events would wait for ever below what has landed: a person must know.
  if (last < claim.to) log.fatal({ partition, last, claimed: claim.to }, 'the usage stream has lost messages');
  if ((state.landing?.to ?? 0) < claim.to) {
    log.info({ partition, token: tokenOf(claim) }, 'landing the last claim again');
    const batch = await readClaimedBatch(connection, claim, log, signal);
    const accepted = acceptedByClaim(batch, claim);
    await landClaim(writer, claim, fence, async () => {
      await Promise.all([insertMissing(clickhouse, claim, batch, accepted), keepRepeats(writer, batch, accepted)]);
    });
  }
  return { fence, next: claim.to + 1 };
}

/**
 * Lands a partition from sequence `from` on, batch after batch, for ever: ends only by the signal (rejects with its
 * abort error) or by losing the fence. Needs {@link recoverPartition} first, and `known` loaded after that.
 * @throws FenceLost when another writer has taken over: the process must end, a fresh start goes on from the truth.
 */
export async function landPartition(writer: PartitionWriter, known: KnownIds, fence: Fence, from: number) {
  const reader = createBatchReader(writer, from);
  let next = await decideNext(writer, known, reader, { isLanded: () => true });
  for (;;) {
    const decided = next;
    const { batch, accepted, ids } = decided;
    const [parent = null, ...links] = batch.traces;
    const options = { kind: 'consumer', parent, links, attributes: { events: batch.tallies.length } } as const;
    let isLanded = false;
    const sent = Promise.withResolvers<void>();
    const landing = inSpan('land batch', options, () => landBatch(writer, fence, decided, sent.resolve));
    // Deciding takes the thread that sends: ClickHouse is to have its rows first, and to work meanwhile.
    const ahead = Promise.race([sent.promise, landing]).then(() => {
      return decideNext(writer, known, reader, { ids, isLanded: () => isLanded });
    });
    // Looked at below: a batch that has been begun is landed before anything ends.
    ahead.catch(() => {});
    await landing;
    known.add(batch.fingerprints, accepted);
    isLanded = true;
    next = await ahead;
  }
}

type Decided = Decision & { batch: Batch };

/** The batch before the one that is decided: its ids, which count as landed whether or not they have yet. */
type Before = { ids?: IdSet; isLanded: () => boolean };

/** Takes the next batch and decides it, ahead of its turn where it is a full one. */
async function decideNext(writer: PartitionWriter, known: KnownIds, reader: BatchReader, before: Before) {
  const batch = await reader.next(before.isLanded);
  writer.onStep('pulled', undefined);
  const landed = await again(writer, 'landed ids cannot be asked for', () => known.findLanded(batch.fingerprints));
  const decided: Decided = { batch, ...decideBatch(batch, landed, before.ids) };
  writer.onStep('decided', undefined);
  return decided;
}

/** `onSent` is called when ClickHouse has been sent the rows, where there are any. */
async function landBatch(writer: PartitionWriter, fence: Fence, { batch, accepted }: Decided, onSent: () => void) {
  const { connection, clickhouse, partition, epoch, writerId, log } = writer;
  for (const letter of batch.undecodable) {
    log.error({ partition, sequence: letter.sequence, reason: letter.reason }, 'a message cannot be decoded');
    await publishDeadLetter(connection, { ...letter, partition, epoch }, log);
  }
  const claim = claimOf(batch, accepted, { epoch, partition, id: writerId });
  fence.claim = await publishClaim(connection, claim, fence.claim, log);
  writer.onStep('claimed', claim);

  const rows = bytesOfRows(batch, accepted);
  let isBegun = false;
  const insert = async () => {
    // What became of an insert that failed is not known: its token may stand without its rows.
    if (isBegun) return insertMissing(clickhouse, claim, batch, accepted);
    isBegun = true;
    if (rows.length > 0) await insertUsageBatch(clickhouse, rows, tokenOf(claim), { onSent });
  };
  await landClaim(writer, claim, fence, async () => {
    await Promise.all([insert(), keepRepeats(writer, batch, accepted)]);
  });
}

/** Keeps which events of a batch did not count since their id had landed; beside its rows, so that they do not wait for it. */
async function keepRepeats({ clickhouse }: PartitionWriter, batch: Batch, accepted: readonly boolean[]): Promise<void> {
  const rows = bytesOfRepeats(batch, accepted);
  if (rows.length > 0) await insertRepeats(clickhouse, rows);
}

async function landClaim(writer: PartitionWriter, claim: Claim, fence: Fence, insert: () => Promise<void>) {
  const { connection, log, partition, epoch, writerId } = writer;
  let confirmedAt = performance.now();
  await again(writer, 'a batch cannot be inserted', async () => {
    if (performance.now() - confirmedAt > CONFIRM_AFTER_MS) {
      await confirmClaim(connection, claim, fence.claim);
      confirmedAt = performance.now();
    }
    await insert();
  });
  writer.onStep('inserted', claim);
  const landing = { v: 1, epoch, partition, to: claim.to, received_at: claim.received_at, writer: writerId } as const;
  fence.landing = await publishLanding(connection, landing, fence.landing, log);
  writer.onStep('landed', claim);
}

/** ClickHouse and the stream may be away for hours; the same work then waits and goes on by itself. */
export async function again<T>(
  writer: Pick<PartitionWriter, 'log' | 'signal'>,
  problem: string,
  work: () => Promise<T>,
): Promise<T> {
  for (let delay = RETRY_MS.first; ; delay = Math.min(delay * 2, RETRY_MS.most)) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof FenceLost || writer.signal.aborted) throw error;
      writer.log.warn({ err: error, delay }, `${problem}, trying again`);
      await sleep(delay, undefined, { signal: writer.signal });
    }
  }
}
