import { systemClock } from '../runtime/clock.ts';
import { createLog } from '../runtime/log.ts';
import { connectStream } from '../stream/connection.ts';
import { followProgress } from '../stream/progress.ts';
import { startOwnStack } from '../test/stack/own-stack.ts';
import { assertLanded } from './assert-landed.ts';
import { median, report, rounded } from './figures.ts';
import { prepareRequests, sendAll } from './track-load.ts';

const CONNECTIONS = 256;
const ROUNDS = 3;
const LAG_SAMPLE_MS = 500;
const GOAL = 15_000;

type Round = { accepted: number; landed: number; lags: number[] };

/**
 * Events/s from `/api/track` to ClickHouse with all processes, engines and the load generator on this machine: sent as
 * fast as they are answered, counted until the last one has landed. The lag tells whether landing keeps up.
 */
export async function benchPath(events: number): Promise<void> {
  const stack = await startOwnStack();
  try {
    const { base_url, api_key, nats_url } = stack.file();
    const port = Number(new URL(base_url).port);
    const connection = await connectStream(nats_url, 'bench', createLog('bench', 'warn'));
    const progress = await followProgress(connection, systemClock);

    async function run(tag: string, count: number): Promise<Round> {
      const requests = prepareRequests(tag, count, port, api_key);
      const lags: number[] = [];
      const sample = setInterval(() => void progress.lag().then(({ seconds }) => lags.push(seconds)), LAG_SAMPLE_MS);
      const started = performance.now();
      const accepted = await sendAll(port, requests, { connections: CONNECTIONS });
      clearInterval(sample);
      const landed = await progress.waitUntilLanded(await progress.lastAcceptedPosition(), 300_000);
      if (!landed) throw new Error('Not everything has landed.');
      return { accepted, landed: count / ((performance.now() - started) / 1000), lags };
    }

    const warm = Math.ceil(events / 4);
    await run('warm', warm);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await run(`r${round}`, events));
    await assertLanded(stack.file(), warm + ROUNDS * events);
    report('path', [rowOf(events, rounds)], { connections: CONNECTIONS, rounds });
    progress.close();
    await connection.close();
  } finally {
    await stack.stop();
  }
}

/** Lag is flat where its second half is not above its first. */
function rowOf(events: number, rounds: Round[]) {
  const half = (from: number, to: number) =>
    rounded(median(rounds.map(({ lags }) => median(lags.slice(lags.length * from, lags.length * to)))));
  return {
    events,
    'accepted/s': Math.round(median(rounds.map(({ accepted }) => accepted))),
    'landed/s': Math.round(median(rounds.map(({ landed }) => landed))),
    'lag s, first half': half(0, 0.5),
    'lag s, second half': half(0.5, 1),
    goal: GOAL,
  };
}
