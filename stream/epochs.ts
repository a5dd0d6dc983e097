import type { StreamInfo } from '@nats-io/jetstream';
import type { Log } from '../runtime/log.ts';
import type { StreamConnection } from './connection.ts';
import { loadPartitionState, publishClaim, publishLanding } from './landings.ts';
import { readStored } from './read-stored.ts';
import {
  ensureStreams,
  findStream,
  loadUsageStream,
  type StreamSettings,
  type UsageStream,
  wantedStream,
} from './streams.ts';
import { LANDINGS_STREAM, USAGE_STREAM, usageSubject } from './subjects.ts';

/** What records and ClickHouse know of the stream that is to go on. */
export type KnownPlace = {
  /** Every event of a message with a sequence up to this is in ClickHouse, or lost for ever. */
  landedTo: number;
  /** The highest sequence that anything was counted up to; new messages come above it. */
  knownTo: number;
  /** The epoch of the lost stream, 0 where unknown. */
  epoch: number;
};

/** Holds the messages of a replaced stream that had perhaps not landed, until they stand in the new one. */
const CARRIED_STREAM = 'CARRIED_USAGE';
const carriedSubject = (partition: number) => `carried.${partition}`;

/** The server's header of a publish's message id. */
const MESSAGE_ID = 'Nats-Msg-Id';

const PER_READ = { maxMessages: 500, maxBytes: 4 * 2 ** 20 };

/** Landings are at most two for each message: above this no writer of an earlier epoch finds its fence again. */
const LANDINGS_PER_MESSAGE = 2;
const LANDINGS_MARGIN = 1_000;

/**
 * Starts a new epoch of the usage stream: for a restored backup, or where the stream alone was lost. A stream that reaches
 * `knownTo` keeps its messages, and those above `landedTo` land (those that had landed are repeats by their ids). One that
 * does not is replaced by one that goes on above `knownTo`, so that positions never repeat; what it held that had perhaps
 * not landed is carried over to new positions. Nothing else may write meanwhile. Safe to repeat after a crash.
 */
export async function startEpoch(
  connection: StreamConnection,
  settings: StreamSettings,
  known: KnownPlace,
  log: Log,
): Promise<UsageStream & { carriedMessages: number }> {
  const { jsm } = connection;
  const found = await findStream(jsm, USAGE_STREAM);
  const epoch = Math.max(known.epoch, Number(found?.config.metadata?.epoch ?? 0)) + 1;
  const partitions = Number(found?.config.metadata?.partitions ?? settings.usagePartitions);
  const own = { ...settings, usagePartitions: partitions };
  if (found && found.state.last_seq >= known.knownTo) {
    const metadata = { ...found.config.metadata, epoch: String(epoch) };
    await resetLandings(connection, own, { epoch, partitions, landedTo: known.landedTo }, log);
    await jsm.streams.update(USAGE_STREAM, { ...found.config, metadata });
  } else {
    if (found) await carryAway(connection, found, partitions, known.landedTo);
    await resetLandings(connection, own, { epoch, partitions, landedTo: known.knownTo }, log);
    // The last step that cannot be seen from outside: until it is done a repeat begins anew.
    await makeUsageStream(connection, own, known.knownTo, epoch);
  }
  await ensureStreams(jsm, own);
  return { epoch, partitions, carriedMessages: (await bringBack(connection, partitions)) ?? 0 };
}

/** Ends what a crash has left of {@link startEpoch} in a stream that is whole again: messages carried, or undefined. */
export async function finishEpoch(connection: StreamConnection): Promise<number | undefined> {
  return bringBack(connection, (await loadUsageStream(connection.jsm)).partitions);
}

/** Copies what has perhaps not landed to the stream that holds it; ids tell what landed after all. Deletes the usage stream. */
async function carryAway(connection: StreamConnection, { config }: StreamInfo, partitions: number, landedTo: number) {
  const { jsm, js } = connection;
  if (!(await findStream(jsm, CARRIED_STREAM))) {
    const { storage, num_replicas } = config;
    await jsm.streams.add({ name: CARRIED_STREAM, subjects: ['carried.*'], storage, num_replicas, allow_direct: true });
  }
  const hasLandings = await findStream(jsm, LANDINGS_STREAM);
  for (let partition = 0; partition < partitions; partition++) {
    const landing = hasLandings && (await loadPartitionState(connection, partition)).landing;
    const from = Math.min(landing?.to ?? 0, landedTo) + 1;
    for await (const { seq, data, header } of storedFrom(connection, USAGE_STREAM, usageSubject(partition), from)) {
      await js.publish(carriedSubject(partition), data, { headers: header, msgID: String(seq) });
    }
  }
  await jsm.streams.delete(USAGE_STREAM);
}

async function makeUsageStream({ jsm }: StreamConnection, settings: StreamSettings, after: number, epoch: number) {
  const wanted = wantedStream(settings, USAGE_STREAM);
  await jsm.streams.add({ ...wanted, first_seq: after + 1, metadata: { ...wanted.metadata, epoch: String(epoch) } });
}

/** Every partition begins as landed up to `landedTo`; claims and landings of earlier epochs go. */
async function resetLandings(
  connection: StreamConnection,
  settings: StreamSettings,
  { epoch, partitions, landedTo }: UsageStream & { landedTo: number },
  log: Log,
) {
  const { jsm } = connection;
  const before = await findStream(jsm, LANDINGS_STREAM);
  if (before) await jsm.streams.delete(LANDINGS_STREAM);
  const first = Math.max(before?.state.last_seq ?? 0, landedTo * LANDINGS_PER_MESSAGE) + LANDINGS_MARGIN;
  await jsm.streams.add({ ...wantedStream(settings, LANDINGS_STREAM), first_seq: first });
  for (let partition = 0; partition < partitions; partition++) {
    const landing = { v: 1, epoch, partition, to: landedTo, received_at: 0, writer: `epoch-${epoch}` } as const;
    // A run of no messages: there is nothing of it to land again, and nothing to audit.
    const claim = { ...landing, from: landedTo + 1, events: 0, accepted: '', dead: [], counts: [] };
    await publishClaim(connection, claim, 0, log);
    await publishLanding(connection, landing, 0, log);
  }
}

async function bringBack(connection: StreamConnection, partitions: number): Promise<number | undefined> {
  const { jsm, js } = connection;
  const carried = await findStream(jsm, CARRIED_STREAM);
  if (!carried) return undefined;
  for (let partition = 0; partition < partitions; partition++) {
    for await (const { data, header } of storedFrom(connection, CARRIED_STREAM, carriedSubject(partition), 1)) {
      header.delete(MESSAGE_ID);
      await js.publish(usageSubject(partition), data, { headers: header });
    }
  }
  await jsm.streams.delete(CARRIED_STREAM);
  return carried.state.messages;
}

async function* storedFrom(connection: StreamConnection, stream: string, subject: string, from: number) {
  for (let next = from; ; ) {
    const messages = await readStored(connection, stream, subject, next, PER_READ);
    yield* messages;
    const last = messages.at(-1);
    if (!last) return;
    next = last.seq + 1;
  }
}
