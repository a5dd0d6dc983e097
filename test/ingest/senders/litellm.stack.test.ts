import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { itemsOf, stack } from '../../stack/api.ts';
import { eventually } from '../../stack/clocks.ts';
import { landed } from '../../stack/resources.ts';
import { billedAccount } from './billed-account.ts';
import { LITELLM, litellmPython } from './litellm-environment.ts';

/** PyPI litellm with both of its callbacks, unmodified, configured by its environment alone (spec/senders). */

const EVENT_CODE = 'llm';
const OPENMETER = 'litellm_tokens';

/** A dollar for a token and a thousand times the cost: that a line shows each digit that counts. */
const PRICES = [OPENMETER, EVENT_CODE].flatMap((event_name) => {
  const cost = event_name === OPENMETER ? 'cost' : 'response_cost';
  return [
    { event_name, aggregation_type: 'count', price: '0.01' },
    { event_name, aggregation_type: 'sum', property_name: 'total_tokens', price: '0.001' },
    { event_name, aggregation_type: 'sum', property_name: cost, price: '1000' },
  ] as const;
});

/** Three calls by `acompletion`, of which one of a model that nobody knows the price of: 2 * 0.000225 of cost. */
const OPENMETER_LINES = {
  litellm_tokens: { quantity: '3', amount: '0.03', events_count: '3' },
  'litellm_tokens.total_tokens': { quantity: '90', amount: '0.09', events_count: '3' },
  'litellm_tokens.cost': { quantity: '0.00045', amount: '0.45', events_count: '3' },
};
/** The same and one by `completion`, for which the callback of OpenMeter does not run: 3 * 0.000225. */
const LAGO_LINES = {
  llm: { quantity: '4', amount: '0.04', events_count: '4' },
  'llm.total_tokens': { quantity: '120', amount: '0.12', events_count: '4' },
  'llm.response_cost': { quantity: '0.000675', amount: '0.68', events_count: '4' },
};
const NONE = { quantity: '0', amount: '0', events_count: '0' };
const none = (lines: object) => Object.fromEntries(Object.keys(lines).map((name) => [name, NONE]));

/** The first run on a machine installs it. */
const INSTALLS_MS = 20 * 60_000;

test(`litellm ${LITELLM}: what its callbacks send is on the invoice`, { timeout: INSTALLS_MS }, async (context) => {
  const found = await litellmPython();
  if ('missing' in found) {
    console.warn(`Not tested: ${found.missing}. Its recorded bodies are.`);
    return context.skip(found.missing);
  }
  const { api, key, close } = await billedAccount('acme', PRICES);
  const address = stack().base_url;
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    OPENMETER_API_ENDPOINT: address,
    OPENMETER_API_KEY: key,
    LAGO_API_BASE: address,
    LAGO_API_KEY: key,
    LAGO_API_EVENT_CODE: EVENT_CODE,
    // Its list of prices as it was released, without the internet.
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  };
  const script = join(import.meta.dirname, 'litellm_run.py');
  const running = spawn(found.python, [script, 'acme'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(running, 'exit');
  // Its beginning takes the longest; one that fails ends before it has asked.
  await Promise.race([once(running.stdout, 'data'), ended]);
  expect(running.exitCode).toBeNull();
  const sent = await eventually(
    async () => itemsOf((await api.get('/api/events?customer_id=acme')).exact.results),
    (events) => events.length >= 7,
  );
  running.stdin.end();
  expect(await ended).toEqual([0, null]);
  expect(sent).toHaveLength(7);
  expect(await close()).toEqual({ ...OPENMETER_LINES, ...LAGO_LINES });
});

type Recorded = { path: string; content_type: string; body: string };
const recorded: Recorded[] = JSON.parse(readFileSync(join(import.meta.dirname, `litellm-${LITELLM}.json`), 'utf8'));

async function replay(key: string, bodies: readonly Recorded[]): Promise<number[]> {
  const statuses = [];
  for (const { path, content_type, body } of bodies) {
    const headers = { 'Content-Type': content_type, Authorization: `Bearer ${key}` };
    const answer = await fetch(new URL(path, stack().base_url), { method: 'POST', headers, body });
    statuses.push(answer.status);
  }
  return statuses;
}

test(`recorded bodies of litellm ${LITELLM}, openmeter: with a time, with 20 decimals, with no cost`, async () => {
  const { api, key, close } = await billedAccount('acme', PRICES, '2026-11-22');
  const bodies = recorded.filter(({ body }) => body.includes('specversion'));
  expect(await replay(key, bodies)).toEqual([204, 204, 204]);
  expect(await replay(key, bodies)).toEqual([204, 204, 204]);
  await landed(api);
  const [first] = itemsOf((await api.get('/api/events?customer_id=acme&sort=time_created')).exact.results);
  expect(first).toMatchObject({
    idempotency_id: 'litellm-proxy chatcmpl-67c6217f-0acb-4a30-85c2-f5a93e2670d3',
    time_created: '2026-11-23T08:45:44.955Z',
    properties: { cost: '0.000225', model: 'gpt-4o', total_tokens: '30' },
  });
  expect(await close()).toEqual({ ...OPENMETER_LINES, ...none(LAGO_LINES) });
});

test(`recorded bodies of litellm ${LITELLM}, lago: without a time, the user as a subscription`, async () => {
  const { key, close } = await billedAccount('acme', PRICES);
  const bodies = recorded.filter(({ body }) => body.includes('transaction_id'));
  expect(await replay(key, bodies)).toEqual([200, 200, 200, 200]);
  expect(await close()).toEqual({ ...none(OPENMETER_LINES), ...LAGO_LINES });
});
