import type { StackFile } from '../local/stack-file.ts';
import { assertLanded } from './assert-landed.ts';
import { median, percentile, report } from './figures.ts';
import { sendAndWatch } from './freshness.ts';
import { withStacks } from './measured-stacks.ts';
import { prepareRequests, sendAll } from './track-load.ts';

/** Months over which one sender's events happened. */
const SPREADS = [1, 320, 3_600];
const ROUNDS = 3;
const SPREAD_PER_SECOND = 1_000;
const OTHERS_PER_SECOND = 100;
const CONNECTIONS = 64;
const GOAL_P99_MS = 1_000;
/** A release before may take its time. */
const LAND_MS = 300_000;

type Measured = { release: string; file: StackFile; sent: number; delays: Map<number, number[][]> };

/**
 * How fresh everybody else's events are while one sender spreads his over many months. `events` are his of one round. `beside`:
 * the folder of another checkout, whose stack is measured in turn with this one's.
 */
export async function benchSpread(events: number, beside?: string): Promise<void> {
  await withStacks(beside, async (stacks) => {
    const measured = stacks.map(({ release, file }): Measured => ({ release, file, sent: 0, delays: new Map() }));
    for (const stack of measured) await measure(stack, 'warm', 1, Math.min(events, 3_000));
    for (const stack of measured) stack.delays.clear();
    for (let round = 0; round < ROUNDS; round++) {
      for (const months of SPREADS) {
        for (const stack of measured) await measure(stack, `r${round}-${months}`, months, events);
      }
    }
    for (const { file, sent } of measured) await assertLanded(file, sent, LAND_MS);
    report('spread', measured.flatMap(rowsOf), { events, rounds: ROUNDS });
  });
}

async function measure(stack: Measured, tag: string, months: number, events: number) {
  const { file } = stack;
  const seconds = events / SPREAD_PER_SECOND;
  const port = Number(new URL(file.base_url).port);
  const timeOf = (i: number) => new Date(Date.UTC(2000, i % months, 2)).toISOString();
  const requests = prepareRequests(`spread-${tag}`, events, port, file.api_key, () => 'spread', timeOf);
  const [{ delays }] = await Promise.all([
    sendAndWatch(file, tag, OTHERS_PER_SECOND, seconds, LAND_MS),
    sendAll(port, requests, { connections: CONNECTIONS, perSecond: SPREAD_PER_SECOND }),
  ]);
  stack.sent += events + Math.round(OTHERS_PER_SECOND * seconds);
  stack.delays.set(months, [...(stack.delays.get(months) ?? []), delays]);
}

function rowsOf({ release, delays }: Measured) {
  return [...delays].map(([months, rounds]) => {
    const of = (percent: number) => Math.round(median(rounds.map((round) => percentile(round, percent))));
    return { release, months, 'p50 ms': of(50), 'p99 ms': of(99), 'goal p99': GOAL_P99_MS };
  });
}
