import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from 'vitest';
import { takeBackup, takeIncrement } from '../../cli/backup.ts';
import { recordsFile } from '../../cli/backup-folder.ts';
import { type DrillResult, drill } from '../../cli/drill/drill.ts';
import { replaceLostStream } from '../../cli/new-epoch.ts';
import { restoreBackup } from '../../cli/restore.ts';
import { encryptionKeysFile } from '../../local/encryption-keys.ts';
import type { Stack } from '../../local/start-stack.ts';
import { createSecretCipher, newEncryptionKeyText } from '../../runtime/cipher.ts';
import { systemClock } from '../../runtime/clock.ts';
import { loadProcessConfig } from '../../runtime/config.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { countUsage } from '../../sql/clickhouse/usage/erase-usage.ts';
import { loadAudit } from '../../sql/clickhouse/usage/usage-audit.ts';
import { insertDrill } from '../../sql/postgres/backup-drills.ts';
import { createPool } from '../../sql/postgres/postgres.ts';
import { makeRecords } from '../api/record-fixtures.ts';
import { howMany } from '../how-many.ts';
import { newAccount, type TestAccount, withPostgres } from '../stack/accounts.ts';
import { type Api, api, itemsOf, type Json, stack } from '../stack/api.ts';
import { billOf } from '../stack/bills.ts';
import { advance, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { makeDataFolder } from '../stack/data-folder.ts';
import { startOwnStack } from '../stack/own-stack.ts';
import { landed, makeMetric } from '../stack/resources.ts';
import { verifyChainOf, wholeHeadOf } from '../stack/verify-chain.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { send, sendOn } from './send-usage.ts';
import { heardOfWorkerWithOtherKeys } from './worker-with-other-keys.ts';

const CUSTOMER = 'acme';
const GONE = 'gone';
const HOUR_MS = 3_600_000;
const MAIN = join(import.meta.dirname, '../../cli/main.ts');
/** Lists of an account, which a backup brings back as they were. */
const LISTS = [
  'customers',
  'metrics',
  'plans',
  'addons',
  'subscriptions',
  'invoices',
  'credits',
  'refunds',
  'test-clocks',
];

let folder = '';
/** The backup. */
let one = '';
/** Under which nothing in it can be read; with its own keys `workflows/lost-and-restored.ts` restores one. */
const otherKeys = { ENCRYPTION_KEYS: newEncryptionKeyText() };
let account: TestAccount;
let clockId = '';
let webhookId = '';
/** What the account's lists and invoices were at the backup, and what became of them; heads of its chain then and now. */
let saved: Awaited<ReturnType<typeof whatIsThere>>;
let expected: Json[] = [];
let kept: Head;
let undone: Head;
/** The stack on which the backup is restored, while the tests before those of it go on. */
let restoring: Promise<Stack> | undefined;

beforeAll(async () => {
  folder = await makeDataFolder('meterbook-backup-');
  await makeCustomers();
  await backUpWhileItRuns();
  restoring = restoreOnEmptyMachine();
  // Whoever waits for it is told.
  restoring.catch(() => {});
});
afterEach(() => void vi.unstubAllEnvs());
afterAll(async () => {
  await (await restoring?.catch(() => undefined))?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Whose backup is taken: with a record of every kind. */
async function makeCustomers() {
  account = await newAccount();
  await Promise.all([makeRecords(account.api, 'kept'), makeClocked()]);
}

async function makeClocked() {
  clockId = await makeClock(account.api, '2026-03-02T00:00:00.000Z');
  const clocked = { test_clock_id: clockId, tax_rate: 8.25, timezone: 'Asia/Kolkata' };
  for (const id of [CUSTOMER, GONE]) await makeCustomer(account.api, id, clocked);
  const hook = await account.api.post('/api/webhooks', { webhook_url: 'https://example.com/hook' });
  webhookId = String(hook.body.id ?? hook.body.webhook_endpoint_id);
  const bytes = { metric_name: 'Bytes', aggregation_type: 'sum', event_name: 'call', property_name: 'n' };
  const { metric_id } = await makeMetric(account.api, bytes);
  const tiers = [
    { up_to: 100, unit_price: 0.0123 },
    { up_to: null, unit_price: 0.01, flat_fee: 3 },
  ];
  const plan_id = await makePlan(account.api, { components: [{ metric_id, pricing_model: 'tiered', tiers }] });
  await subscribe(account.api, { customer_id: CUSTOMER, plan_id });
}

async function countEvents(clickhouse: ClickHouseClient, account_id: string): Promise<number> {
  const query = 'SELECT count() AS events FROM usage_events WHERE account_id = {account_id:String}';
  const answer = await clickhouse.query({ query, query_params: { account_id }, format: 'JSONEachRow' });
  const [row] = await answer.json<{ events: string }>();
  return Number(row?.events);
}

async function listsOf(from: Api): Promise<Json[]> {
  const answers = await Promise.all(LISTS.map((list) => from.get(`/api/${list}/?page_size=200`)));
  for (const { body, text } of answers) expect(itemsOf(body.results).length, text).toBeGreaterThan(0);
  return answers.map(({ exact }) => exact);
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

/** The line of an invoice, with a unit more of subtotal and total. */
function raised(line: string): string {
  return line.replace(/"(subtotal|total)":(\d+)/g, (_, name, units) => `"${name}":${Number(units) + 1}`);
}

/** The keys that the backup's stack has. */
const ownKeys = () => ({ ENCRYPTION_KEYS_FILE: encryptionKeysFile(inject('dataDir')) });
/** Rows that other tests have damaged are no reason to refuse where `withoutSecrets` is true. */
const secretsOf = (keys: Record<string, string>, withoutSecrets = true) => {
  const cipher = createSecretCipher(loadProcessConfig(keys).loadEncryptionKeys);
  return { cipher, withoutSecrets, clock: systemClock };
};

async function cli(...args: string[]) {
  const { postgres_url: DATABASE_URL, clickhouse_url: CLICKHOUSE_URL, nats_url: NATS_URL } = stack();
  const env = { ...process.env, DATABASE_URL, CLICKHOUSE_URL, NATS_URL };
  const run = await promisify(execFile)(process.execPath, [MAIN, ...args], { env });
  return JSON.parse(run.stdout) as Record<string, unknown>;
}

async function whatIsThere(from: Api) {
  return { lists: await listsOf(from), invoices: await invoicesOf(from, `customer_id=${CUSTOMER}`) };
}

type Head = Awaited<ReturnType<typeof wholeHeadOf>>;

/** A whole backup and an increment, between which and after which life goes on. */
async function backUpWhileItRuns() {
  one = join(folder, account.accountId);
  await send(account.api, CUSTOMER, '2026-03-10', 40);
  await send(account.api, GONE, '2026-03-12', 5);
  await landed(account.api);
  expect(await cli('backup', one, '--incremental')).toMatchObject({ folder: one });
  await advance(account.api, clockId, '2026-04-02T00:00:00.000Z');
  await send(account.api, CUSTOMER, '2026-04-05', 50);
  await landed(account.api);
  expect((await account.api.post(`/api/customers/${GONE}/delete/`)).status).toBe(204);
  kept = await withPostgres((postgres) => wholeHeadOf(postgres, account.accountId));
  // The increment has the events of since, and the records whole: its restore erases again what the first step still holds.
  const under = sendOn(account.api);
  expect(await cli('backup', one, '--incremental')).toMatchObject({ folder: join(one, '0001') });
  await under.stop();
  saved = await whatIsThere(account.api);
  expect(saved.invoices).toHaveLength(1);
  expected = await goOn(account.api);
  expect(expected).toHaveLength(2);
  undone = await withPostgres((postgres) => wholeHeadOf(postgres, account.accountId));
}

/** Under other keys than those of the secrets in it, which has to be said. */
function restoreOnEmptyMachine(): Promise<Stack> {
  return startOwnStack(otherKeys, async (stores) => {
    const advice = new RegExp(
      `can't be decrypted[^]*ENCRYPTION_KEYS_FILE=<file> npm run cli -- restore ${one}\n[^]*restore ${one} --without-secrets`,
    );
    await expect(restoreBackup(stores, one, secretsOf(otherKeys, false))).rejects.toThrow(advice);
    await expect(restoreBackup(stores, one, secretsOf({}))).rejects.toThrow('no keys were given');
    const { secrets_replaced } = await restoreBackup(stores, one, secretsOf(otherKeys));
    expect(secrets_replaced).toContain(`webhook_endpoints/${account.accountId}/${webhookId}`);
    const clickhouse = createClickHouse(stores.clickhouseUrl);
    const { accountId } = account;
    expect(await countUsage(clickhouse, { accountId, customerId: CUSTOMER })).toMatchObject({ events: 90 });
    expect(await countUsage(clickhouse, { accountId, customerId: GONE })).toMatchObject({ events: 0 });
    // The audit is that of the events that the backup has, and of those that were erased.
    const audit = await loadAudit(clickhouse, accountId, { start: 0, end: Date.now() + HOUR_MS });
    const landed = (await countEvents(clickhouse, accountId)) + 5;
    expect(audit).toMatchObject({ accepted: landed + audit.repeated, landed, missing: 0 });
    await clickhouse.close();
  });
}

async function restoredStack(): Promise<Stack> {
  if (!restoring) throw new Error('none was restored');
  return restoring;
}

test('a backup is refused where something is, and where it is not as it was written', async () => {
  const { postgres_url: databaseUrl, clickhouse_url: clickhouseUrl, nats_url: natsUrl } = stack();
  const stores = { databaseUrl, clickhouseUrl, natsUrl };
  await expect(takeBackup(stores, one, systemClock)).rejects.toThrow('is not empty');
  await expect(restoreBackup(stores, one, secretsOf(ownKeys()))).rejects.toThrow('The records are not empty');
  await expect(restoreBackup(stores, folder, secretsOf(ownKeys()))).rejects.toThrow('is no backup');
  await expect(replaceLostStream(stores)).rejects.toThrow('The usage stream is whole');
  const damaged = join(folder, 'damaged');
  await cp(one, damaged, { recursive: true });
  const [name = ''] = (await readdir(join(damaged, 'books'))).filter((file) => file.startsWith('invoices'));
  const { size } = await stat(join(damaged, 'books', name));
  await truncate(join(damaged, 'books', name), size - 1);
  const restore = () => restoreBackup(stores, damaged, secretsOf(ownKeys()));
  await expect(restore()).rejects.toThrow(`${join('books', name)} of the whole backup is not as it was written`);
  await rm(join(damaged, 'books', name));
  await expect(restore()).rejects.toThrow(`${join('books', name)} of the whole backup is missing`);
});

test('a drill restores the backup beside the running stack, passes, and names what somebody has bent', async () => {
  const { postgres_url: databaseUrl, clickhouse_url: clickhouseUrl, nats_url: natsUrl } = stack();
  const stores = { databaseUrl, clickhouseUrl, natsUrl };
  vi.stubEnv('DATA_DIR', join(folder, 'data'));
  const backups = join(folder, 'drilled');
  const bent = join(backups, 'bent');
  await cp(one, bent, { recursive: true });
  await cp(one, join(folder, 'whole'), { recursive: true });
  // The file and its checksum are as somebody leaves them who knows how a backup is made.
  const step = join(bent, '0001');
  const manifest = JSON.parse(await readFile(join(step, 'backup.json'), 'utf8'));
  const file = manifest.files.find(({ name }: { name: string }) => name === recordsFile('invoices'));
  const text = gunzipSync(await readFile(join(step, file.name))).toString();
  const rows = text.split('\n').map((line) => (line.includes(account.accountId) ? JSON.parse(line) : line));
  const changed = rows.find((row) => row.account_id === account.accountId && row.customer_id === CUSTOMER);
  const total = changed.total;
  const lines = text.split('\n').map((line) => (line.includes(changed.invoice_id) ? raised(line) : line));
  const bytes = gzipSync(lines.join('\n'));
  await writeFile(join(step, file.name), bytes);
  file.sha256 = createHash('sha256').update(bytes).digest('hex');
  await writeFile(join(step, 'backup.json'), JSON.stringify(manifest));

  const ours = ({ findings }: DrillResult) => findings.filter((one) => one.account_id === account.accountId);
  const found = await drill(stores, { folder: backups }, secretsOf(ownKeys()));
  expect(found).toMatchObject({ passed: false, backup: bent });
  expect(total).toBeGreaterThan(0);
  const named = expect.stringMatching(new RegExp(`invoice ${changed.invoice_id}: record_changed$`));
  // And nothing else: the rest of it is as it runs.
  expect(ours(found).map(({ what }) => what)).toEqual([expect.stringMatching(/^invoices in USD/), named]);
  const told = async () => (await account.api.get('/metrics')).text;
  await waitUntil(told, (metrics) => /^meterbook_backup_drill_failed 1$/m.test(metrics));

  for (let n = 0; n < howMany(0, 1); n++) {
    const whole = await drill(stores, { folder: join(folder, 'whole') }, secretsOf(ownKeys()));
    expect(ours(whole)).toEqual([]);
  }
  const none = join(folder, 'none');
  const nothing = await drill(stores, { folder: none, archive: none }, secretsOf(ownKeys()));
  expect(nothing.findings).toMatchObject([
    { what: `the restore: ${none} is no backup, and holds none.` },
    { what: `the archive: ${none} is no archive of the records: it has no copy of them.` },
  ]);
  // Rows that other tests have bent are in the whole one, too.
  await withPostgres((postgres) => insertDrill(postgres, { drilledAt: Date.now(), takenAt: null, findings: [] }));
  await waitUntil(told, (metrics) => /^meterbook_backup_drill_failed 0$/m.test(metrics));
  expect(await told()).toMatch(/^meterbook_backup_drill_passed_timestamp_seconds \d/m);
});

test('an increment that goes on where another one ended is refused without it', async () => {
  const { postgres_url: databaseUrl, clickhouse_url: clickhouseUrl, nats_url: natsUrl } = stack();
  const stores = { databaseUrl, clickhouseUrl, natsUrl };
  const steps = join(folder, 'steps');
  await cp(one, steps, { recursive: true });
  const restore = () => restoreBackup(stores, steps, secretsOf(ownKeys()));
  // One that was cut off is taken again.
  await mkdir(join(steps, '0002', 'usage'), { recursive: true });
  expect(await takeIncrement(stores, steps, systemClock)).toMatchObject({ at: join(steps, '0002') });
  await expect(restore()).rejects.toThrow('The records are not empty');
  await rename(join(steps, '0001'), join(folder, 'kept'));
  await expect(restore()).rejects.toThrow('increment 0001 is missing, and increment 0002 goes on there');
  await rename(join(steps, '0002'), join(steps, '0001'));
  await expect(restore()).rejects.toThrow('increment 0001 does not go on where the whole backup ended');
  await rm(join(steps, '0001'), { recursive: true });
  await rename(join(folder, 'kept'), join(steps, '0001'));
  const manifest = join(steps, 'backup.json');
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"epoch": 1,', '"epoch": 7,'));
  await rm(join(steps, '0001'), { recursive: true });
  await expect(takeIncrement(stores, steps, systemClock)).rejects.toThrow('Take a whole backup, into a new folder');
  // As of an epoch before this one: a folder beside it goes on.
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"epoch": 7,', '"epoch": 0,'));
  const beside = `${steps}-epoch-1`;
  expect(await takeIncrement(stores, steps, systemClock)).toMatchObject({ at: beside, manifest: { format: 1 } });
  expect(await takeIncrement(stores, steps, systemClock)).toMatchObject({ at: join(beside, '0001') });
  // A whole one that was cut off is taken again, where nothing else is in the folder.
  await rm(manifest);
  await rm(join(steps, '0001'), { recursive: true });
  await writeFile(join(steps, 'mine'), '');
  await expect(takeIncrement(stores, steps, systemClock)).rejects.toThrow('is no backup');
  await rm(join(steps, 'mine'));
  expect(await takeIncrement(stores, steps, systemClock)).toMatchObject({ at: steps, manifest: { format: 1 } });
});

test('a backup taken while everything runs, restored onto an empty machine, bills the same to the cent', async () => {
  const restored = await restoredStack();
  const again = api(account.key, restored.file().base_url);
  expect(await whatIsThere(again)).toEqual(saved);
  expect(numbered(await goOn(again))).toEqual(numbered(expected));
  // The chain goes on from the backup's, and heads that were published since betray that it went back.
  const { postgres_url } = restored.file();
  const postgres = createPool(postgres_url);
  await wholeHeadOf(postgres, account.accountId);
  expect(await verifyChainOf(postgres, account.accountId, [kept])).toMatchObject({ bent: null });
  const { bent } = await verifyChainOf(postgres, account.accountId, [kept, undone]);
  expect(bent).toMatchObject({ found: expect.stringMatching(/^head_(changed|missing)$/), sequence: undone.sequence });
  await postgres.end();
  // The ids of an erased customer stay repeats.
  const { body } = await again.post('/api/verify-events', { idempotency_ids: [`${GONE} 2026-03-12 0`, 'unknown'] });
  expect(body.ids_received).toEqual([`${GONE} 2026-03-12 0`]);
});

test('a service that was restored without the keys of its secrets, which has to be said, tells no lie', async () => {
  const restored = await restoredStack();
  const again = api(account.key, restored.file().base_url);
  expect((await again.get('/readyz')).status).toBe(200);
  expect((await again.get('/metrics')).text).toMatch(/^meterbook_unreadable_secrets 0$/m);
  const rolled = await again.post(`/api/webhooks/${webhookId}/roll-secret`);
  expect(rolled.status, rolled.text).toBe(200);
  const { missing, metrics } = await heardOfWorkerWithOtherKeys(restored.file());
  expect(missing).toContain('encryption keys');
  expect(metrics).toMatch(/^meterbook_unreadable_secrets [1-9]\d*$/m);
});
