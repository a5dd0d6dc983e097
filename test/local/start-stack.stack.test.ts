import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { commandOf, findLeftovers } from '../../local/leftovers.ts';
import { STACK_PROCESSES, type StackFile } from '../../local/stack-file.ts';
import type { Stack } from '../../local/start-stack.ts';
import { serversOf } from '../../stream/connection.ts';
import { makeDataFolder } from '../stack/data-folder.ts';
import { killChild } from '../stack/kill-child.ts';
import { putRecords } from './prepared-records.ts';
import { startStandInStack } from './stand-in-stack.ts';

/** The launcher over real engines, with stand-ins in place of our four processes. */
const folders: string[] = [];
const stacks: Stack[] = [];

/** One for the tests that only look at it. */
let standing: Stack;
let standingIn: string;
/** Where the others start, one after another, on what the last one has left: only the first has to make databases. */
let reused: string;

async function folder(): Promise<string> {
  folders.push(await makeDataFolder('meterbook-stack-'));
  return join(folders.at(-1) ?? '', 'data');
}

async function start(...args: Parameters<typeof startStandInStack>): Promise<Stack> {
  const stack = await startStandInStack(...args);
  stacks.push(stack);
  return stack;
}

const readFile = (dataDir: string) => JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8')) as StackFile;

async function until<T>(what: () => T | false | Promise<T | false>, limitMs = 90_000): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const value = await Promise.resolve(what()).catch(() => undefined);
    if (value) return value;
    if (performance.now() > end) throw new Error(`still not so after ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function sql(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function streamNames(url: string): Promise<string[]> {
  const nats = await connect(serversOf(url));
  try {
    const jsm = await jetstreamManager(nats);
    const names: string[] = [];
    for await (const name of jsm.streams.names()) names.push(name);
    return names;
  } finally {
    await nats.close();
  }
}

/** So that no engine is started where none is needed. */
function standingEngines() {
  const { postgres_url: databaseUrl, nats_url: natsUrl, clickhouse_url, temporal_address } = standing.file();
  return { databaseUrl, natsUrl, clickhouseUrl: clickhouse_url, temporalAddress: temporal_address };
}

beforeAll(async () => {
  reused = await folder();
  standingIn = await folder();
  const deaf = { ingest: 'deaf', aggregator: 'deaf', worker: 'deaf', api: 'deaf' };
  await Promise.all([reused, standingIn].map((path) => putRecords(path, 'empty')));
  standing = await startStandInStack(standingIn, { niceness: 5, behaviours: deaf });
});
afterEach(async () => {
  await Promise.all(stacks.splice(0).map((stack) => stack.stop()));
});
afterAll(async () => {
  await standing?.stop();
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

describe('a running stack', () => {
  test('says where everything is, to its owner only', async () => {
    const file = readFile(standingIn);
    expect(file).toEqual(standing.file());
    expect(Object.keys(file).sort()).toEqual(
      [
        'account_id',
        'api_key',
        'base_url',
        'clickhouse_url',
        'nats_url',
        'pids',
        'postgres_url',
        'temporal_address',
        'temporal_ui_url',
      ].sort(),
    );
    expect(Object.keys(file.pids).sort()).toEqual(['launcher', ...STACK_PROCESSES].sort());
    for (const pid of Object.values(file.pids)) expect(() => process.kill(pid ?? 0, 0)).not.toThrow();
    expect(statSync(join(standingIn, 'stack.json')).mode & 0o777).toBe(0o600);
    expect(await sql(file.postgres_url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    const ui = await fetch(`${file.temporal_ui_url}/api/v1/namespaces/default`);
    expect(ui.status).toBe(200);
  });

  test('Temporal reads once which search attributes there are, not for each question (docs/first-of-month.md#temporals-memory)', async () => {
    const { pids, temporal_ui_url } = standing.file();
    const port = / --metrics-port (\d+)/.exec(await commandOf(pids.temporal ?? 0))?.[1];
    const reads =
      'persistence_requests{namespace="system",operation="GetCurrentClusterMetadata",service_name="frontend"}';
    const countReads = async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(reads))
          ?.split(' ')
          .at(-1),
      );
    };
    const list = async () => {
      const query = encodeURIComponent('PlanId = "basic"');
      const answer = await fetch(`${temporal_ui_url}/api/v1/namespaces/default/workflows?query=${query}`);
      expect(answer.status).toBe(200);
    };
    await list();
    const before = await until(countReads);
    for (let n = 0; n < 10; n++) await list();
    // It reports once a second, and looks again once a minute.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect((await countReads()) - before).toBeLessThanOrEqual(1);
  });

  test('the worker and Temporal stand back for calls and events (docs/first-of-month.md#calls-meanwhile)', () => {
    const { pids } = standing.file();
    const niceness = (name: (typeof STACK_PROCESSES)[number]) => getPriority(pids[name] ?? 0) - getPriority();
    expect(STACK_PROCESSES.filter((name) => niceness(name) !== 0).sort()).toEqual(['temporal', 'worker']);
    expect(niceness('worker')).toBe(5);
    // Where the kernel has sessions share the cores, that of its session counts.
    const ofSession = `/proc/${pids.worker}/autogroup`;
    if (existsSync(ofSession)) expect(readFileSync(ofSession, 'utf8')).toContain('nice 5');
  });

  test('NATS shows the edge that it syncs before each ack', async () => {
    const { nats_url } = standing.file();
    const nats = await connect(serversOf(nats_url));
    const report = (await nats.request('$SYS.REQ.SERVER.PING.JSZ', '', { timeout: 20_000 })).json<{
      data: { config: object };
    }>();
    expect(report.data.config).toMatchObject({ sync_always: true });
    expect(nats.info?.max_payload).toBeGreaterThan(512 * 1024);
    await nats.close();
  });

  test('a second launcher on its directory is told where it is', async () => {
    const { base_url } = standing.file();
    await expect(startStandInStack(standingIn)).rejects.toThrow(`already runs on ${standingIn}, at ${base_url}`);
    expect((await fetch(base_url)).ok).toBe(true);
  });
});

describe('stopping', () => {
  test('a start is given up when asked to', async () => {
    const dataDir = reused;
    const giveUp = new AbortController();
    const { databaseUrl: _, ...given } = standingEngines();
    const starting = startStandInStack(dataDir, {
      signal: giveUp.signal,
      given,
      prepare: async () => {
        giveUp.abort(new Error('enough'));
        return { api_key: '', account_id: '' };
      },
    });
    await expect(starting).rejects.toThrow('enough');
    expect(await findLeftovers(dataDir)).toEqual([]);
    // Another one goes on.
    expect((await fetch(standing.file().base_url)).ok).toBe(true);
  });
});

describe('what cannot start', () => {
  test('a process that keeps ending is named in one line, with its reason and its log', async () => {
    const dataDir = reused;
    const starting = startStandInStack(dataDir, { behaviours: { api: 'broken' }, given: standingEngines() });
    await expect(starting).rejects.toThrow(
      /^api can't start \(it ended 3 times\): .*broken on purpose.*; log: .*\/logs\/api\.log$/,
    );
    expect(await findLeftovers(dataDir)).toEqual([]);
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);
  });

  test('a port in use, and a wrong binary, are named with the variable to set', async () => {
    const { base_url } = standing.file();
    const port = Number(new URL(base_url).port);
    await expect(startStandInStack(await folder(), { port })).rejects.toThrow(
      `Port ${port} is in use by another program. Set PORT`,
    );
    const { natsUrl: _, ...given } = standingEngines();
    await expect(startStandInStack(await folder(), { natsServerBin: process.execPath, given })).rejects.toThrow(
      /NATS_SERVER_BIN=.* is "v24.*2\.12 or later/,
    );
  });

  test('an engine whose address is given is not started; files that the environment names are the ones read', async () => {
    const other = standing.file();
    const own = { PROCESSORS_FILE: '/etc/processors.json', ENCRYPTION_KEYS_FILE: '/etc/encryption-keys' };
    const environment = { ...process.env, ...own };
    const stack = await start(reused, { given: standingEngines(), environment });
    const file = stack.file();
    expect(await (await fetch(file.base_url)).json()).toMatchObject(own);
    expect(file.pids).toMatchObject({ postgres: null, nats: null, clickhouse: null, temporal: null });
    expect(file).toMatchObject({
      postgres_url: other.postgres_url,
      temporal_address: other.temporal_address,
      temporal_ui_url: null,
    });
  });
});

/** Nobody needs the standing one any more: its engines do not hear, and none of our processes does. How long its stop takes. */
async function stopUnheard(): Promise<number> {
  const { pids } = standing.file();
  for (const name of ['postgres', 'nats', 'clickhouse', 'temporal'] as const) process.kill(pids[name] ?? 0, 'SIGSTOP');
  const begun = performance.now();
  await standing.stop();
  return performance.now() - begun;
}

/** Beside one that is stopped, which takes as long as it may. */
describe('after a kill -9 of the launcher', () => {
  const diary = () => join(reused, '../diary');
  let left: StackFile;
  let stack: Stack;
  let tookToStop: Promise<number>;

  beforeAll(async () => {
    tookToStop = stopUnheard();
    const launcher = spawn(process.execPath, [join(import.meta.dirname, 'stand-in-launcher.ts'), reused], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await until(() => existsSync(join(reused, 'stack.json')));
    left = readFile(reused);
    await sql(left.postgres_url, 'CREATE TABLE kept (id int)');
    await killChild(launcher);
    expect((await findLeftovers(reused)).length).toBeGreaterThanOrEqual(8);
    stack = await startStandInStack(reused, { diary: diary(), behaviours: { aggregator: 'deaf' } });
  });
  afterAll(() => stack?.stop());

  test('the next start ends what is left and goes on with the data', async () => {
    const next = stack.file();
    // By command line: a dead process whose new parent has not looked yet still has its number.
    for (const pid of Object.values(left.pids)) expect(await commandOf(pid ?? 0)).toBe('');
    expect(next.nats_url).toBe(left.nats_url);
    expect(await sql(next.postgres_url, 'TABLE kept')).toEqual([]);
  });

  test('beside another one: starts again whatever is killed, at its own address, with its data, and stops in the order of data', async () => {
    const before = stack.file();
    const nats = await connect(serversOf(before.nats_url));
    await (await jetstreamManager(nats)).streams.add({ name: 'KEPT', subjects: ['kept'] });
    await nats.close();
    for (const name of STACK_PROCESSES) process.kill(before.pids[name] ?? 0, 'SIGKILL');
    const after = await until(() => {
      const file = readFile(reused);
      return STACK_PROCESSES.every((name) => file.pids[name] !== before.pids[name]) && file;
    });
    expect({ ...after, pids: 0 }).toEqual({ ...before, pids: 0 });
    expect(await until(() => sql(after.postgres_url, 'TABLE kept'))).toEqual([]);
    expect(await until(() => streamNames(after.nats_url))).toEqual(['KEPT']);
    await until(async () => (await fetch(`http://${new URL(after.clickhouse_url).host}/ping`)).ok);
    await until(async () => (await fetch(`${after.temporal_ui_url}/api/v1/namespaces/default`)).ok);
    await until(async () => (await fetch(after.base_url)).ok);

    const addresses = [after, standing.file()].flatMap((file) => {
      const { base_url, nats_url, postgres_url, clickhouse_url, temporal_address } = file;
      return [base_url, nats_url, postgres_url, clickhouse_url, temporal_address].map((url) => url.split(':').at(-1));
    });
    expect(new Set(addresses.map((port) => port?.split('/')[0])).size).toBe(10);

    // Once, and the deaf by force.
    const begun = performance.now();
    await Promise.all([stack.stop(), stack.stop()]);
    expect(performance.now() - begun).toBeLessThan(15_000);
    expect(readFileSync(diary(), 'utf8')).toBe('ingest aggregator worker api ');
    expect(existsSync(join(reused, 'stack.json'))).toBe(false);
    expect(await findLeftovers(reused)).toEqual([]);
  });

  test('one whose engines do not hear, and none of our processes, still ends within 15 s', async () => {
    expect(await tookToStop).toBeLessThan(15_000);
    expect(await findLeftovers(standingIn)).toEqual([]);
  });
});
