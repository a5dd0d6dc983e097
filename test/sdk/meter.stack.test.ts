import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Meter } from '../../sdk/typescript/source/meter/meter.ts';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { itemsOf, stack } from '../stack/api.ts';
import { subscribe } from '../stack/clocks.ts';
import { killChild } from '../stack/kill-child.ts';
import { landed, makeCustomer, makeMetric, makePlan, track } from '../stack/resources.ts';
import { waitUntil } from '../stack/wait-until.ts';
import type { App } from './meter-app.ts';

let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mb-billed-'));
});

afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => killChild(child)));
  rmSync(folder, { recursive: true });
});

const spoolDir = () => join(folder, 'spool');
const log = () => join(folder, 'returned');

/** A customer who pays 0.01 for each call. */
async function openBusiness(account: TestAccount) {
  const { api } = account;
  const { metric_id } = await makeMetric(api);
  const { plan_id } = await makePlan(api, { recurring_fee: 0, components: [{ metric_id, overage_price: 0.01 }] });
  const { customer_id } = await makeCustomer(api, { customer_id: 'acme' });
  await subscribe(api, { customer_id, plan_id });
}

async function billedCalls({ api }: TestAccount): Promise<number> {
  await landed(api);
  const { body } = await api.get('/api/customers/acme/draft_invoice/');
  return Number(itemsOf(body.lines).find(({ type }) => String(type) === 'usage')?.quantity);
}

test('every tracked event is billed once, however often the app is killed', async () => {
  const account = await newAccount({ mode: 'live' });
  await openBusiness(account);
  const sizeOfLog = async () => statSync(log(), { throwIfNoEntry: false })?.size ?? 0;
  for (let round = 0; round < 3; round++) {
    const app: App = {
      url: stack().base_url,
      apiKey: account.key,
      spoolDir: spoolDir(),
      log: log(),
      name: `r${round}`,
      count: 1_000_000,
      die: 'never',
    };
    const from = await sizeOfLog();
    const child = spawn(process.execPath, [join(import.meta.dirname, 'meter-app.ts'), JSON.stringify(app)]);
    children.push(child);
    // Some 3,000 events, of which some have been sent by then and some have not.
    await waitUntil(sizeOfLog, (size) => size > from + 25_000);
    await killChild(child);
  }
  const meter = await Meter.open({ baseUrl: stack().base_url, apiKey: account.key, spoolDir: spoolDir() });
  await meter.flush();
  expect(await meter.close()).toEqual({ pending: 0 });
  const returned = new Set(readFileSync(log(), 'utf8').trim().split('\n'));
  const billed = await billedCalls(account);
  // In each kill one event may have been written that the app had not been told of yet.
  expect(billed).toBeGreaterThanOrEqual(returned.size);
  expect(billed).toBeLessThanOrEqual(returned.size + 3);
  expect(meter.stats().rejected).toBe(0);
});

test('an event that was sent by hand, too, counts once; one that only the service can refuse is told of', async () => {
  const account = await newAccount({ mode: 'live' });
  await openBusiness(account);
  const heard: unknown[] = [];
  const onReject = (event: object, errors: object) => void heard.push([event, errors]);
  const meter = await Meter.open({ baseUrl: stack().base_url, apiKey: account.key, spoolDir: spoolDir(), onReject });
  const call = { event_name: 'call', customer_id: 'acme' };
  meter.track({ ...call, idempotency_id: 'e-1', properties: { cost: 0.00022500000000000002 } });
  const ahead = { ...call, idempotency_id: 'e-2', time_created: '2200-01-01T00:00:00Z' };
  meter.track(ahead);
  await meter.flush();
  await track(account.api, { ...call, idempotency_id: 'e-1', time_created: new Date().toISOString() });
  expect(heard).toEqual([[{ ...ahead, properties: {} }, { time_created: ['Must not be more than 24 hours ahead.'] }]]);
  expect(await meter.close()).toEqual({ pending: 0 });
  expect(await billedCalls(account)).toBe(1);
  const { exact } = await account.api.get('/api/events?customer_id=acme');
  expect(itemsOf(exact.results).map(({ properties }) => properties)).toEqual([{ cost: '0.000225' }]);
});
