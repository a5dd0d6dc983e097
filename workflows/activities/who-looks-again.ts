import type { Clock } from '../../runtime/clock.ts';

/** What stays overdue, as a refund whose processor is not connected, is told so often: a workflow takes 10,000 signals in its life. */
const TOLD_AGAIN_MS = 3_600_000;
/** Tasks of workflows that no worker has taken. With more of them who is overdue has one among them, most likely. */
const BEHIND_TASKS = 100;

/** Whether a workflow that is overdue, by its subject, is to be told so now; where it is, that counts as done. */
export type MayTell = (subject: string) => boolean;

/**
 * Which workflows the sweeps of a process tell to look again: each at most once an hour, and none while many wait for their turn. At
 * the first of the month thousands are due at once: to tell them would be one more task of each. Returns how a sweep begins.
 */
export function createWhoLooksAgain(
  loadBacklog: () => Promise<Partial<Record<string, number>>>,
  clock: Clock,
): () => Promise<MayTell> {
  const told = new Map<string, number>();
  return async () => {
    const now = clock.now();
    for (const [subject, at] of told) if (at <= now - TOLD_AGAIN_MS) told.delete(subject);
    const { workflow = 0 } = await loadBacklog();
    return (subject) => {
      if (workflow > BEHIND_TASKS || told.has(subject)) return false;
      told.set(subject, now);
      return true;
    };
  };
}
