import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { createPool } from '../../sql/postgres/postgres.ts';
import { report, rounded } from '../figures.ts';
import { clientOf, type MeasuredStack, withStacks } from '../measured-stacks.ts';
import { runTimerLoops } from '../timers/timer-loop.ts';
import { closeBurst, type Fixture } from './burst.ts';
import { insertSelect } from './insert-select.ts';
import { makeCustomerTemplate, SUBSCRIPTIONS_EACH } from './many-customers.ts';
import { setPostgresApart } from './postgres-apart.ts';

const ROOT = join(import.meta.dirname, '../..');
const DAY_MS = 86_400_000;
/** What the first release closes, before and after ours: so much of it. */
const SHARE_BESIDE = 4;
/** Customers that each closes before, and what it may take to start one of their subscriptions. */
const [WARM_CUSTOMERS, WARM_MS_EACH] = [10, 300];
const GOALS = { 'CPU over the first release': 0.55, 'counter held ms': 20, 'API p99 ms': 150 };

/** Which other stack closes, by default the first release's; `alone`: none. `apart`: Postgres has a core to itself. */
type Options = { beside?: string | undefined; alone?: boolean | undefined; apart?: boolean | undefined };

/**
 * `due` subscriptions, ten of a customer, whose periods end at one instant, closed by this stack, and a quarter as many, before and
 * after, by that of `beside`: by default the first release, as `test/upgrade` has it packed. Ours over timers of workflows that do
 * nothing on the same server, and over one statement by hand that makes the same invoices.
 */
export async function benchFirstOfMonth(due: number, { beside, alone = false, apart = false }: Options): Promise<void> {
  const packed = beside === undefined && !alone ? await unpackFirstRelease() : undefined;
  try {
    await withStacks(beside ?? packed, async (stacks) => {
      const fixtures: Fixture[] = [];
      for (const stack of stacks) fixtures.push(await prepare(stack));
      if (apart) for (const { file } of stacks) setPostgresApart(file);
      try {
        await measure(fixtures, due);
      } finally {
        await Promise.all(fixtures.flatMap(({ postgres, client }) => [postgres.end(), client.connection.close()]));
      }
    });
  } finally {
    if (packed !== undefined) await rm(packed, { recursive: true, force: true });
  }
}

async function measure([ours, first]: Fixture[], due: number): Promise<void> {
  if (!ours) throw new Error('no stack to measure');
  const customers = Math.ceil(due / SUBSCRIPTIONS_EACH);
  const fewer = Math.ceil(customers / SHARE_BESIDE);
  const address = ours.file.temporal_address;
  const timersBefore = await runTimerLoops(ours.client, address, 'before');
  const close = async (fixture: Fixture, burst: string, count: number) => {
    const figures = await closeBurst(fixture, burst, count);
    console.error(fixture.release, burst, JSON.stringify(figures));
    return figures;
  };
  for (const fixture of first ? [first, ours] : [ours]) await close(fixture, 'warm', WARM_CUSTOMERS);
  const before = first && (await close(first, 'before', fewer));
  const now = await close(ours, 'month', customers);
  const byHand = await insertSelect(ours.postgres, ours.file, now.due);
  const after = first && (await close(first, 'after', fewer));
  const timersAfter = await runTimerLoops(ours.client, address, 'after');
  const firstCpu = before && after ? (before.cpuMs + after.cpuMs) / 2 : Number.NaN;
  const perSecond = now.due / now.lastAfterS;
  const row = {
    due: now.due,
    'last after s': now.lastAfterS,
    'closings/s': rounded(perSecond),
    'of timers': rounded(perSecond / ((timersBefore + timersAfter) / 2)),
    'CPU ms': now.cpuMs,
    'first release ms': rounded(firstCpu),
    ratio: rounded(now.cpuMs / firstCpu),
    'Postgres over by hand': rounded((now.of.postgres ?? Number.NaN) / byHand.cpuMs),
    'counter held p99/max ms': `${now.heldMs.p99}/${now.heldMs.max}`,
    'of it at most ran ms': now.heldMs.mostRan,
    'API p50/p99 ms': `${now.callsMs.p50}/${now.callsMs.p99}`,
    refused: now.callsMs.refused,
    'worker MB': now.workerMb,
  };
  report('first-of-month', [row], { goals: GOALS, timers: [timersBefore, timersAfter], byHand, now, before, after });
}

async function prepare(stack: MeasuredStack): Promise<Fixture> {
  const { release, file } = stack;
  const postgres = createPool(file.postgres_url);
  const client = new Client({ connection: await Connection.connect({ address: file.temporal_address }) });
  const api = clientOf(stack);
  const startDate = new Date(Date.now() - 20 * DAY_MS).toISOString().slice(0, 10);
  const template = await makeCustomerTemplate({ api, postgres, accountId: file.account_id }, startDate);
  // The copies of the template's subscriptions run with the first burst.
  return { release, file, api, postgres, client, template, running: SUBSCRIPTIONS_EACH, startMsEach: WARM_MS_EACH };
}

/** The release that the upgrade test starts from, with the dependencies of now. */
async function unpackFirstRelease(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'meterbook-first-'));
  execFileSync('tar', ['-xzf', join(ROOT, 'test/upgrade/previous-release.tar.gz'), '-C', folder]);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
