import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { takeBackup } from '../../cli/backup.ts';
import { replaceLostStream } from '../../cli/new-epoch.ts';
import { restoreBackup } from '../../cli/restore.ts';
import type { Stack } from '../../local/start-stack.ts';
import { systemClock } from '../../runtime/clock.ts';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { type Api, api, type Json, stack } from '../stack/api.ts';
import { billOf } from '../stack/bills.ts';
import { advance, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { startOwnStack } from '../stack/own-stack.ts';
import { landed, makeMetric } from '../stack/resources.ts';
import { waitUntil } from '../stack/wait-until.ts';

const CUSTOMER = 'acme';
const GONE = 'gone';
const MAIN = join(import.meta.dirname, '../../cli/main.ts');

let folder = '';
/** The backup. */
let one = '';
let account: TestAccount;
let clockId = '';
let restored: Stack | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'meterbook-backup-'));
});
afterEach(async () => {
  await restored?.stop();
  restored = undefined;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Whose backup is taken. */
async function makeCustomers() {
  account = await newAccount();
  clockId = await makeClock(account.api, '2026-03-02T00:00:00.000Z');
  const clocked = { test_clock_id: clockId, tax_rate: 8.25, timezone: 'Asia/Kolkata' };
  for (const id of [CUSTOMER, GONE]) await makeCustomer(account.api, id, clocked);
  const bytes = { metric_name: 'Bytes', aggregation_type: 'sum', event_name: 'call', property_name: 'n' };
  const { metric_id } = await makeMetric(account.api, bytes);
  const tiers = [
    { up_to: 100, unit_price: 0.0123 },
    { up_to: null, unit_price: 0.01, flat_fee: 3 },
  ];
  const plan_id = await makePlan(account.api, { components: [{ metric_id, pricing_model: 'tiered', tiers }] });
  await subscribe(account.api, { customer_id: CUSTOMER, plan_id });
}

/** Events of a day, each with an id that says which, so that the same can be sent again. */
async function send(to: Api, customer_id: string, day: string, count: number) {
  const sent = Array.from({ length: count }, (_, i) => {
    const event = { event_name: 'call', customer_id, time_created: `${day}T10:00:00Z`, properties: { n: i + 0.125 } };
    return to.post('/api/track', { ...event, idempotency_id: `${customer_id} ${day} ${i}` });
  });
  for (const answer of await Promise.all(sent)) expect(answer.status).toBe(200);
}

/** What happens after the backup, on the stack that goes on and on the one that was restored. */
async function goOn(to: Api): Promise<Json[]> {
  await send(to, CUSTOMER, '2026-03-10', 30);
  await send(to, CUSTOMER, '2026-04-05', 60);
  await send(to, GONE, '2026-03-12', 5);
  await send(to, CUSTOMER, '2026-04-20', 25);
  await advance(to, clockId, '2026-05-02T00:00:00.000Z');
  return invoicesOf(to, `customer_id=${CUSTOMER}`);
}

const numbered = (invoices: Json[]) => invoices.map((one) => ({ number: one.invoice_number, ...billOf(one) }));

async function cli(...args: string[]) {
  const { postgres_url: DATABASE_URL, clickhouse_url: CLICKHOUSE_URL, nats_url: NATS_URL } = stack();
  const env = { ...process.env, DATABASE_URL, CLICKHOUSE_URL, NATS_URL };
  const run = await promisify(execFile)(process.execPath, [MAIN, ...args], { env });
  return JSON.parse(run.stdout) as Record<string, unknown>;
}

test('a backup taken while everything runs, restored onto an empty machine, bills the same to the cent', async () => {
  await makeCustomers();
  one = join(folder, account.accountId);
  await send(account.api, CUSTOMER, '2026-03-10', 40);
  await send(account.api, GONE, '2026-03-12', 5);
  await advance(account.api, clockId, '2026-04-02T00:00:00.000Z');
  await send(account.api, CUSTOMER, '2026-04-05', 50);
  await landed(account.api);
  expect((await account.api.post(`/api/customers/${GONE}/delete/`)).status).toBe(204);
  expect(await cli('backup', one)).toMatchObject({ folder: one });
  const first = await invoicesOf(account.api, `customer_id=${CUSTOMER}`);
  expect(first).toHaveLength(1);
  const expected = await goOn(account.api);
  expect(expected).toHaveLength(2);

  restored = await startOwnStack({}, (stores) => restoreBackup(stores, one));
  const again = api(account.key, restored.file().base_url);
  expect(await invoicesOf(again, `customer_id=${CUSTOMER}`)).toEqual(first);
  expect(numbered(await goOn(again))).toEqual(numbered(expected));
  const { body } = await again.post('/api/verify-events', { idempotency_ids: [`${GONE} 2026-03-12 0`, 'unknown'] });
  expect(body.ids_received).toEqual([`${GONE} 2026-03-12 0`]);
  // Whatever the backup held of a deleted customer is erased again; its ids stay repeats.
  const left = () => again.get(`/api/events?customer_id=${GONE}`);
  await waitUntil(left, (answer) => answer.status !== 200 || Number(answer.body.count) === 0, 60_000);
}, 240_000);

test('a backup is refused where something is, and where it is not as it was written', async () => {
  const { postgres_url: databaseUrl, clickhouse_url: clickhouseUrl, nats_url: natsUrl } = stack();
  const stores = { databaseUrl, clickhouseUrl, natsUrl };
  await expect(takeBackup(stores, one, systemClock)).rejects.toThrow('is not empty');
  await expect(restoreBackup(stores, one)).rejects.toThrow('The books are not empty');
  await expect(restoreBackup(stores, folder)).rejects.toThrow('is no backup');
  await expect(replaceLostStream(stores)).rejects.toThrow('The usage stream is whole');
  const damaged = join(folder, 'damaged');
  await cp(one, damaged, { recursive: true });
  const [name = ''] = (await readdir(join(damaged, 'books'))).filter((file) => file.startsWith('invoices'));
  const { size } = await stat(join(damaged, 'books', name));
  await truncate(join(damaged, 'books', name), size - 1);
  await expect(restoreBackup(stores, damaged)).rejects.toThrow('is not as it was written');
});
