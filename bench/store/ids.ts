import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { loadKnownIds } from '../../aggregator/known-ids.ts';
import { FINGERPRINT_BYTES, FINGERPRINT_WORDS } from '../../stream/fingerprint.ts';
import { startUsageFixture } from '../../test/aggregator/usage-fixture.ts';
import type { UsageEngines } from '../../test/stack/usage-engines.ts';
import { median, report, rounded } from '../figures.ts';

/** Sizes as parts of the largest. */
const PARTS = [0.05, 0.25, 1];
const ROUNDS = 5;
/** Ids of one batch of the aggregator. */
const BATCH = 50_000;
const ROWS_PER_FILL = 1_000_000;
const GOALS = { rssMb: 700, readySeconds: 60 };

/**
 * Ids that have landed, recognised: new ids probed per second in batches, old ones (each asked of ClickHouse), bytes
 * per id in the filter, and what a started aggregator takes: seconds until it is ready and its memory, at rest and at most.
 */
export async function benchIds(ids: number): Promise<void> {
  const fixture = await startUsageFixture();
  try {
    const rows: Record<string, unknown>[] = [];
    let filled = 0;
    for (const part of PARTS) {
      const size = Math.ceil(ids * part);
      await fill(fixture.clickhouse, filled, size);
      filled = size;
      rows.push({
        ids: size,
        ...(await probe(fixture.clickhouse, size)),
        ...(await startAggregator(fixture.engines, size)),
      });
    }
    report('ids', rows, { goals: GOALS });
  } finally {
    await fixture.stop();
  }
}

/** The fingerprint of id `n` here: any hash does. */
const FINGERPRINT = `reinterpret(MD5(toString(number)), 'UInt128')`;

/** At position 0: an aggregator does not land what the stream, empty here, would have lost. */
async function fill(clickhouse: ClickHouseClient, from: number, to: number) {
  for (let at = from; at < to; at += ROWS_PER_FILL) {
    const count = Math.min(ROWS_PER_FILL, to - at);
    await clickhouse.command({
      query: `INSERT INTO usage_ids SELECT ${FINGERPRINT}, 0, now64(3) FROM numbers(${at}, ${count})`,
    });
  }
}

async function probe(clickhouse: ClickHouseClient, size: number) {
  const known = await loadKnownIds(clickhouse, Number.POSITIVE_INFINITY);
  const { ids, bytes } = known.size();
  if (ids !== size) throw new Error(`${size} ids, ${ids} known.`);
  const fresh: number[] = [];
  const old: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const unknown = wordsOf(randomBytes(BATCH * FINGERPRINT_BYTES));
    fresh.push(await rateOf(unknown, 0));
    old.push(await rateOf(await someIds(clickhouse, size), BATCH / 10));
  }
  return {
    'new ids/s': Math.round(median(fresh)),
    'old ids/s': Math.round(median(old)),
    'filter bytes/id': rounded(bytes / ids),
  };

  async function rateOf(fingerprints: Uint32Array, expected: number): Promise<number> {
    const started = performance.now();
    const landed = (await known.findLanded(fingerprints)).filter((has) => has);
    if (landed.length !== expected) throw new Error(`${expected} of these have landed, not ${landed.length}.`);
    return fingerprints.length / FINGERPRINT_WORDS / ((performance.now() - started) / 1000);
  }
}

/** Ids that landed long ago. */
async function someIds(clickhouse: ClickHouseClient, size: number): Promise<Uint32Array> {
  const count = BATCH / 10;
  const from = Math.floor(Math.random() * (size - count));
  const answer = await clickhouse.exec({
    query: `SELECT ${FINGERPRINT} FROM numbers(${from}, ${count}) FORMAT RowBinary`,
  });
  return wordsOf(await buffer(answer.stream));
}

/** A view on words must start at a multiple of four, which these bytes need not. */
function wordsOf({ buffer, byteOffset, byteLength }: Buffer): Uint32Array {
  return new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

type Addresses = Pick<UsageEngines, 'natsUrl' | 'clickhouseUrl' | 'port'>;

/** The aggregator itself, from its start until it says that it is ready, when it must know `size` ids. */
export async function startAggregator({ natsUrl, clickhouseUrl, port }: Addresses, size: number) {
  const addresses = { NATS_URL: natsUrl, CLICKHOUSE_URL: clickhouseUrl, PORT: String(port) };
  const main = join(import.meta.dirname, '../..', 'aggregator', 'main.ts');
  const started = performance.now();
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...addresses, LOG_LEVEL: 'warn' },
  });
  try {
    const url = `http://127.0.0.1:${port}/readyz`;
    while (!(await fetch(url).catch(() => undefined))?.ok) await sleep(50);
    const seconds = (performance.now() - started) / 1000;
    await sleep(2_000);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    if (!metrics.includes(`meterbook_known_ids ${size}`)) throw new Error('The aggregator does not know all ids.');
    return { 'ready s': rounded(seconds), ...(await memoryOf(child)) };
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

async function memoryOf({ pid }: ChildProcess) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { 'RSS MB': megabytes('VmRSS'), 'most MB': megabytes('VmHWM') };
}
