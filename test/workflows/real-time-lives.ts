import { expect } from 'vitest';
import type { StackFile } from '../../local/stack-file.ts';
import type { Card } from '../processors/stripe-server.ts';
import { newAccount, withPostgres } from '../stack/accounts.ts';
import { api as clientOf, type Json } from '../stack/api.ts';
import { clockAtRest, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { connect, fakeStripe, newPayer } from '../stack/processors.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { deliveriesOf, makeEndpoint, startReceiver } from '../stack/webhook-receiver.ts';
import { retryNow } from './look-again.ts';

export type RealTime = Awaited<ReturnType<typeof openRealTime>>;

/**
 * Subscriptions, collections, refunds and deliveries in real time, of an account of its own that is connected to the fake Stripe. What
 * they wait for is moved near in the records: a test cannot wait for a month. `at` is asked anew each time: the stack may be another one.
 */
export async function openRealTime(at: () => StackFile, externalName: string) {
  const account = await newAccount({ at: at(), isPatient: true });
  const { accountId, key } = account;
  const api = () => clientOf(key, at().base_url, { isPatient: true });
  await connect(account, externalName);
  const stripe = fakeStripe();
  // At noon: what is moved by minutes stays within the day.
  const hours = 12 - new Date().getUTCHours();
  const timezone = `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
  /** `$1` is the account, `$2` the record. */
  const change = (sql: string, id: string) => withPostgres((postgres) => postgres.query(sql, [accountId, id]), at());

  async function customer(card: Card | null): Promise<{ customer_id: string; payer: string }> {
    const { payer, fields } = await newPayer(card);
    return { customer_id: await makeCustomer(api(), payer, { ...fields, timezone }), payer };
  }
  /** A subscription of a customer of its own, which pays by `card`. */
  async function live(more: { card?: Card | null; plan?: Record<string, unknown>; body?: object } = {}) {
    const { customer_id, payer } = await customer(more.card ?? null);
    const plan_id = await makePlan(api(), more.plan);
    const id = await subscribe(api(), { customer_id, plan_id, ...more.body });
    const path = `/api/subscriptions/${id}`;
    return {
      ...{ id, payer, customer_id, path },
      read: async (): Promise<Json> => (await api().get(path)).body,
      customer: async (): Promise<Json> => (await api().get(`/api/customers/${customer_id}`)).body,
      invoices: () => invoicesOf(api(), `customer_id=${customer_id}`),
      act: async (action: string, body: object = {}) => {
        const done = await api().post(`${path}/${action}`, body);
        expect(done.status, done.text).toBe(200);
      },
    };
  }
  /** An invoice whose first charge was declined; `retryIn` has it charged again in so many seconds. */
  async function debtor() {
    const one = await live({ card: 'declined', plan: { charge_timing: 'in_advance' } });
    await waitUntil(
      () => stripe.ordersOf(one.payer),
      (orders) => orders === 1,
    );
    const isFailed = "FROM payment_attempts WHERE account_id = $1 AND payer = $2 AND status = 'failed'";
    await waitUntil(
      async () => (await change(`SELECT ${isFailed}`, one.payer)).rowCount,
      (rows) => rows === 1,
    );
    const retryIn = (seconds: number) =>
      change(
        `UPDATE payment_attempts SET created_at = now() - interval '1 day' + interval '${seconds} seconds'
         WHERE account_id = $1 AND payer = $2`,
        one.payer,
      );
    return { ...one, retryIn };
  }
  /** A refund that the processor has and has not ended. */
  async function refunded() {
    const one = await live({ card: 'good', plan: { charge_timing: 'in_advance' } });
    const [invoice] = await waitUntil(one.invoices, ([first]) => String(first?.status) === 'paid');
    // What ends in 7 waits for the bank.
    const made = await api().post('/api/refunds', { invoice_id: invoice?.invoice_id, amount: '10.07' });
    expect(made.status, made.text).toBe(201);
    const path = `/api/refunds/${made.body.refund_id}`;
    const read = async () => (await api().get(path)).body;
    const { processor_refund_id } = await waitUntil(read, (refund) => refund.processor_refund_id !== null);
    return { ...one, read, refundId: String(made.body.refund_id), reference: String(processor_refund_id) };
  }
  /** A delivery that has failed twice; `retryIn` has it tried again in so many seconds. The receiver takes nothing until it is said. */
  async function delivered() {
    const answers = { status: 500 };
    const hooks = await startReceiver((_, response) => void response.writeHead(answers.status).end());
    const { id } = await makeEndpoint(api(), hooks.url, { triggers_in: ['invoice.voided'] });
    const { body } = await api().post(`/api/webhooks/${id}/test`);
    const read = async () => (await deliveriesOf(api(), id))[0];
    const attempted = (times: number) => waitUntil(read, (one) => Object(one?.attempts).length === times);
    await attempted(1);
    await retryNow(at(), accountId, String(body.delivery_id));
    await attempted(2);
    const retryIn = (seconds: number) =>
      change(
        `UPDATE webhook_deliveries SET next_attempt_at = now() + interval '${seconds} seconds'
         WHERE account_id = $1 AND delivery_id = $2`,
        String(body.delivery_id),
      );
    return {
      ...{ hooks, read, retryIn, id: String(body.delivery_id) },
      accept: () => void Object.assign(answers, { status: 204 }),
    };
  }
  /** Moves the end of its first period to so many seconds from now, and what is planned for it to the same instant. */
  const endsIn = (id: string, seconds: number) => setIn('periods', 'ends_at', id, seconds);
  const setIn = (table: 'periods' | 'subscriptions', column: string, id: string, seconds: number) =>
    change(
      `UPDATE ${table} SET ${column} = date_trunc('milliseconds', now()) + interval '${seconds} seconds'
       WHERE account_id = $1 AND subscription_id = $2`,
      id,
    );
  const attemptsOf = async ({ payer }: { payer: string }) =>
    (await change('SELECT FROM payment_attempts WHERE account_id = $1 AND payer = $2', payer)).rowCount;
  return { attemptsOf, accountId, api, stripe, change, live, debtor, refunded, delivered, endsIn, setIn };
}

/** A customer on a test clock, and what is billed of them. */
export async function onClock({ api }: RealTime) {
  const clock = await makeClock(api(), '2026-01-10T09:00:00Z');
  const customer_id = await makeCustomer(api(), `on-${clock}`, { test_clock_id: clock });
  const id = await subscribe(api(), { customer_id, plan_id: await makePlan(api()) });
  const begin = async (to: string) => {
    const begun = await api().post(`/api/test-clocks/${clock}/advance`, { frozen_time: to });
    expect(begun.status, begun.text).toBe(200);
  };
  return {
    id,
    begin,
    rest: () => clockAtRest(api(), clock),
    invoices: () => invoicesOf(api(), `subscription_id=${id}`),
  };
}

export type Lives = Awaited<ReturnType<typeof openLives>>;

/** What waits for its time, or for others, when Temporal loses all that it knew. */
export async function openLives(at: () => StackFile) {
  const real = await openRealTime(at, 'temporallost');
  const [delivery, refund, slow, retried, renewing, pending, paused, ending, told, clocked] = await Promise.all([
    real.delivered(),
    real.refunded(),
    real.live({ card: 'slow', plan: { charge_timing: 'in_advance' } }),
    real.debtor(),
    real.live({ card: 'good' }),
    real.live({ body: { start_date: '2999-01-01' } }),
    real.live(),
    real.live(),
    real.live({ card: null }),
    onClock(real),
  ]);
  return { real, delivery, refund, slow, retried, renewing, pending, paused, ending, told, clocked };
}
