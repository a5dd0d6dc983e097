import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { readGroup } from '../../aggregator/batch.ts';
import { insertUsageBatch } from '../../sql/clickhouse/usage/usage-landing.ts';
import { fingerprintToDecimal } from '../../stream/fingerprint.ts';
import { USAGE_STREAM, usageSubject } from '../../stream/subjects.ts';
import { startUsageFixture, type UsageFixture } from '../../test/aggregator/usage-fixture.ts';
import { benchMessages, benchRow, GROUP } from '../bench-events.ts';
import { median, report, rounded } from '../figures.ts';

const ROUNDS = 5;
/** The aggregator's own (aggregator/batch-reader.ts). */
export const ROWS_PER_INSERT = 50_000;
const GOAL = 0.7;
const BASELINES = [
  ['RowBinary', 'raw'],
  ['JSONEachRow', 'json'],
] as const;
const IDLE_MS = 1_000;
export const PUBLISHED_AT_ONCE = 64;
/** One backlog of two million. */
export const STREAM_BYTES = 2 ** 29;

/**
 * A backlog until all of it can be queried, over ClickHouse's own raw INSERT of the same rows in batches of the same size,
 * with the same fsync, into a table of the same make without ids: in the format that we send, and as JSON. In turn, round
 * by round; each begins when no parts are merged any more, with a table that holds as much as the others.
 */
export async function benchDrain(events: number): Promise<void> {
  const fixture = await startUsageFixture(1, STREAM_BYTES);
  try {
    for (const table of ['raw_events', 'json_events']) {
      await fixture.clickhouse.command({ query: `CREATE TABLE ${table} AS usage_events` });
    }
    const landing = fixture.startLanding();
    await drain(fixture, landing.child.pid, benchMessages('warm', Math.ceil(events / 10)));
    const rates: Record<'drain' | 'raw' | 'json', number[]> = { drain: [], raw: [], json: [] };
    for (let round = 0; round < ROUNDS; round++) {
      rates.raw.push(events / (await insertRaw(fixture, `r${round}`, events)));
      rates.json.push(events / (await insertJson(fixture, `r${round}`, events)));
      rates.drain.push(events / (await drain(fixture, landing.child.pid, benchMessages(`r${round}`, events))));
      await fixture.connection.jsm.streams.purge(USAGE_STREAM);
    }
    await assertAllThere(fixture, Math.ceil(events / 10) + ROUNDS * events);
    const rows = BASELINES.map(([name, key]) => ({
      events,
      'drained/s': Math.round(median(rates.drain)),
      'over raw INSERT of': name,
      'rows/s': Math.round(median(rates[key])),
      ratio: rounded(median(rates.drain.map((rate, i) => rate / (rates[key][i] ?? Number.NaN)))),
      goal: GOAL,
    }));
    report('drain', rows, { rounds: ROUNDS, rates });
  } finally {
    await fixture.stop();
  }
}

/** Seconds. The writer is stopped while its backlog is made, so that nothing of its start is measured. */
export async function drain(
  fixture: UsageFixture,
  pid: number | undefined,
  messages: readonly Uint8Array[],
  partition = 0,
): Promise<number> {
  if (pid === undefined) throw new Error('The aggregator has not started.');
  process.kill(pid, 'SIGSTOP');
  for (let i = 0; i < messages.length; i += PUBLISHED_AT_ONCE) {
    const some = messages.slice(i, i + PUBLISHED_AT_ONCE);
    await Promise.all(some.map((message) => fixture.connection.js.publish(usageSubject(partition), message)));
  }
  const goal = await fixture.progress.lastAcceptedPosition();
  await untilIdle(fixture.clickhouse);
  const started = performance.now();
  process.kill(pid, 'SIGCONT');
  if (!(await fixture.progress.waitUntilLanded(goal, 600_000))) throw new Error('The backlog did not land.');
  return (performance.now() - started) / 1000;
}

/** Seconds, of bodies made before. */
async function insertRaw({ clickhouse }: UsageFixture, tag: string, events: number): Promise<number> {
  const messages = benchMessages(tag, events).map((data, i) => readGroup({ sequence: i + 1, data }, 1).rows.bytes);
  const batches: Uint8Array[][] = [];
  for (let i = 0; i < messages.length; i += ROWS_PER_INSERT / GROUP) {
    batches.push(messages.slice(i, i + ROWS_PER_INSERT / GROUP));
  }
  await untilIdle(clickhouse);
  const started = performance.now();
  for (const [i, batch] of batches.entries())
    await insertUsageBatch(clickhouse, batch, `${tag}/${i}`, { table: 'raw_events' });
  return (performance.now() - started) / 1000;
}

/** Seconds, of bodies made before. */
async function insertJson({ clickhouse }: UsageFixture, tag: string, events: number): Promise<number> {
  const bodies: string[] = [];
  for (let i = 0; i < events; i += ROWS_PER_INSERT) {
    const size = Math.min(ROWS_PER_INSERT, events - i);
    bodies.push(Array.from({ length: size }, (_, k) => jsonOf(benchRow(tag, i + k))).join(''));
  }
  await untilIdle(clickhouse);
  const started = performance.now();
  for (const body of bodies) {
    const answer = await clickhouse.exec({
      query: 'INSERT INTO json_events FORMAT JSONEachRow',
      values: Readable.from([body], { objectMode: false }),
      clickhouse_settings: { async_insert: 0, wait_end_of_query: 1 },
    });
    await text(answer.stream);
  }
  return (performance.now() - started) / 1000;
}

function jsonOf(row: ReturnType<typeof benchRow>): string {
  const { accountId, customerId, eventName, timeCreated, idempotencyId, fingerprint, position, receivedAt } = row;
  const { numbers, strings, booleans, epoch } = row;
  const texts = {
    account_id: accountId,
    customer_id: customerId,
    event_name: eventName,
    idempotency_id: idempotencyId,
  };
  const times = { time_created: timeCreated, received_at: receivedAt };
  const place = { fingerprint: fingerprintToDecimal(fingerprint), position: position.toString(), epoch };
  return `${JSON.stringify({ ...texts, ...times, numbers, strings, booleans, ...place })}\n`;
}

/** Until ClickHouse has merged nothing for a while: what one run leaves to it must not slow down the next. */
export async function untilIdle(clickhouse: ClickHouseClient) {
  for (let idleSince = performance.now(); performance.now() - idleSince < IDLE_MS; await sleep(100)) {
    const answer = await clickhouse.query({ query: 'SELECT 1 FROM system.merges LIMIT 1', format: 'JSONEachRow' });
    if ((await answer.json()).length > 0) idleSince = performance.now();
  }
}

/** Each event once, and each id. @throws where one was lost or made up. */
async function assertAllThere({ totals }: UsageFixture, sent: number) {
  const { events, distinct, ids } = await totals();
  if (events !== sent || distinct !== sent || ids !== sent) {
    throw new Error(`${sent} sent; ${events} landed, ${distinct} distinct, ${ids} ids.`);
  }
}
