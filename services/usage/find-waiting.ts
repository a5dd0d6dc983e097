import type { StreamConnection } from '../../stream/connection.ts';
import { type EventKey, listDeadLetters, seemsToHold } from '../../stream/dead-letters.ts';
import { FINGERPRINT_WORDS, fingerprintFromWords, fingerprintOf } from '../../stream/fingerprint.ts';
import type { UsageProgress } from '../../stream/progress.ts';
import { partitionOf } from '../../stream/subjects.ts';
import { readUsageGroups } from '../../stream/usage-groups.ts';
import { decodeUsageMessage } from '../../stream/usage-message.ts';
import { fingerprintsOf, placeUsageRows } from '../../stream/usage-row.ts';

/**
 * What looks for an accepted event among those that had not landed when it was asked for, and among the dead letters; undefined where
 * it is in neither. So whoever asks for it first, and then in vain for the event itself, misses none that lands meanwhile.
 */
export type FindWaiting = () => (key: EventKey) => Promise<'queued' | 'dead_lettered' | undefined>;

/** How much of what waits is looked at: a few seconds of full load. What lies behind is not found until it has landed. */
const PER_READ = { maxMessages: 1_000, maxBytes: 2 ** 20 };
const MOST_READS = 32;
const MOST_LETTERS = 1_000;

export function waitingEvents(connection: StreamConnection, progress: UsageProgress): FindWaiting {
  return () => {
    const { sequences } = progress.landedSequences();
    return async (key) => {
      if (await isQueued(connection, sequences, key)) return 'queued';
      return (await isDead(connection, key)) ? 'dead_lettered' : undefined;
    };
  };
}

async function isQueued(connection: StreamConnection, landed: readonly number[], { accountId, id }: EventKey) {
  const fingerprint = fingerprintOf(accountId, id);
  const partition = partitionOf(fingerprint, landed.length);
  let next = (landed[partition] ?? 0) + 1;
  for (let reads = 0; reads < MOST_READS; reads++) {
    const groups = await readUsageGroups(connection, partition, next, PER_READ);
    if (groups.some(({ data }) => hasEvent(data, fingerprint))) return true;
    const last = groups.at(-1);
    if (!last) return false;
    next = last.sequence + 1;
  }
  return false;
}

function hasEvent(data: Uint8Array, fingerprint: string): boolean {
  const decoded = decodeUsageMessage(data);
  if (!decoded.ok) return false;
  placeUsageRows(decoded.rows, 0, 0);
  const words = fingerprintsOf(decoded.rows);
  for (let at = 0; at < words.length; at += FINGERPRINT_WORDS) {
    if (fingerprintFromWords(words, at) === fingerprint) return true;
  }
  return false;
}

async function isDead(connection: StreamConnection, key: EventKey): Promise<boolean> {
  let looked = 0;
  for await (const { data } of listDeadLetters(connection)) {
    if (seemsToHold(data, key)) return true;
    if (++looked >= MOST_LETTERS) return false;
  }
  return false;
}
