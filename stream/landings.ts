import { setTimeout as sleep } from 'node:timers/promises';
import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { Log } from '../runtime/log.ts';
import { type Claim, type Landing, parseClaim, parseLanding, parseWriter } from './claims.ts';
import type { StreamConnection } from './connection.ts';
import { claimSubject, LANDINGS_STREAM, landedSubject } from './subjects.ts';

/** Where a partition stands: its newest claim and landing with their sequences in the landings stream (0: none yet). */
export type PartitionState = {
  claim: Claim | undefined;
  claimSequence: number;
  landing: Landing | undefined;
  landingSequence: number;
};

/** Another writer has written for this partition: this one must end (architecture#the-aggregator). */
export class FenceLost extends Error {}

const RETRY_MS = 200;

/** Reads a partition's state from the stream's leader, never from a replica that may lag. */
export async function loadPartitionState(connection: StreamConnection, partition: number): Promise<PartitionState> {
  const [claim, landing] = await Promise.all([
    lastMessage(connection, claimSubject(partition)),
    lastMessage(connection, landedSubject(partition)),
  ]);
  return {
    claim: claim && parseClaim(claim.text),
    claimSequence: claim?.sequence ?? 0,
    landing: landing && parseLanding(landing.text),
    landingSequence: landing?.sequence ?? 0,
  };
}

/**
 * Publishes a claim after the one with sequence `after`; returns its own sequence. Repeats for ever while the stream is away.
 * @throws FenceLost when another writer was there first.
 */
export function publishClaim(connection: StreamConnection, claim: Claim, after: number, log: Log): Promise<number> {
  return publishNext(connection, claimSubject(claim.partition), claim, after, log);
}

/**
 * Publishes a landing after the one with sequence `after`; returns its own sequence. Repeats for ever while the stream is away.
 * @throws FenceLost when another writer was there first.
 */
export function publishLanding(
  connection: StreamConnection,
  landing: Landing,
  after: number,
  log: Log,
): Promise<number> {
  return publishNext(connection, landedSubject(landing.partition), landing, after, log);
}

async function publishNext(
  connection: StreamConnection,
  subject: string,
  record: Claim | Landing,
  after: number,
  log: Log,
): Promise<number> {
  const payload = JSON.stringify(record);
  for (;;) {
    try {
      const ack = await connection.js.publish(subject, payload, { expect: { lastSubjectSequence: after } });
      return ack.seq;
    } catch (error) {
      if (!isWrongSequence(error)) {
        log.warn({ err: error, subject }, 'landings cannot be written, trying again');
        await sleep(RETRY_MS);
        continue;
      }
    }
    // Either another writer, or our own earlier try whose answer was lost.
    const last = await lastMessageForSure(connection, subject, log);
    const written = last && parseWriter(last.text);
    if (last && written?.writer === record.writer && written.to === record.to) return last.sequence;
    throw new FenceLost(`Another writer (${written?.writer}) has taken over ${subject}.`);
  }
}

function isWrongSequence(error: unknown): boolean {
  return (
    error instanceof JetStreamApiError &&
    (error.code === JetStreamApiCodes.StreamWrongLastSequence ||
      error.code === JetStreamApiCodes.StreamWrongLastSequenceUnknown)
  );
}

/**
 * Checks that `claim` is still the newest of its partition, so that no other writer has gone past it.
 * @throws FenceLost when it is not; other errors when the stream is away.
 */
export async function confirmClaim(connection: StreamConnection, claim: Claim, sequence: number): Promise<void> {
  const last = await lastMessage(connection, claimSubject(claim.partition));
  if (last?.sequence !== sequence) throw new FenceLost(`Claim ${sequence} is no longer the newest.`);
}

type StoredText = { sequence: number; text: string };

async function lastMessage(connection: StreamConnection, subject: string): Promise<StoredText | undefined> {
  const message = await connection.jsm.streams.getMessage(LANDINGS_STREAM, { last_by_subj: subject });
  return message ? { sequence: message.seq, text: message.string() } : undefined;
}

async function lastMessageForSure(connection: StreamConnection, subject: string, log: Log) {
  for (;;) {
    try {
      return await lastMessage(connection, subject);
    } catch (error) {
      log.warn({ err: error, subject }, 'landings cannot be read, trying again');
      await sleep(RETRY_MS);
    }
  }
}
