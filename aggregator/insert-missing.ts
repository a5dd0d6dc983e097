import type { ClickHouseClient } from '@clickhouse/client';
import { insertUsageBatch } from '../sql/usage-landing.ts';
import { insertMissingIds, listLandedFingerprints } from '../sql/usage-recovery.ts';
import { type Claim, tokenOf } from '../stream/claims.ts';
import { fingerprintToDecimal } from '../stream/fingerprint.ts';
import { endOfMessage, positionOf } from '../stream/positions.ts';
import type { PlacedEvent } from './batch.ts';

/**
 * Lands a claim of an earlier writer: only what is not there yet. The token alone would do, were it not for a power cut:
 * ClickHouse has synced the rows then, but not its memory of tokens. The rest goes in under the claim's own token, so that
 * a writer that was stopped within this insert and wakes up still finds its months done. (One month of a batch is there as
 * a whole or not at all.) Safe to repeat.
 */
export async function insertMissing(clickhouse: ClickHouseClient, claim: Claim, events: PlacedEvent[]): Promise<void> {
  if (events.length === 0) return;
  const range = { epoch: claim.epoch, from: positionOf(claim.from, 0), to: endOfMessage(claim.to) };
  const fingerprints = events.map(({ fingerprint }) => fingerprintToDecimal(fingerprint));
  const landed = await listLandedFingerprints(clickhouse, range);
  const missing = events.filter((_, i) => !landed.has(fingerprints[i] ?? ''));
  if (missing.length > 0) {
    const rows = missing.map(({ row }) => row);
    await insertUsageBatch(clickhouse, rows, tokenOf(claim));
  }
  await insertMissingIds(clickhouse, range, fingerprints);
}
