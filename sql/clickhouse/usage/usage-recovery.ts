import { text } from 'node:stream/consumers';
import type { ClickHouseClient } from '@clickhouse/client';
import { findUsageIds, fingerprintArrays } from './usage-ids.ts';

/** Events of one epoch of the stream from position `from` to `to`, both inclusive. */
export type PositionRange = { epoch: number; from: bigint; to: bigint };

/** Fingerprints (UInt128 in decimal text) of the events in a range that are in ClickHouse. */
export async function listLandedFingerprints(client: ClickHouseClient, range: PositionRange): Promise<Set<string>> {
  const answer = await client.exec({
    query: `SELECT fingerprint FROM usage_events WHERE ${within(range)} FORMAT TabSeparated`,
  });
  return new Set((await text(answer.stream)).split('\n').filter((line) => line !== ''));
}

/**
 * Adds those of `fingerprints` to `usage_ids` that are in ClickHouse without their id: their insert was cut off
 * between the table and its view. To be called when all of them are in `usage_events`; safe to repeat.
 */
export async function insertMissingIds(client: ClickHouseClient, range: PositionRange, fingerprints: string[]) {
  const known = new Set(await findUsageIds(client, fingerprints));
  for (const list of fingerprintArrays(fingerprints.filter((fingerprint) => !known.has(fingerprint)))) {
    await client.command({
      query: `INSERT INTO usage_ids SELECT fingerprint, position, received_at FROM usage_events
              WHERE ${within(range)} AND fingerprint IN ${list}`,
    });
  }
}

function within({ epoch, from, to }: PositionRange): string {
  return `epoch = ${Number(epoch)} AND position >= ${BigInt(from)} AND position <= ${BigInt(to)}`;
}
