import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareStack } from '../../cli/prepare-stack.ts';
import { type Stack, startStack } from '../../local/start-stack.ts';
import { systemClock } from '../../runtime/clock.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { createCaller } from '../caller.ts';
import { auditBreaches } from '../usage-checks.ts';
import { type AppReport, type MeteredApp, NEXT_DIGITS } from './metered-app.ts';

export type OutageOptions = { seconds: number; events: number };

/** The share of the events that is tracked before the service goes away, and at which the app is killed while it is. */
const AWAY_AT = 0.1;
const KILLED_AT = [0.4, 0.7];
/** What has gathered is sent within this once the service is back. */
const BACKLOG_MS = 60_000;
const LAND_MS = 120_000;
const POLL_MS = 100;

/**
 * An app tracks events; the service goes away; the app is killed twice with SIGKILL and started again, and goes on; the service comes
 * back. Each event has landed once, and what had gathered is sent within a minute. Answers what was found.
 */
export async function goAway(options: OutageOptions, say: (line: string) => void): Promise<string[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'meterbook-outage-'));
  await chmod(dataDir, 0o755); // Postgres runs as a user of its own
  const start = (port: number) =>
    startStack({
      ...loadLauncherConfig(),
      dataDir,
      port,
      log: say,
      prepare: (stores) => prepareStack(stores, { dataDir, apiKey: undefined, clock: systemClock }),
    });
  const first = await start(0);
  const { base_url: baseUrl, api_key: apiKey } = first.file();
  const app = new KilledApp(dataDir, { ...options, baseUrl, apiKey });
  const found: string[] = [];
  let second: Stack | undefined;
  try {
    app.start();
    await app.until(({ next }) => next >= options.events * AWAY_AT);
    await first.stop();
    const away = performance.now();
    say(`the service is away; ${app.next()} events have been tracked`);
    for (const share of KILLED_AT) {
      await app.until(({ next }) => next >= options.events * share);
      await app.kill();
      say(`kill -9 of the app after event ${app.next() - 1}`);
      app.start();
    }
    await app.until(({ next }) => next === options.events);
    await sleep(Math.max(0, options.seconds * 1_000 - (performance.now() - away)));
    say(`${app.report?.pending} events are pending in ${app.report?.spoolBytes} bytes; the service comes back`);
    const answered = untilAnswered(app, baseUrl);
    second = await start(Number(new URL(baseUrl).port));
    found.push(...(await afterReturn(second, await answered, options, say)));
  } finally {
    await app.kill();
    await Promise.all([first.stop(), second?.stop()]);
  }
  if (found.length === 0) await rm(dataDir, { recursive: true, force: true });
  else say(`data and logs are kept in ${dataDir}`);
  return found;
}

/** Milliseconds from when the edge takes events again until all have been answered. */
async function untilAnswered(app: KilledApp, baseUrl: string): Promise<number> {
  const isReady = async () => (await fetch(new URL('/readyz/ingest', baseUrl)).catch(() => undefined))?.ok;
  while (!(await isReady())) await sleep(POLL_MS);
  const back = performance.now();
  await app.until(({ pending }) => pending === 0);
  return performance.now() - back;
}

async function afterReturn(stack: Stack, tookMs: number, { events }: OutageOptions, say: (line: string) => void) {
  say(`all were answered ${(tookMs / 1_000).toFixed(1)} s after the edge was back`);
  const found = tookMs > BACKLOG_MS ? [`the backlog took ${tookMs} ms`] : [];
  const { base_url: baseUrl, api_key: apiKey, account_id: accountId, clickhouse_url } = stack.file();
  const clickhouse = createClickHouse(clickhouse_url);
  const query = `SELECT count() AS events, uniqExact(idempotency_id) AS ids, toString(toInt64(sum(numbers['n']))) AS sum
                 FROM usage_events WHERE account_id = {account_id:String}`;
  type Row = { events: string; ids: string; sum: string };
  const ask = async () => {
    const answer = await clickhouse.query({ query, query_params: { account_id: accountId }, format: 'JSONEachRow' });
    return (await answer.json<Row>())[0];
  };
  const until = performance.now() + LAND_MS;
  let row = await ask();
  while (Number(row?.events) < events && performance.now() < until) {
    await sleep(POLL_MS);
    row = await ask();
  }
  await clickhouse.close();
  // Each number from 0 once: as many events as ids, and their sum.
  const wanted = {
    events: String(events),
    ids: String(events),
    sum: String((BigInt(events) * BigInt(events - 1)) / 2n),
  };
  say(`landed: ${JSON.stringify(row)}`);
  if (JSON.stringify(row) !== JSON.stringify(wanted)) found.push(`landed is not ${JSON.stringify(wanted)}`);
  found.push(...(await auditBreaches(createCaller(baseUrl, apiKey, new Map()))));
  return found;
}

/** The app, in a process that can be killed and started again where it was. */
class KilledApp {
  report: AppReport | undefined;
  readonly #app: Omit<MeteredApp, 'from'>;
  #child: ChildProcess | undefined;

  constructor(folder: string, options: OutageOptions & { baseUrl: string; apiKey: string }) {
    const { seconds, events, baseUrl, apiKey } = options;
    const nextFile = join(folder, 'next');
    writeFileSync(nextFile, '0'.padStart(NEXT_DIGITS));
    // Done in half of the outage, so that all of it waits for the service.
    const eventsPerSecond = Math.max(2_000, (events * 2) / seconds);
    this.#app = { baseUrl, apiKey, spoolDir: join(folder, 'spool'), nextFile, events, eventsPerSecond };
  }

  next(): number {
    return Number(readFileSync(this.#app.nextFile, 'utf8'));
  }

  start(): void {
    const app: MeteredApp = { ...this.#app, from: this.next() };
    this.#child = fork(join(import.meta.dirname, 'metered-app.ts'), [JSON.stringify(app)]);
    this.#child.on('message', (report: AppReport) => {
      this.report = report;
    });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    this.report = undefined;
  }

  /** @throws where the app has ended by itself */
  async until(holds: (report: AppReport) => boolean): Promise<void> {
    while (!this.report || !holds(this.report)) {
      if (this.#child?.exitCode !== null) throw new Error(`The app has ended with ${this.#child?.exitCode}.`);
      await sleep(POLL_MS);
    }
  }
}
