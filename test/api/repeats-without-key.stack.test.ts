import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApi } from '../../api/api.ts';
import { createLog } from '../../runtime/log.ts';
import { startOwnGateway } from '../console/own-gateway.ts';
import { apiWithScopes, newAccount, type TestAccount, withPostgres } from '../stack/accounts.ts';
import { type Answer, type Api, api } from '../stack/api.ts';
import { eventually, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { configOf, started } from '../stack/own-process.ts';
import { waitUntil } from '../stack/wait-until.ts';

/** A call without an Idempotency-Key whose answer was lost (spec/subscriptions#repeats). */

let account: TestAccount;
let path: string;
let otherPlan: string;
beforeAll(async () => {
  account = await newAccount();
});
beforeEach(async () => {
  const test_clock_id = await makeClock(account.api, '2026-03-11T12:00:00Z');
  const customer_id = await makeCustomer(account.api, `acme-${crypto.randomUUID()}`, { test_clock_id });
  const plan_id = await makePlan(account.api, { recurring_fee: 30 });
  otherPlan = await makePlan(account.api, { recurring_fee: 60 });
  const id = await subscribe(account.api, { customer_id, plan_id, start_date: '2026-03-01' });
  path = `/api/subscriptions/${id}`;
});

const startApi = (timeoutSeconds: number) =>
  started(createApi(configOf({ CALL_TIMEOUT_SECONDS: String(timeoutSeconds) }), { log: createLog('test', 'silent') }));

/**
 * Holds the row of the subscription, so that no change of it gets anywhere, while `work` runs. `changeWaits` resolves once a
 * change waits for the row.
 */
async function whileHeld<T>(work: (changeWaits: () => Promise<unknown>) => Promise<T>): Promise<T> {
  const id = path.split('/').at(-1);
  return withPostgres(async (postgres) => {
    const session = await postgres.connect();
    await session.query('BEGIN');
    const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const waiting = () =>
      postgres.query('SELECT FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))', [rows[0]?.pid]);
    await session.query('SELECT FROM subscriptions WHERE subscription_id = $1 FOR UPDATE', [id]);
    try {
      return await work(() => waitUntil(waiting, ({ rowCount }) => rowCount !== 0));
    } finally {
      await session.query('ROLLBACK');
      session.release();
    }
  });
}

const lostCalls = () =>
  withPostgres(async (postgres) => {
    const sql = 'SELECT is_lost FROM unanswered_calls WHERE account_id = $1';
    return (await postgres.query<{ is_lost: boolean }>(sql, [account.accountId])).rows;
  });

/** Calls, each with what the subscription is after it, and the call that must come before it. */
const CALLS: [action: string, body: () => object, status: string, before?: string][] = [
  ['cancel', () => ({ invoicing_behavior: 'invoice_now' }), 'canceled'],
  ['pause', () => ({ reason: 'a break' }), 'paused'],
  ['resume', () => ({}), 'active', 'pause'],
  ['switch_plan', () => ({ new_plan_id: otherPlan }), 'canceled'],
];

async function prepare(before?: string) {
  if (before) expect((await account.api.post(`${path}/${before}`, {})).status).toBe(200);
}

const statusOf = async () => String((await account.api.get(path)).body.status);
const done = (client: Api, action: string, body: object) =>
  eventually(
    () => client.post(`${path}/${action}`, body),
    ({ status }) => status !== 503,
  );

describe.each(CALLS)('%s', (action, bodyOf, status, before) => {
  test('was answered 503 and goes on: a repeat finds its result, and the next one is 409', async () => {
    await prepare(before);
    const client = api(account.key, await startApi(1));
    const body = bodyOf();
    const refused = await whileHeld(() => client.post(`${path}/${action}`, body));
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    expect(refused.body.detail).toContain('still running');
    await waitUntil(statusOf, (now) => now === status);
    const repeated = await done(client, action, body);
    expect(repeated.status, repeated.text).toBe(200);
    expect((await client.post(`${path}/${action}`, body)).status).toBe(409);
  });

  test('its connection ended before its answer: a repeat finds its result through another process', async () => {
    await prepare(before);
    const url = await startApi(25);
    const body = bodyOf();
    await whileHeld(async (changeWaits) => {
      const left = new AbortController();
      const headers = { 'X-API-KEY': account.key, 'Content-Type': 'application/json' };
      const lost = fetch(`${url}${path}/${action}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: left.signal,
      });
      await Promise.all([expect(lost).rejects.toThrow(), changeWaits().then(() => left.abort())]);
      await waitUntil(lostCalls, ([call]) => call?.is_lost === true);
    });
    const repeated = await account.api.post(`${path}/${action}`, body);
    expect(repeated.status, repeated.text).toBe(200);
    // The lost call is forgotten right after its answer has been sent.
    await waitUntil(lostCalls, ({ length }) => length === 0);
    expect((await account.api.post(`${path}/${action}`, body)).status).toBe(409);
  });

  test('after an answer the same call is 409', async () => {
    await prepare(before);
    expect((await account.api.post(`${path}/${action}`, bodyOf())).status).toBe(200);
    const again = await account.api.post(`${path}/${action}`, bodyOf());
    expect([again.status, again.body.code]).toEqual([409, 'conflict']);
  });
});

describe('what is no repeat', () => {
  async function lose(action: string, body: object) {
    const client = api(account.key, await startApi(1));
    const answer = await whileHeld(() => client.post(`${path}/${action}`, body));
    expect(answer.status).toBe(503);
  }

  test('another body, another key and a call after 60 seconds', async () => {
    await lose('pause', { reason: 'a' });
    await waitUntil(statusOf, (now) => now === 'paused');
    const other = await apiWithScopes(account, ['read', 'write']);
    expect((await account.api.post(`${path}/pause`, { reason: 'b' })).status).toBe(409);
    expect((await other.post(`${path}/pause`, { reason: 'a' })).status).toBe(409);
    expect((await account.api.post(`${path}/pause`, { reason: 'a' })).status).toBe(409);
  });

  test('a call more than 60 seconds later', async () => {
    await lose('pause', {});
    await waitUntil(statusOf, (now) => now === 'paused');
    await withPostgres((postgres) =>
      postgres.query(
        "UPDATE unanswered_calls SET expires_at = expires_at - interval '60 seconds' WHERE account_id = $1",
        [account.accountId],
      ),
    );
    expect((await account.api.post(`${path}/pause`, {})).status).toBe(409);
  });

  test('a pause after a pause that was lost and a resume: it is done', async () => {
    await lose('pause', {});
    await waitUntil(statusOf, (now) => now === 'paused');
    expect((await account.api.post(`${path}/resume`, {})).status).toBe(200);
    const again = await account.api.post(`${path}/pause`, {});
    expect([again.status, again.body.status, await statusOf()]).toEqual([200, 'paused', 'paused']);
  });

  test('two calls at once: one is done, the other one is refused', async () => {
    const answers = await Promise.all([1, 2].map(() => account.api.post(`${path}/pause`, {})));
    expect(answers.map(({ status }: Answer) => status).sort()).toEqual([200, 409]);
  });
});

test('the process that answers is killed: a repeat finds the result', async () => {
  const own = await startOwnGateway();
  try {
    const client = api(account.key, own.file.base_url);
    await whileHeld(async (changeWaits) => {
      const lost = client.post(`${path}/pause`, {});
      await changeWaits();
      own.killApi();
      expect((await lost).status).toBe(503);
    });
    await waitUntil(statusOf, (now) => now === 'paused');
    const repeated = await done(client, 'pause', {});
    expect([repeated.status, repeated.body.status]).toEqual([200, 'paused']);
    expect((await client.post(`${path}/pause`, {})).status).toBe(409);
  } finally {
    await own.stop();
  }
});
