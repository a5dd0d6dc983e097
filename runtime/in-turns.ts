import { setImmediate as letOthersRun } from 'node:timers/promises';

/** What one piece of long work may take of the process before whatever else waits has its turn (bench draft: by 3 ms others waited twice as long). */
const TURN_MS = 1;

/** One turn follows another with everything else in between, however many long pieces of work there are. */
let lastTurn = Promise.resolve();

function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => letOthersRun());
  return lastTurn;
}

/** All of a sequence that is made as it is taken; every few milliseconds other calls are answered in between. */
export async function inTurns<T>(sequence: Iterable<T>): Promise<T[]> {
  const taken: T[] = [];
  await takeInTurns(sequence, (item) => taken.push(item));
  return taken;
}

/** As {@link inTurns}, for who keeps the items by itself. */
export async function takeInTurns<T>(sequence: Iterable<T>, take: (item: T) => void): Promise<void> {
  let endsAt = performance.now() + TURN_MS;
  for (const item of sequence) {
    take(item);
    if (performance.now() < endsAt) continue;
    await nextTurn();
    endsAt = performance.now() + TURN_MS;
  }
}
