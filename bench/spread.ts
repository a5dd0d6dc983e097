import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type StackFile, stackFilePath } from '../local/stack-file.ts';
import { startOwnStack } from '../test/stack/own-stack.ts';
import { assertLanded } from './assert-landed.ts';
import { median, percentile, report } from './figures.ts';
import { sendAndWatch } from './freshness.ts';
import { prepareRequests, sendAll } from './track-load.ts';

/** Months over which one sender's events happened. */
const SPREADS = [1, 320, 3_600];
const ROUNDS = 3;
const SPREAD_PER_SECOND = 1_000;
const OTHERS_PER_SECOND = 100;
const CONNECTIONS = 64;
const GOAL_P99_MS = 1_000;
const START_MS = 300_000;
/** A release before may take its time. */
const LAND_MS = 300_000;

type Measured = { release: string; file: StackFile; sent: number; delays: Map<number, number[][]> };

/**
 * How fresh everybody else's events are while one sender spreads his over many months. `events` are his of one round. `beside`:
 * the folder of another checkout, whose stack is measured in turn with this one's.
 */
export async function benchSpread(events: number, beside?: string): Promise<void> {
  const own = await startOwnStack();
  const other = beside ? await startOther(beside) : undefined;
  try {
    const stacks = [
      { release: 'this', file: own.file() },
      ...(other ? [{ release: beside ?? '', file: other.file }] : []),
    ];
    const measured = stacks.map((stack): Measured => ({ ...stack, sent: 0, delays: new Map() }));
    for (const stack of measured) await measure(stack, 'warm', 1, Math.min(events, 3_000));
    for (const stack of measured) stack.delays.clear();
    for (let round = 0; round < ROUNDS; round++) {
      for (const months of SPREADS) {
        for (const stack of measured) await measure(stack, `r${round}-${months}`, months, events);
      }
    }
    for (const { file, sent } of measured) await assertLanded(file, sent, LAND_MS);
    report('spread', measured.flatMap(rowsOf), { events, rounds: ROUNDS });
  } finally {
    await Promise.all([own.stop(), other?.stop()]);
  }
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

/** The stack of another checkout, in a folder of its own. */
async function startOther(folder: string) {
  const dataDir = await mkdtemp(join(tmpdir(), 'meterbook-beside-'));
  await chmod(dataDir, 0o755);
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0' };
  const child = spawn(process.execPath, [join(folder, 'cli/main.ts'), 'start'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = async () => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGTERM')) await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  for (
    const until = performance.now() + START_MS;
    performance.now() < until && child.exitCode === null;
    await sleep(200)
  ) {
    const text = await readFile(stackFilePath(dataDir), 'utf8').catch(() => '');
    if (text !== '') return { file: JSON.parse(text) as StackFile, stop };
  }
  await stop();
  throw new Error(`The stack of ${folder} did not start.`);
}
