import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../runtime/log.ts';
import type { Claim } from '../stream/claims.ts';
import type { StreamConnection } from '../stream/connection.ts';
import { readUsageGroups, type UsageGroup } from '../stream/usage-groups.ts';
import { type Batch, batchOf, emptyGroup, type ReadGroup, readGroup } from './batch.ts';

const PER_READ = { maxMessages: 1_000, maxBytes: 4 * 2 ** 20 };
const RETRY_MS = 500;

/**
 * Reads the messages of a claim again. What was a dead letter when it was claimed stays one, even if a newer release can
 * decode it: the claim's bitmap counts no events there. Keeps trying while the stream is away or the messages are missing.
 */
export async function readClaimedBatch(
  connection: StreamConnection,
  claim: Claim,
  log: Log,
  signal: AbortSignal,
): Promise<Batch> {
  const groups: ReadGroup[] = [];
  for (;;) {
    const from = (groups.at(-1)?.sequence ?? claim.from - 1) + 1;
    try {
      const read = await readUsageGroups(connection, claim.partition, from, PER_READ);
      for (const stored of read) if (stored.sequence <= claim.to) groups.push(asClaimed(stored, claim));
      if (groups.at(-1)?.sequence === claim.to) return batchOf(groups);
      if (read.length > 0) continue;
      log.error({ from, to: claim.to }, 'messages of a claim are missing in the usage stream');
    } catch (error) {
      log.warn({ err: error }, 'the messages of a claim cannot be read, trying again');
    }
    await sleep(RETRY_MS, undefined, { signal });
  }
}

function asClaimed(stored: UsageGroup, claim: Claim): ReadGroup {
  if (claim.dead.includes(stored.sequence)) return emptyGroup(stored.sequence, stored.data.length);
  return readGroup(stored, claim.epoch);
}
