import { setTimeout as sleep } from 'node:timers/promises';
import { findLeftovers } from '../local/leftovers.ts';
import { STACK_PROCESSES, type StackFile } from '../local/stack-file.ts';
import type { Dice } from '../test/billing/simulator/dice.ts';

type Victim = (typeof STACK_PROCESSES)[number];

/** Between two kills: often enough that they meet each other's recoveries, rarely enough that work gets done. */
const PAUSE_MS = { min: 2_000, max: 9_000 };
/** The chance that a second one dies with the first. */
const TWO_AT_ONCE = 0.25;
/** The chance that the next one dies only when everything is up again: else a call that needs all of it might never be answered. */
const BREATHER = 0.5;
const BREATHER_MS = 60_000;

/** Kills processes and engines with SIGKILL at random until `signal`; the launcher starts them again. Answers how often each died. */
export async function killAtRandom(
  dice: Dice,
  dataDir: string,
  stack: () => StackFile,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Map<Victim, number>> {
  const deaths = new Map<Victim, number>();
  while (!signal.aborted) {
    await sleep(dice.int(PAUSE_MS.min, PAUSE_MS.max), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    if (dice.chance(BREATHER)) await untilReady(stack().base_url, signal);
    const victims = new Set([dice.pick(STACK_PROCESSES)]);
    if (dice.chance(TWO_AT_ONCE)) victims.add(dice.pick(STACK_PROCESSES));
    const alive = new Set(await findLeftovers(dataDir));
    for (const victim of victims) {
      const pid = stack().pids[victim];
      // Between its death and its next start a process has the pid of the dead one.
      if (pid === null || !alive.has(pid)) continue;
      process.kill(pid, 'SIGKILL');
      deaths.set(victim, (deaths.get(victim) ?? 0) + 1);
      say(`kill -9 ${victim} (pid ${pid})`);
    }
  }
  return deaths;
}

async function untilReady(baseUrl: string, signal: AbortSignal): Promise<void> {
  const until = performance.now() + BREATHER_MS;
  while (!signal.aborted && performance.now() < until) {
    const answer = await fetch(new URL('/readyz', baseUrl)).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(200, undefined, { signal }).catch(() => undefined);
  }
}
