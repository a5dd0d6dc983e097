import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredMsg } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import type { Instant } from '../core/instants.ts';
import type { Log } from '../runtime/log.ts';
import { textEnd } from './check-rows.ts';
import type { StreamConnection } from './connection.ts';
import { createRowBinaryWriter } from './row-binary.ts';
import { DEAD_LETTERS_STREAM, deadLetterSubject, partitionOfSubject, usageSubject } from './subjects.ts';
import type { UndecodableReason } from './undecoded.ts';
import { decodeUsageMessage, VERSION } from './usage-message.ts';

/** A message of the usage stream that could not be decoded: its bytes as they were, and why. */
export type DeadLetter = {
  partition: number;
  epoch: number;
  sequence: number;
  reason: UndecodableReason;
  detail: string;
  data: Uint8Array;
};

/** A dead letter as it is kept; `storedSequence` is its place among the dead letters. */
export type StoredDeadLetter = DeadLetter & { storedSequence: number; storedAt: Instant };

/** An event of an account, by its idempotency id. */
export type EventKey = { accountId: string; id: string };

const RETRY_MS = 500;
/** What is told of a message may quote it. */
const MOST_DETAIL = 500;

/** Headers of a dead letter. */
const EPOCH = 'Meterbook-Epoch';
const SEQUENCE = 'Meterbook-Sequence';
const REASON = 'Meterbook-Reason';
const DETAIL = 'Meterbook-Detail';

/** Header of a message of the usage stream that comes from the dead letters: its events have been accepted before. */
export const REPLAY_OF = 'Meterbook-Replay-Of';

/**
 * Stores a dead letter; repeats for ever while the stream is away. A repeat after a lost answer is recognised by its
 * message id for the server's window of two minutes; after that a second copy is harmless: it names the same sequence.
 * `again`: the place of the dead letter that this one takes the place of, after a replay that failed.
 */
export async function publishDeadLetter(
  connection: StreamConnection,
  letter: DeadLetter,
  log: Log,
  again?: number,
): Promise<void> {
  const about = headers();
  about.set(EPOCH, String(letter.epoch));
  about.set(SEQUENCE, String(letter.sequence));
  about.set(REASON, letter.reason);
  about.set(DETAIL, JSON.stringify(letter.detail.slice(0, MOST_DETAIL)));
  const msgID = [letter.epoch, letter.sequence, ...(again ? [again] : [])].join('/');
  for (;;) {
    try {
      await connection.js.publish(deadLetterSubject(letter.partition), letter.data, { headers: about, msgID });
      return;
    } catch (error) {
      log.error({ err: error, sequence: letter.sequence }, 'a dead letter cannot be stored, trying again');
      await sleep(RETRY_MS);
    }
  }
}

/** How many dead letters there are. */
export async function countDeadLetters(connection: StreamConnection): Promise<number> {
  return (await connection.jsm.streams.info(DEAD_LETTERS_STREAM)).state.messages;
}

/** The dead letters there are now, oldest first. Throws when the stream is away. */
export async function* listDeadLetters(connection: StreamConnection): AsyncGenerator<StoredDeadLetter> {
  const { first_seq, last_seq } = (await connection.jsm.streams.info(DEAD_LETTERS_STREAM)).state;
  for (let seq = first_seq; seq <= last_seq; seq++) {
    const message = await connection.jsm.direct.getMessage(DEAD_LETTERS_STREAM, { seq, next_by_subj: 'dead.*' });
    if (!message || message.seq > last_seq) return;
    seq = message.seq;
    yield fromMessage(message);
  }
}

/**
 * Gives every dead letter that this release can decode back to the usage stream, where its events land as any others do:
 * each id once. One that still cannot be decoded goes back to the end with its reason of now. A crash in between, or
 * running it twice at once, repeats events, which count once.
 * @throws when the stream is away or full; what was not replayed is still there.
 */
export async function replayDeadLetters(
  connection: StreamConnection,
  log: Log,
): Promise<{ replayed: number; returned: number }> {
  let [replayed, returned] = [0, 0];
  for await (const letter of listDeadLetters(connection)) {
    const decoded = decodeUsageMessage(letter.data);
    if (decoded.ok) {
      const about = headers();
      about.set(REPLAY_OF, `${letter.epoch}/${letter.sequence}`);
      await connection.js.publish(usageSubject(letter.partition), letter.data, { headers: about });
      replayed += 1;
    } else {
      await publishDeadLetter(connection, { ...letter, ...decoded }, log, letter.storedSequence);
      returned += 1;
    }
    await connection.jsm.streams.purge(DEAD_LETTERS_STREAM, { seq: letter.storedSequence + 1 });
  }
  return { replayed, returned };
}

function fromMessage(message: StoredMsg): StoredDeadLetter {
  const about = (name: string) => message.header.get(name);
  return {
    partition: partitionOfSubject(message.subject),
    epoch: Number(about(EPOCH)),
    sequence: Number(about(SEQUENCE)),
    reason: about(REASON) as UndecodableReason,
    detail: JSON.parse(about(DETAIL)) as string,
    data: message.data,
    storedSequence: message.seq,
    storedAt: message.time.getTime(),
  };
}

/** Between an event's name and its id stands when it happened. */
const TIME_BYTES = 8;

const writer = createRowBinaryWriter();

/**
 * Whether a message that cannot be decoded seems to hold an event. One of rows does where a row begins with its account and has its
 * id in its place, so what is damaged just there is missed. Of any other the shape is not known: its account and its id stand in it
 * as whole texts, which may be something else's.
 */
export function seemsToHold(data: Uint8Array, { accountId, id }: EventKey): boolean {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (bytes[0] === VERSION) return hasRow(bytes, asRowText(accountId), asRowText(id));
  return [asRowText, JSON.stringify].some((framed) => bytes.includes(framed(accountId)) && bytes.includes(framed(id)));
}

function hasRow(bytes: Buffer, account: Buffer, id: Buffer): boolean {
  for (let at = bytes.indexOf(account); at >= 0; at = bytes.indexOf(account, at + 1)) {
    const name = textEnd(bytes, at + account.length);
    const place = textEnd(bytes, name) + TIME_BYTES;
    if (bytes.subarray(place, place + id.length).equals(id)) return true;
  }
  return false;
}

/** A text as rows have it: behind its length. */
function asRowText(text: string): Buffer {
  writer.begin();
  writer.text(text);
  return writer.take();
}
