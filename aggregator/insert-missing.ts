import type { ClickHouseClient } from '@clickhouse/client';
import { insertUsageBatch } from '../sql/clickhouse/usage/usage-landing.ts';
import { insertMissingIds, listLandedFingerprints } from '../sql/clickhouse/usage/usage-recovery.ts';
import { type Claim, tokenOf } from '../stream/claims.ts';
import { FINGERPRINT_WORDS, fingerprintFromWords, fingerprintToDecimal } from '../stream/fingerprint.ts';
import { endOfMessage, positionOf } from '../stream/positions.ts';
import { type Batch, bytesOfRows } from './batch.ts';

/** More often than this a token was never remembered without its rows: then a person must look. */
const MOST_ROUNDS = 10;

/**
 * Lands a claim that an insert has been begun of: only what is not there yet. The token alone would do, were it not for its
 * two ways to be wrong after a crash. After a power cut ClickHouse has synced the rows, but not its memory of tokens. Killed
 * between the two, it remembers a token whose rows it does not have, and passes over them. So the rest goes in under the
 * claim's own token first, for a writer that was stopped within this insert and wakes up must find it done; what is
 * missing then, under one of its own. (What a batch has of one partition is there as a whole or not at all.) Safe to repeat.
 */
export async function insertMissing(
  clickhouse: ClickHouseClient,
  claim: Claim,
  batch: Batch,
  accepted: readonly boolean[],
): Promise<void> {
  const range = { epoch: claim.epoch, from: positionOf(claim.from, 0), to: endOfMessage(claim.to) };
  const fingerprints = accepted.map((isAccepted, i) => (isAccepted ? decimalOf(batch, i) : ''));
  const wanted = fingerprints.filter((fingerprint) => fingerprint !== '');
  if (wanted.length === 0) return;
  for (let round = 1; ; round++) {
    const landed = await listLandedFingerprints(clickhouse, range);
    const isMissing = fingerprints.map((fingerprint) => fingerprint !== '' && !landed.has(fingerprint));
    const missing = isMissing.filter((is) => is).length;
    if (missing === 0) break;
    const token = tokenOf(claim);
    if (round > MOST_ROUNDS) throw new Error(`${missing} events of ${token} do not stay in ClickHouse.`);
    const rows = bytesOfRows(batch, isMissing);
    await insertUsageBatch(clickhouse, rows, round === 1 ? token : `${token}/${round}`);
  }
  await insertMissingIds(clickhouse, range, wanted);
}

function decimalOf({ fingerprints }: Batch, i: number): string {
  return fingerprintToDecimal(fingerprintFromWords(fingerprints, i * FINGERPRINT_WORDS));
}
