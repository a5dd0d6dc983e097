import type { ServerResponse } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { createSecretCipher } from '../../../runtime/cipher.ts';
import { createLog } from '../../../runtime/log.ts';
import { retriesOf } from '../../../services/webhooks/retry-delivery.ts';
import { inTransaction } from '../../../sql/postgres/postgres.ts';
import { createWebhookShares } from '../../../workflows/start-webhooks.ts';
import { newAccount, withPostgres } from '../../stack/accounts.ts';
import { type Api, itemsOf } from '../../stack/api.ts';
import { makeCustomer } from '../../stack/resources.ts';
import { waitUntil } from '../../stack/wait-until.ts';
import {
  deliveriesOf,
  eventOf,
  makeEndpoint,
  type Received,
  type Receiver,
  startReceiver,
} from '../../stack/webhook-receiver.ts';

const receivers: Receiver[] = [];
afterAll(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function receiving(answer?: (received: Received, response: ServerResponse) => void): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  return receiver;
}

/** Credits of a customer, one after another; their ids. */
async function makeCredits(api: Api, customerId: unknown, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 1; n <= count; n++) {
    const credit = await api.post('/api/credits', { customer_id: customerId, amount: n });
    expect(credit.status, credit.text).toBe(201);
    ids.push(String(credit.body.credit_id));
  }
  return ids;
}

const creditIdsOf = (received: Received[], customerId: unknown) =>
  received
    .map(({ body }) => eventOf(body).data)
    .filter((credit) => String(credit.customer_id) === String(customerId))
    .map((credit) => String(credit.credit_id));

const deleteEndpoint = (api: Api, id: string) => api.delete(`/api/webhooks/${id}`);

describe('first attempts', () => {
  test("reach an endpoint in the order of a customer's events, one at a time; customers do not wait for each other", async () => {
    const { api } = await newAccount();
    const [slow, other] = [await makeCustomer(api), await makeCustomer(api)];
    const underWay = new Map<unknown, number>();
    let most = 0;
    const hooks = await receiving(({ body }, response) => {
      const customer = eventOf(body).data.customer_id;
      underWay.set(customer, (underWay.get(customer) ?? 0) + 1);
      most = Math.max(most, underWay.get(customer) ?? 0);
      const answer = () => {
        underWay.set(customer, (underWay.get(customer) ?? 0) - 1);
        response.writeHead(204).end();
      };
      setTimeout(answer, customer === slow.customer_id ? 60 : 0);
    });
    await makeEndpoint(api, hooks.url, { triggers_in: ['credit.created'] });
    const [slowCredits, otherCredits] = await Promise.all([
      makeCredits(api, slow.customer_id, 8),
      makeCredits(api, other.customer_id, 8),
    ]);
    const received = await waitUntil(
      async () => hooks.received,
      ({ length }) => length >= 16,
    );
    expect(creditIdsOf(received, slow.customer_id)).toEqual(slowCredits);
    expect(creditIdsOf(received, other.customer_id)).toEqual(otherCredits);
    expect(most).toBe(1);
  });

  test('a receiver that hangs delays nobody, and is not sent all at once', async () => {
    const { api } = await newAccount();
    const hanging = await receiving(() => {});
    const hooks = await receiving();
    const { id } = await makeEndpoint(api, hanging.url, { triggers_in: ['invoice.paid'] });
    for (let n = 0; n < 20; n++) expect((await api.post(`/api/webhooks/${id}/test`)).status).toBe(200);
    await waitUntil(
      async () => hanging.received,
      ({ length }) => length > 0,
    );
    await makeEndpoint(api, hooks.url, { triggers_in: ['credit.created'] });
    const customers = await Promise.all(Array.from({ length: 20 }, () => makeCustomer(api)));
    await Promise.all(customers.map(({ customer_id }) => makeCredits(api, customer_id, 1)));
    await waitUntil(
      async () => hooks.received,
      ({ length }) => length >= 20,
    );
    // All of one lane: the first one is still under way, or one after it where this took longer than its deadline.
    expect(hanging.received.length).toBeLessThan(4);
    await deleteEndpoint(api, id);
  });

  test('an account whose endpoints all hang takes its share of the places, and delays no other account', async () => {
    const [attacker, victim] = [await newAccount(), await newAccount()];
    let held = 0;
    let most = 0;
    const hanging = await receiving((_, response) => {
      most = Math.max(most, ++held);
      response.on('close', () => held--);
    });
    const ids = await Promise.all(
      Array.from({ length: 32 }, () => makeEndpoint(attacker.api, hanging.url, { triggers_in: ['credit.created'] })),
    );
    const customers = await Promise.all(Array.from({ length: 10 }, () => makeCustomer(attacker.api)));
    for (const { customer_id } of customers) await makeCredits(attacker.api, customer_id, 1);
    await waitUntil(
      async () => held,
      (count) => count === 64,
    );
    const hooks = await receiving();
    await makeEndpoint(victim.api, hooks.url, { triggers_in: ['credit.created'] });
    const { customer_id } = await makeCustomer(victim.api);
    await makeCredits(victim.api, customer_id, 1);
    await waitUntil(
      async () => hooks.received,
      ({ length }) => length === 1,
    );
    expect(most).toBe(64);
    await Promise.all(ids.map(({ id }) => deleteEndpoint(attacker.api, id)));
  });

  test('an endpoint with many lanes is sent a few at a time', async () => {
    const { api } = await newAccount();
    const customers = await Promise.all(Array.from({ length: 20 }, () => makeCustomer(api)));
    const held: ServerResponse[] = [];
    const hooks = await receiving((_, response) => void held.push(response));
    const { id } = await makeEndpoint(api, hooks.url, { triggers_in: ['credit.created'] });
    await Promise.all(customers.map(({ customer_id }) => makeCredits(api, customer_id, 1)));
    await waitUntil(
      async () => held,
      ({ length }) => length === 8,
    );
    while (hooks.received.length < 20 || held.length > 0) {
      expect(held.length).toBeLessThanOrEqual(8);
      held.shift()?.writeHead(204).end();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const deliveries = await waitUntil(
      () => deliveriesOf(api, id),
      (all) => all.filter(({ status }) => String(status) === 'succeeded').length === 20,
    );
    expect(deliveries).toHaveLength(20);
  });
});

// Some wait for seconds, so all that follow do so at once.
describe.concurrent('a failed delivery', () => {
  test('is retried after 5 s by a workflow of its own, under the same id, with a signature of then', async () => {
    const { api } = await newAccount();
    const answers = [503, 204];
    const hooks = await receiving((_, response) => void response.writeHead(answers.shift() ?? 204).end());
    const { id } = await makeEndpoint(api, hooks.url);
    await api.post(`/api/webhooks/${id}/test`);
    const [over] = await waitUntil(
      () => deliveriesOf(api, id),
      ([one]) => String(one?.status) === 'succeeded',
    );
    expect(attemptsOf(over).map(({ status_code }) => Number(status_code))).toEqual([503, 204]);
    const [failed, accepted] = attemptsOf(over).map(({ at }) => Date.parse(String(at)));
    expect(Number(accepted) - Number(failed)).toBeGreaterThanOrEqual(5_000);
    const [first, second] = hooks.received.map(({ headers }) => headers);
    expect(second?.['webhook-id']).toBe(first?.['webhook-id']);
    expect(Number(second?.['webhook-timestamp']) - Number(first?.['webhook-timestamp'])).toBeGreaterThanOrEqual(4);
    expect(hooks.received[1]?.body).toBe(hooks.received[0]?.body);
  });

  test.each([
    [302, 'Redirects are not followed.'],
    [429, 'Answered 429.'],
  ])('with %i stays pending', async (status, error) => {
    const { api } = await newAccount();
    const elsewhere = await receiving();
    const hooks = await receiving((_, response) => void response.writeHead(status, { location: elsewhere.url }).end());
    const { id } = await makeEndpoint(api, hooks.url);
    await api.post(`/api/webhooks/${id}/test`);
    const [failed] = await waitUntil(
      () => deliveriesOf(api, id),
      ([one]) => attemptsOf(one).length >= 1,
    );
    expect(failed).toMatchObject({ status: 'pending', next_attempt_at: expect.any(String) });
    expect(attemptsOf(failed)[0]).toMatchObject({ status_code: status, error });
    expect(elsewhere.received).toEqual([]);
    await deleteEndpoint(api, id);
  });

  test('410 disables the endpoint; enabled again it is told what happens from then on', async () => {
    const { api } = await newAccount();
    const { customer_id } = await makeCustomer(api);
    let status = 410;
    const hooks = await receiving((_, response) => void response.writeHead(status).end());
    const { id } = await makeEndpoint(api, hooks.url);
    await makeCredits(api, customer_id, 1);
    const path = `/api/webhooks/${id}`;
    await waitUntil(
      () => api.get(path),
      ({ body }) => String(body.status) === 'disabled',
    );
    const [given] = await deliveriesOf(api, id);
    expect(given).toMatchObject({ status: 'failed', next_attempt_at: null, attempts: [{ status_code: 410 }] });
    const [entry] = itemsOf((await api.get(`/api/audit-log?resource_id=${id}`)).body.results);
    const changes = [{ field: 'status', before: 'active', after: 'disabled' }];
    expect(entry).toMatchObject({ actor: { type: 'system' }, action: 'webhook.updated', changes });
    await makeCredits(api, customer_id, 1);
    expect((await api.post(`${path}/deliveries/${given?.delivery_id}/redeliver`)).status).toBe(409);

    status = 204;
    expect((await api.patch(path, { status: 'active' })).body.status).toBe('active');
    const [last] = await makeCredits(api, customer_id, 1);
    const received = await waitUntil(
      async () => hooks.received,
      ({ length }) => length >= 2,
    );
    expect(creditIdsOf(received, customer_id).at(-1)).toBe(last);
    expect((await api.post(`${path}/deliveries/${given?.delivery_id}/redeliver`)).status).toBe(200);
    const again = await waitUntil(
      async () => hooks.received,
      ({ length }) => length >= 3,
    );
    expect(again.at(2)?.headers['webhook-id']).toBe(given?.event_id);
  });
});

describe.concurrent('a secret that cannot be decrypted', () => {
  const scramble = (accountId: string, id: string) =>
    withPostgres((postgres) =>
      inTransaction(postgres, accountId, (tx) =>
        tx.query('UPDATE webhook_endpoints SET sealed_secret = $3 WHERE account_id = $1 AND webhook_endpoint_id = $2', [
          accountId,
          id,
          Buffer.from('scrambled'),
        ]),
      ),
    );

  test('is not the receiver’s fault: its deliveries wait, untried and in order, until it can be', async () => {
    const { api, accountId } = await newAccount();
    const hooks = await receiving();
    const { id } = await makeEndpoint(api, hooks.url);
    await scramble(accountId, id);
    for (let n = 0; n < 2; n++) expect((await api.post(`/api/webhooks/${id}/test`)).status).toBe(200);
    const untilLater = `SELECT delivery_id FROM webhook_deliveries WHERE account_id = $1 AND claimed_until > now() + interval '30 s'`;
    await withPostgres((postgres) =>
      waitUntil(
        () => postgres.query(untilLater, [accountId]),
        ({ rows }) => rows.length === 1,
      ),
    );
    const waiting = await deliveriesOf(api, id);
    for (const one of waiting) expect(one).toMatchObject({ status: 'pending', attempts: [] });
    const { rows } = await withPostgres((postgres) =>
      postgres.query('SELECT failing_since FROM webhook_endpoints WHERE account_id = $1', [accountId]),
    );
    expect(rows).toEqual([{ failing_since: null }]);
    const told = (await api.get('/metrics')).text.match(/^meterbook_unreadable_secrets_total\S* ([1-9]\d*)$/m);
    expect(told).not.toBeNull();
    expect(hooks.received).toEqual([]);

    expect((await api.post(`/api/webhooks/${id}/roll-secret`)).status).toBe(200);
    const due = 'UPDATE webhook_deliveries SET claimed_until = now() WHERE account_id = $1';
    await withPostgres((postgres) => postgres.query(due, [accountId]));
    const received = await waitUntil(
      async () => hooks.received,
      ({ length }) => length >= 2,
    );
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(waiting.map(({ event_id }) => event_id));
    await deleteEndpoint(api, id);
  });

  test('puts a retry off, without a try', async () => {
    const { api, accountId } = await newAccount();
    const hooks = await receiving((_, response) => void response.writeHead(503).end());
    const { id } = await makeEndpoint(api, hooks.url);
    await api.post(`/api/webhooks/${id}/test`);
    // The next one is five minutes away: nobody else looks at it now.
    const [tried] = await waitUntil(
      () => deliveriesOf(api, id),
      ([one]) => attemptsOf(one).length === 2,
    );
    await withPostgres(async (postgres) => {
      const now = Date.now() + 3_600_000;
      const unused = { webhookAttempts: { inc: () => {} } };
      const dependencies = {
        ...{ postgres, clock: { now: () => now }, cipher: createSecretCipher(() => []) },
        ...{ webhookAllowPrivate: true, outboundProxy: undefined },
        ...{ metrics: unused as never, log: createLog('test', 'silent') },
      };
      const retry = retriesOf(dependencies, createWebhookShares(64).webhook_retries);
      const round = { accountId, deliveryId: String(tried?.delivery_id), round: 1 };
      const next = await retry(round, AbortSignal.timeout(60_000));
      expect(next).toBeGreaterThan(now);
      const [untried] = await deliveriesOf(api, id);
      expect(untried).toEqual({ ...tried, next_attempt_at: new Date(Number(next)).toISOString() });
      expect(await retry(round, AbortSignal.timeout(60_000))).toBe(next);
    });
    expect(hooks.received).toHaveLength(2);
    await deleteEndpoint(api, id);
  });
});

function attemptsOf(delivery: { attempts?: unknown } | undefined): Record<string, unknown>[] {
  return (delivery?.attempts ?? []) as Record<string, unknown>[];
}
