import type { StackFile } from '../../local/stack-file.ts';
import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import { connectStream } from '../../stream/connection.ts';
import { followProgress } from '../../stream/progress.ts';
import { assertLanded } from '../assert-landed.ts';
import { median, report, rounded } from '../figures.ts';
import { sendAll } from '../track-load.ts';
import { prepareBatches } from './batch-load.ts';

const ROUNDS = 3;
const CONNECTIONS = 8;
const BATCH_EVENTS = 1_000;
const LAG_SAMPLE_MS = 250;
const LAND_MS = 300_000;
const GOAL = 60_000;

type Round = { accepted: number; landed: number; lags: number[] };

/** Events/s from batches of 1,000 to ClickHouse, sent as fast as they are answered, counted until the last one has landed; lag is flat where its second half is not above its first. */
export async function benchBatchPath(file: StackFile, events: number): Promise<void> {
  const port = Number(new URL(file.base_url).port);
  const target = { port, key: file.api_key, batchEvents: BATCH_EVENTS };
  const connection = await connectStream(file.nats_url, 'bench', createLog('bench', 'warn'));
  const progress = await followProgress(connection, systemClock);

  async function run(tag: string): Promise<Round> {
    const requests = prepareBatches(tag, events, target);
    const lags: number[] = [];
    const sample = setInterval(() => void progress.lag().then(({ seconds }) => lags.push(seconds)), LAG_SAMPLE_MS);
    const started = performance.now();
    const accepted = (await sendAll(port, requests, { connections: CONNECTIONS })) * BATCH_EVENTS;
    clearInterval(sample);
    const landed = await progress.waitUntilLanded(await progress.lastAcceptedPosition(), LAND_MS);
    if (!landed) throw new Error('Not everything has landed.');
    return { accepted, landed: events / ((performance.now() - started) / 1000), lags };
  }

  await run('warm');
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await run(`r${round}`));
  await assertLanded(file, events * (1 + ROUNDS));
  const half = (from: number, to: number) =>
    rounded(median(rounds.map(({ lags }) => median(lags.slice(lags.length * from, lags.length * to)))));
  const row = {
    'accepted/s': Math.round(median(rounds.map(({ accepted }) => accepted))),
    'landed/s': Math.round(median(rounds.map(({ landed }) => landed))),
    goal: GOAL,
    'lag s, first half': half(0, 0.5),
    'lag s, second half': half(0.5, 1),
  };
  report('batch path', [row], { events, connections: CONNECTIONS, rounds });
  progress.close();
  await connection.close();
}
