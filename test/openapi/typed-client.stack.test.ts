import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generateApi } from 'swagger-typescript-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newAccount } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';

const run = promisify(execFile);
const TSC = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));
const DOCUMENT = fileURLToPath(new URL('../../api/openapi.json', import.meta.url));

/** What a user of the client writes: it prints what it got, and has one mistake that the types must find. */
const PROGRAM = `
import { Api } from './client.ts';

const [baseUrl = '', key = ''] = process.argv.slice(2);
const client = new Api({ baseUrl, baseApiParams: { headers: { 'X-API-KEY': key } } });

const customer = await client.api.createCustomer({ customer_id: 'typed', email: 'billing@typed.example' });
const metric = await client.api.createMetric({ metric_name: 'Calls', aggregation_type: 'count', event_name: 'call' });
const plan = await client.api.createPlan({
  name: 'Pro',
  recurring_fee: 29,
  billing_period: 'monthly',
  components: [{ metric_id: metric.data.metric_id, free_tier: 10, overage_price: 0.5 }],
});
const { customer_id } = customer.data;
const subscription = await client.api.createSubscription({ customer_id, plan_id: plan.data.plan_id });
const time_created = new Date().toISOString();
await client.api.trackEvent({ event_name: 'call', customer_id, idempotency_id: 'e-1', time_created, properties: { gb: 1 } });
const access = await client.api.checkMetricAccess({ customer_id, metric_id: metric.data.metric_id });
const draft = await client.api.retrieveDraftInvoice(customer_id);
const fee: number | undefined = draft.data.lines?.find((line) => line.type === 'recurring_fee')?.amount;
const missing = await client.api.retrievePlan('no-such-plan').catch((answer: { error: { detail: string } }) => answer.error.detail);
const page = await client.api.listSubscriptions({ status: 'active', page_size: 10 });
// @ts-expect-error: there is no such field
plan.data.no_such_field;
// @ts-expect-error: an aggregation is one of four
void (() => client.api.createMetric({ metric_name: 'Calls', aggregation_type: 'average' }));

const isActive: boolean = 'status' in subscription.data && subscription.data.status === 'active';
console.log(JSON.stringify({ isActive, access: access.data.access, fee, missing, count: page.data.count }));
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'meterbook-client-'));
  const made = await generateApi({ input: DOCUMENT, output: false, generateUnionEnums: true, silent: true });
  await writeFile(join(folder, 'client.ts'), made.files[0]?.fileContent ?? '');
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'program.ts'), PROGRAM);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('a typed client made from the document type-checks what one writes with it, and works', async () => {
  const language = ['--strict', '--target', 'es2024', '--module', 'nodenext', '--rewriteRelativeImportExtensions'];
  const places = ['--types', 'node', '--typeRoots', join(TSC, '../../@types'), '--outDir', 'made'];
  const built = await run(TSC, [...language, ...places, 'program.ts'], { cwd: folder }).catch((failed) => failed);
  expect(built.stdout).toBe('');
  const { key } = await newAccount();
  const { stdout } = await run(process.execPath, [join(folder, 'made/program.js'), stack().base_url, key]);
  const missing = 'No such plan no-such-plan.';
  expect(JSON.parse(stdout)).toEqual({ isActive: true, access: true, fee: 29, missing, count: 1 });
});
