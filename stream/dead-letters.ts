import { setTimeout as sleep } from 'node:timers/promises';
import { headers } from '@nats-io/transport-node';
import type { Log } from '../runtime/log.ts';
import type { StreamConnection } from './connection.ts';
import { deadLetterSubject } from './subjects.ts';
import type { UndecodableReason } from './usage-message.ts';

/** A message of the usage stream that could not be decoded: its bytes as they were, and why. */
export type DeadLetter = {
  partition: number;
  epoch: number;
  sequence: number;
  reason: UndecodableReason;
  detail: string;
  data: Uint8Array;
};

const RETRY_MS = 500;

/**
 * Stores a dead letter; repeats for ever while the stream is away. A repeat after a lost answer is recognised by its
 * message id for the server's window of two minutes; after that a second copy is harmless: it names the same sequence.
 */
export async function publishDeadLetter(connection: StreamConnection, letter: DeadLetter, log: Log): Promise<void> {
  const about = headers();
  about.set('Meterbook-Epoch', String(letter.epoch));
  about.set('Meterbook-Sequence', String(letter.sequence));
  about.set('Meterbook-Reason', letter.reason);
  about.set('Meterbook-Detail', JSON.stringify(letter.detail));
  const msgID = `${letter.epoch}/${letter.sequence}`;
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
