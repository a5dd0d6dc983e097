import { setTimeout as sleep } from 'node:timers/promises';
import { type EncodedRow, encodeUsageEventRows, insertUsageBatch } from '../sql/usage-landing.ts';
import { usageSubject } from '../stream/subjects.ts';
import { startUsageScene, type UsageScene } from '../test/aggregator/usage-scene.ts';
import { benchMessages, benchRow } from './bench-events.ts';
import { median, report, rounded } from './figures.ts';

const ROUNDS = 5;
/** The aggregator's own (aggregator/batch-reader.ts). */
const ROWS_PER_INSERT = 50_000;
const GOAL = 0.7;
const PUBLISHED_AT_ONCE = 64;

/**
 * A backlog until all of it can be queried, over ClickHouse's own raw INSERT of the same rows, in the same format and
 * batches, with the same fsync, into a table of the same make without ids. In turn, round by round.
 */
export async function benchDrain(events: number): Promise<void> {
  const scene = await startUsageScene();
  try {
    await makeRawTable(scene);
    const landing = scene.startLanding();
    await drain(scene, landing.child.pid, 'warm', Math.ceil(events / 10));
    const rates: { drain: number[]; raw: number[] } = { drain: [], raw: [] };
    for (let round = 0; round < ROUNDS; round++) {
      rates.raw.push(events / (await insertRaw(scene, `r${round}`, events)));
      rates.drain.push(events / (await drain(scene, landing.child.pid, `r${round}`, events)));
      await scene.clickhouse.command({ query: 'TRUNCATE TABLE raw_events' });
    }
    await assertAllThere(scene, Math.ceil(events / 10) + ROUNDS * events);
    const ratio = median(rates.drain.map((rate, i) => rate / (rates.raw[i] ?? Number.NaN)));
    const row = { events, 'drained/s': Math.round(median(rates.drain)), 'raw INSERT/s': Math.round(median(rates.raw)) };
    report('drain', [{ ...row, ratio: rounded(ratio), goal: GOAL }], { rounds: ROUNDS, rates });
  } finally {
    await scene.stop();
  }
}

async function makeRawTable({ clickhouse }: UsageScene) {
  await clickhouse.command({ query: 'CREATE TABLE raw_events AS usage_events' });
}

/** Seconds. The writer is stopped while its backlog is made, so that nothing of its start is measured. */
async function drain(scene: UsageScene, pid: number | undefined, tag: string, events: number): Promise<number> {
  if (pid === undefined) throw new Error('The aggregator has not started.');
  process.kill(pid, 'SIGSTOP');
  const messages = benchMessages(tag, events);
  for (let i = 0; i < messages.length; i += PUBLISHED_AT_ONCE) {
    const some = messages.slice(i, i + PUBLISHED_AT_ONCE);
    await Promise.all(some.map((message) => scene.connection.js.publish(usageSubject(0), message)));
  }
  const goal = await scene.progress.lastAcceptedPosition();
  await sleep(1_000);
  const started = performance.now();
  process.kill(pid, 'SIGCONT');
  if (!(await scene.progress.waitUntilLanded(goal, 600_000))) throw new Error('The backlog did not land.');
  return (performance.now() - started) / 1000;
}

/** Seconds, of bodies made before. */
async function insertRaw({ clickhouse }: UsageScene, tag: string, events: number): Promise<number> {
  const batches: EncodedRow[][] = [];
  for (let i = 0; i < events; i += ROWS_PER_INSERT) {
    const size = Math.min(ROWS_PER_INSERT, events - i);
    const some = Array.from({ length: size }, (_, k) => benchRow(tag, i + k));
    batches.push(encodeUsageEventRows(some, (row) => row));
  }
  await sleep(1_000);
  const started = performance.now();
  for (const [i, batch] of batches.entries()) await insertUsageBatch(clickhouse, batch, `${tag}/${i}`, 'raw_events');
  return (performance.now() - started) / 1000;
}

/** Each event once, and each id. @throws where one was lost or made up. */
async function assertAllThere({ totals }: UsageScene, sent: number) {
  const { events, distinct, ids } = await totals();
  if (events !== sent || distinct !== sent || ids !== sent) {
    throw new Error(`${sent} sent; ${events} landed, ${distinct} distinct, ${ids} ids.`);
  }
}
