import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { DEAD_LETTERS_STREAM, LANDINGS_STREAM, USAGE_STREAM } from './subjects.ts';

/** What an operator chooses (runtime/config.ts). */
export type StreamSettings = { usagePartitions: number; usageStreamMaxBytes: number; streamReplicas: number };

/** What the usage stream was made with: fixed at its creation. A new epoch (`epochs.ts`) raises the epoch. */
export type UsageStream = { partitions: number; epoch: number };

/** The usage stream ends below what has been counted from it, or is gone: nothing may be accepted or landed as it is. */
export class StreamLost extends Error {}

/**
 * Landings kept per subject: of the last claim and the last landing the truth depends, the others are for people and
 * for the audit. No limit in bytes or age here: it could drop the last landing of an idle partition.
 */
const LANDINGS_PER_SUBJECT = 10_000;

/** Somebody is told of each dead letter; one that nobody has replayed by then goes, and so does the oldest of too many. */
const DEAD_LETTERS_KEPT_NS = 90 * 86_400 * 1_000_000_000;
const DEAD_LETTERS_MAX_BYTES = 2 ** 30;

/**
 * Of the usage stream, headers included: what cannot be decoded must still fit, with its reason, into a dead letter, which is
 * stored within the server's 1 MiB. An edge's group is a third of it at most.
 */
const MOST_MESSAGE_BYTES = 2 ** 20 - 2 ** 14;

type NamedConfig = Partial<StreamConfig> & { name: string };

/** The three streams as they must be (architecture#the-edge-and-the-stream). */
function wantedStreams(settings: StreamSettings): NamedConfig[] {
  const common = {
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    num_replicas: settings.streamReplicas,
    allow_direct: true,
    deny_delete: true,
    max_age: 0,
  };
  return [
    {
      ...common,
      name: USAGE_STREAM,
      subjects: ['usage.*'],
      discard: DiscardPolicy.New,
      max_bytes: settings.usageStreamMaxBytes,
      max_msg_size: MOST_MESSAGE_BYTES,
      metadata: { partitions: String(settings.usagePartitions), epoch: '1' },
      // Who reads it need not ask again and again whether there is more (aggregator/follow-stored.ts).
      republish: { src: 'usage.*', dest: 'stored.{{wildcard(1)}}', headers_only: true },
    },
    {
      ...common,
      name: LANDINGS_STREAM,
      subjects: ['claim.*', 'landed.*'],
      discard: DiscardPolicy.Old,
      max_msgs_per_subject: LANDINGS_PER_SUBJECT,
    },
    {
      ...common,
      name: DEAD_LETTERS_STREAM,
      subjects: ['dead.*'],
      discard: DiscardPolicy.Old,
      // The server sets room aside for it: on a small disk no more than befits the usage stream.
      max_bytes: Math.min(DEAD_LETTERS_MAX_BYTES, settings.usageStreamMaxBytes / 4),
      max_age: DEAD_LETTERS_KEPT_NS,
    },
  ];
}

/** One of the three streams as it must be. */
export function wantedStream(settings: StreamSettings, name: string): NamedConfig {
  const wanted = wantedStreams(settings).find((stream) => stream.name === name);
  if (!wanted) throw new Error(`No stream is called ${name}.`);
  return wanted;
}

/**
 * Makes the streams where they are missing and brings size and replicas of existing ones to the settings, once it is sure
 * that none has been lost: the usage stream must reach `knownTo`, the highest sequence that records or ClickHouse know of (0:
 * none yet). Only the launcher and the worker do this, everybody else waits for the streams: so a lost stream is never made
 * anew at positions that others have.
 * @throws StreamLost when the usage stream does not reach that far.
 */
export async function establishStreams(
  jsm: JetStreamManager,
  settings: StreamSettings,
  knownTo: number,
): Promise<UsageStream> {
  await assertStreamReaches(jsm, knownTo);
  return ensureStreams(jsm, settings);
}

/**
 * Resolves where the usage stream has, or has had, the message with sequence `knownTo` (0: nothing has been counted yet).
 * @throws StreamLost when it has not: it was lost, or goes on from an older copy of itself.
 */
export async function assertStreamReaches(jsm: JetStreamManager, knownTo: number): Promise<void> {
  const stream = await findStream(jsm, USAGE_STREAM);
  if ((stream?.state.last_seq ?? 0) >= knownTo) return;
  const state = stream ? `ends at message ${stream.state.last_seq}` : 'is gone';
  throw new StreamLost(
    `The usage stream ${state}, but events up to message ${knownTo} have been counted. If it can't be brought back, run: npm run cli -- new-epoch`,
  );
}

/**
 * Makes the streams where they are missing and brings size and replicas of existing ones to the settings. Safe to run
 * by several processes at once. The number of partitions is the stream's own once it exists, whatever the settings say.
 */
export async function ensureStreams(jsm: JetStreamManager, settings: StreamSettings): Promise<UsageStream> {
  for (const wanted of wantedStreams(settings)) await ensureStream(jsm, wanted);
  return loadUsageStream(jsm);
}

/** Partitions and epoch of the existing usage stream. Throws where it does not exist. */
export async function loadUsageStream(jsm: JetStreamManager): Promise<UsageStream> {
  const { config } = await jsm.streams.info(USAGE_STREAM);
  return { partitions: Number(config.metadata?.partitions ?? 1), epoch: Number(config.metadata?.epoch ?? 1) };
}

/** The sequence of the last message that the usage stream has stored, as its leader knows it. */
export async function loadLastSequence(jsm: JetStreamManager): Promise<number> {
  return (await jsm.streams.info(USAGE_STREAM)).state.last_seq;
}

/** The sequence of the first message that the usage stream still has: what lies below was purged. */
export async function loadFirstSequence(jsm: JetStreamManager): Promise<number> {
  return (await jsm.streams.info(USAGE_STREAM)).state.first_seq;
}

async function ensureStream(jsm: JetStreamManager, wanted: NamedConfig) {
  const existing = (await findStream(jsm, wanted.name))?.config;
  if (!existing) {
    await jsm.streams.add(wanted).catch(async (error) => {
      // Another process may have made it since, with other settings.
      if (!(await findStream(jsm, wanted.name))) throw error;
    });
    return;
  }
  const { max_bytes = -1, max_msg_size = -1, num_replicas = 1, republish } = wanted;
  const limits = {
    max_bytes,
    max_msg_size,
    num_replicas,
    ...(wanted.name === DEAD_LETTERS_STREAM && expiryOf(wanted)),
  };
  const isOther = Object.entries(limits).some(([name, limit]) => existing[name as keyof typeof limits] !== limit);
  if (isOther || existing.republish?.dest !== republish?.dest) {
    await jsm.streams.update(wanted.name, { ...existing, ...limits, ...(republish && { republish }) });
  }
}

/** Of the other two streams nothing expires: where that was changed by hand, readiness says so. */
function expiryOf({ max_age = 0, discard = DiscardPolicy.Old }: NamedConfig) {
  return { max_age, discard };
}

/** What the server says of a stream; undefined where there is none. Throws when the server is away. */
export async function findStream(jsm: JetStreamManager, name: string): Promise<StreamInfo | undefined> {
  try {
    return await jsm.streams.info(name);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return undefined;
    throw error;
  }
}
