import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../source-files.ts';
import { newAccount } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';
import { landed } from '../stack/resources.ts';
import { BUN, DENO, findRuntime, installPackages, NODE_20 } from './runtimes.ts';

/** The package as somebody gets it: packed, installed into an empty project, and used there. */

const run = promisify(execFile);

/** Calls the service of the address and the key that it is given by all that the core has, and prints what came of it. */
const CORE = `
import { createClient, paginate, verifyWebhook, WebhookVerificationError } from '@meterbook/sdk';
import { Webhook } from 'standardwebhooks';

const [baseUrl, apiKey] = globalThis.Deno ? Deno.args : process.argv.slice(2);
const client = createClient({ baseUrl, apiKey });
for (const name of ['a', 'b', 'c']) {
  await client.POST('/api/customers', { body: { customer_id: name, email: 'billing@acme.example' } });
}
const customers = [];
for await (const one of paginate(client, '/api/customers', { params: { query: { page_size: 2, sort: 'customer_id' } } })) {
  customers.push(one.customer_id);
}
const { error, response } = await client.GET('/api/plans/{plan_id}', { params: { path: { plan_id: 'none' } } });
const secret = 'whsec_' + btoa('a secret of 24 bytes....');
const body = JSON.stringify({ id: 'evt_1', type: 'invoice.paid', data: {} });
const time = new Date();
const headers = {
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(Math.floor(time / 1000)),
  'webhook-signature': new Webhook(secret).sign('evt_1', time, body),
};
const { type } = await verifyWebhook(body, headers, secret);
const refused = await verifyWebhook(body + ' ', headers, secret).catch((error) => error instanceof WebhookVerificationError);
console.log(JSON.stringify({ customers, status: response.status, detail: error.detail, type, refused }));
`;
const CORE_SAYS = {
  customers: ['a', 'b', 'c'],
  status: 404,
  detail: 'No such plan none.',
  type: 'invoice.paid',
  refused: true,
};

const METER = `
import { InvalidEventError, Meter } from '@meterbook/sdk/meter';

const [baseUrl, apiKey, spoolDir] = process.argv.slice(2);
const meter = await Meter.open({ baseUrl, apiKey, spoolDir });
for (let n = 0; n < 2_500; n++) meter.track({ event_name: 'call', customer_id: 'a', idempotency_id: 'e-' + n, properties: { n } });
let errors;
try {
  meter.track({ event_name: 'call', customer_id: '' });
} catch (error) {
  if (error instanceof InvalidEventError) errors = error.errors;
}
const left = await meter.close();
const { accepted, rejected } = meter.stats();
console.log(JSON.stringify({ node: process.version.split('.')[0], errors, left, accepted, rejected }));
`;

/** With a mistake each that the types must find. */
const TYPED = `
import { createClient, paginate, type paths, verifyWebhook, type WebhookEvent } from '@meterbook/sdk';

const client = createClient({ baseUrl: 'http://localhost:8080', apiKey: 'key', maxRetries: 1 });
export async function plans(): Promise<string[]> {
  const names: string[] = [];
  for await (const plan of paginate(client, '/api/plans')) names.push(plan.name);
  // @ts-expect-error: a plan has a name
  await client.POST('/api/plans', { body: { billing_period: 'monthly' } });
  return names;
}
export async function paid(request: Request): Promise<number> {
  const event: WebhookEvent = await verifyWebhook(await request.text(), request.headers, ['whsec_a', 'whsec_b']);
  // @ts-expect-error: what is not an invoice has no total
  void event.data.total;
  return event.type === 'invoice.paid' ? event.data.total : 0;
}
export type Path = keyof paths;
`;
const TYPED_METER = `
import { Meter, type MeterStats, SpoolFullError } from '@meterbook/sdk/meter';

export async function count(): Promise<MeterStats> {
  const meter = await Meter.open({ baseUrl: 'http://localhost:8080', apiKey: 'key', spoolDir: 'spool', onReject: ({ event_name }, errors) => console.log(event_name, errors) });
  const id: string = meter.track({ event_name: 'call', customer_id: 'acme', time_created: new Date(), properties: { n: 1, s: 'a', b: true } });
  // @ts-expect-error: a property is no list
  meter.track({ event_name: id, customer_id: 'acme', properties: { list: [1] } });
  if (!(new SpoolFullError('') instanceof Error)) return meter.stats();
  return meter.stats();
}
`;

type Packed = { filename: string; files: { path: string }[] };

let folder: string;
let project: string;
let packed: Packed;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mb-tarball-'));
  project = join(folder, 'project');
  await mkdir(project);
  const pack = ['pack', '--json', '--silent', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: join(root, 'sdk/typescript') });
  const said = JSON.parse(stdout.slice(stdout.search(/^[[{]/m))) as Packed[] | Record<string, Packed>;
  packed = Object.values(said)[0] as Packed;
  await writeFile(join(project, 'package.json'), '{"type": "module", "private": true}');
  await installPackages(project, [join(folder, packed.filename)]);
  await writeFile(join(project, 'core.mjs'), CORE);
  await writeFile(join(project, 'meter.mjs'), METER);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('is compiled whole, whatever an earlier build has left', async () => {
  const config = JSON.parse(await readFile(join(root, 'sdk/typescript/tsconfig.json'), 'utf8'));
  expect(config.compilerOptions).toMatchObject({ incremental: false, tsBuildInfoFile: null });
});

test('has compiled JavaScript, declarations, README and LICENSE, and nothing else', async () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'dist/meter/meter.js', 'dist/meter/meter.d.ts']),
  );
  expect(paths.filter((path) => !/^dist\/.*\.(js|d\.ts)$/.test(path)).sort()).toEqual([
    'LICENSE',
    'README.md',
    'package.json',
  ]);
  const manifest = JSON.parse(await readFile(join(project, 'node_modules/@meterbook/sdk/package.json'), 'utf8'));
  expect(Object.keys(manifest.dependencies).length).toBeLessThanOrEqual(2);
  expect(Object.keys(manifest.scripts).filter((name) => name.includes('install') || name === 'prepare')).toEqual([]);
  expect(await readFile(join(project, 'node_modules/@meterbook/sdk/LICENSE'), 'utf8')).toBe(
    await readFile(join(root, 'LICENSE'), 'utf8'),
  );
});

describe.each([
  [NODE_20, []],
  [BUN, ['run']],
  [DENO, ['run', '--no-prompt', '--node-modules-dir=manual', '--allow-net', '--allow-read', '--allow-env']],
])('$name', (runtime, options) => {
  test('runs the core', async () => {
    const { key } = await newAccount();
    const program = await findRuntime(runtime);
    const { stdout } = await run(program, [...options, 'core.mjs', stack().base_url, key], { cwd: project });
    expect(JSON.parse(stdout)).toEqual(CORE_SAYS);
  });
});

test('Node 20 runs the meter', async () => {
  const { key, api } = await newAccount();
  const program = await findRuntime(NODE_20);
  const { stdout } = await run(program, ['meter.mjs', stack().base_url, key, join(folder, 'spool')], { cwd: project });
  expect(JSON.parse(stdout)).toEqual({
    node: 'v20',
    errors: { customer_id: ['This field may not be blank.'] },
    left: { pending: 0 },
    accepted: 2_500,
    rejected: 0,
  });
  await landed(api);
  expect((await api.get('/api/events?customer_id=a')).body.count).toBe(2_500);
});

const WITHOUT_NODE = { types: [], lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'] };
const WITH_NODE = { types: ['node'], lib: ['es2022'] };
const TYPESCRIPT_7 = 'node_modules/typescript/bin/tsc';
const TYPESCRIPT_5 = 'console/node_modules/typescript/bin/tsc';

test.each([
  ['the core, where there is no Node', TYPESCRIPT_7, TYPED, WITHOUT_NODE],
  ['all of it, in TypeScript 7', TYPESCRIPT_7, TYPED + TYPED_METER, WITH_NODE],
  ['all of it, in TypeScript 5', TYPESCRIPT_5, TYPED + TYPED_METER, WITH_NODE],
])('a strict project that checks declarations: %s', async (_what, compiler, program, options) => {
  const here = await mkdtemp(join(project, 'typed-'));
  await writeFile(join(here, 'program.ts'), program);
  const compilerOptions = {
    strict: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: 'es2022',
    module: 'nodenext',
    noEmit: true,
    typeRoots: [join(root, 'node_modules/@types')],
    ...options,
  };
  await writeFile(join(here, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  const { stdout } = await run(process.execPath, [join(root, compiler), '-p', here]).catch((failed) => failed);
  expect(stdout).toBe('');
});
