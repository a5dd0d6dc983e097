import { loadavg } from 'node:os';
import { buildConsole } from '../../console/build/build-console.ts';
import type { StackFile } from '../../local/stack-file.ts';
import { createLog } from '../../runtime/log.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { loadAudit } from '../../sql/clickhouse/usage/usage-audit.ts';
import { countEventsByDay } from '../../sql/clickhouse/usage/usage-events.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import {
  countRecords,
  listNextClosings,
  sumInvoiced,
  sumReceivables,
  sumRecurring,
} from '../../sql/postgres/overview.ts';
import { createPool, inReading } from '../../sql/postgres/postgres.ts';
import { launchBrowser } from '../../test/console/browser.ts';
import { LISTS, recordPages } from '../../test/console/page-paths.ts';
import { makeShownRecords } from '../../test/console/shown-records.ts';
import { newAccount, type TestAccount } from '../../test/stack/accounts.ts';
import { startOwnStack } from '../../test/stack/own-stack.ts';
import { overviewDays } from '../../wire/overview/overview.ts';
import { median, percentile, report, rounded } from '../figures.ts';
import { fillEvents, fillRecords, INVOICES } from './fill-account.ts';
import { type OpenedPage, openPages } from './page-calls.ts';

const WARM_UPS = 3;
const SAMPLES = 30;
const GOAL_P95_MS = 300;
const OVERVIEW_ROUNDS = 41;
const OVERVIEW_GOAL = 1.5;
const OVERVIEW = '/api/overview';
/** Reads one row: what any call takes on this machine now. */
const LEAST = '/api/account';

/**
 * Every call that a page of the console makes, found by opening the pages in a browser: of an account with 10,000 customers,
 * 20,000 invoices and `events` events (one in a hundred is of the customer that pages are about). Then the overview over its
 * statements alone. An answer that is not 200 fails the run, but for the page that is about nobody.
 */
export async function benchConsole(events: number): Promise<void> {
  await buildConsole(console.log);
  const stack = await startOwnStack();
  const file = stack.file();
  const postgres = createPool(file.postgres_url);
  const browser = await launchBrowser([]);
  try {
    const account = await newAccount({ at: file });
    const ids = await makeShownRecords(account.api);
    // What is copied would be work for it.
    signal(file, 'SIGSTOP');
    await fillRecords(postgres, account.accountId, ids.customer);
    const { accountId } = account;
    const log = createLog('bench', 'silent');
    await fillEvents(file.nats_url, { accountId, customerId: ids.customer, count: events, log });
    const pages = await openPages(browser, file.base_url, account.key, [...LISTS, ...recordPages(ids)]);
    await browser.close();
    const measured = [];
    for (const [call, page] of firstPagesOf(pages)) measured.push(await measure(account, file, call, page));
    const overview = await compareOverview(account, file);
    const missed = measured.filter((row) => row['p95 ms'] > GOAL_P95_MS).map(({ call }) => call);
    console.table(pages.map(({ path, shownMs }) => ({ page: path, 'shown ms': rounded(shownMs) })));
    report('console', measured, {
      ...{ invoices: INVOICES, events, goal_p95_ms: GOAL_P95_MS, missed, overview, goal_overview: OVERVIEW_GOAL },
      ...{ shown_ms: Object.fromEntries(pages.map(({ path, shownMs }) => [path, rounded(shownMs)])) },
      load: loadavg().map(rounded),
    });
  } finally {
    signal(file, 'SIGCONT');
    await browser.close();
    await postgres.end();
    await stack.stop();
  }
}

function signal({ pids }: StackFile, name: 'SIGSTOP' | 'SIGCONT'): void {
  if (pids.worker !== null) process.kill(pids.worker, name);
}

/** Each call with the first page that makes it, and {@link LEAST} beside them. */
function firstPagesOf(pages: readonly OpenedPage[]): Map<string, string> {
  const calls = new Map([[LEAST, 'none']]);
  for (const { path, calls: made } of pages) for (const call of made) if (!calls.has(call)) calls.set(call, path);
  return calls;
}

async function measure({ key }: TestAccount, { base_url }: StackFile, call: string, page: string) {
  const times: number[] = [];
  for (let i = 0; i < WARM_UPS + SAMPLES; i++) {
    const begun = performance.now();
    const answer = await fetch(new URL(call, base_url), { headers: { 'X-API-KEY': key } });
    const text = await answer.text();
    if (i >= WARM_UPS) times.push(performance.now() - begun);
    if (!answer.ok && !page.endsWith('/nobody')) throw new Error(`${call}: ${answer.status} ${text}`);
  }
  const [p50 = Number.NaN, p95 = Number.NaN] = [50, 95].map((percent) => rounded(percentile(times, percent)));
  return { call, page, 'p50 ms': p50, 'p95 ms': p95 };
}

/** The overview through the API over its statements alone, in turn: the median of the ratios. */
async function compareOverview({ key, accountId }: TestAccount, file: StackFile) {
  const [postgres, clickhouse] = [createPool(file.postgres_url), createClickHouse(file.clickhouse_url)];
  const byApi = async () => {
    await (await fetch(new URL(OVERVIEW, file.base_url), { headers: { 'X-API-KEY': key } })).text();
  };
  const alone = () => {
    const now = Date.now();
    const range = overviewDays({}, new Date(now).toISOString().slice(0, 10));
    return Promise.all([
      inReading(postgres, accountId, (tx) =>
        Promise.all([
          loadAccount(tx, accountId),
          sumRecurring(tx, accountId),
          sumInvoiced(tx, accountId, range),
          sumReceivables(tx, accountId, now),
          countRecords(tx, accountId, range),
          listNextClosings(tx, accountId, 10),
        ]),
      ),
      countEventsByDay(clickhouse, accountId, range),
      loadAudit(clickhouse, accountId, { start: now - 86_400_000, end: now }),
    ]);
  };
  const times = { api: [] as number[], alone: [] as number[] };
  for (let round = -WARM_UPS; round < OVERVIEW_ROUNDS; round++) {
    const [aloneMs, apiMs] = [await msOf(alone), await msOf(byApi)];
    if (round < 0) continue;
    times.alone.push(aloneMs);
    times.api.push(apiMs);
  }
  await Promise.all([postgres.end(), clickhouse.close()]);
  const ratio = rounded(median(times.api.map((ms, i) => ms / (times.alone[i] ?? Number.NaN))));
  return { ratio, api_ms: rounded(median(times.api)), statements_ms: rounded(median(times.alone)) };
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
