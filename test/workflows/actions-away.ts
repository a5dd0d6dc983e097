import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Stack } from '../../local/start-stack.ts';
import { newAccount, withPostgres } from '../stack/accounts.ts';
import { type Api, api } from '../stack/api.ts';
import { eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { connect, fakeStripe, newPayer } from '../stack/processors.ts';
import { makeMetric } from '../stack/resources.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { deliveriesOf, eventOf, makeEndpoint, startReceiver } from '../stack/webhook-receiver.ts';

/** spec/subscriptions#cancel: 10 of 30 days used, 30 * 10 / 30 = 10. */
const NOW = { invoicing_behavior: 'invoice_now' };

type Ids = { metric_id: string; plan_id: string };

/** Every call that a subscription's workflow performs, with what its record and its invoices say after it. */
const ACTIONS: [action: string, body: (ids: Ids) => object, after: object, invoices: object[]][] = [
  ['pause', () => ({}), { status: 'paused' }, []],
  ['resume', () => ({}), { status: 'active', paused_at: null }, []],
  [
    'components/change-prepaid-units',
    ({ metric_id }) => ({ metric_id, units: 7, invoicing_behavior: 'invoice_now' }),
    { prepaid_units: [{ units: 7 }] },
    [{ kind: 'proration', total: '3.5' }],
  ],
  ['switch_plan', ({ plan_id }) => ({ new_plan_id: plan_id, effective_date: '2026-03-20' }), { status: 'active' }, []],
  ['cancel', () => NOW, { status: 'canceled' }, [{ kind: 'closing', total: '10' }]],
];

/** `find`: the stack, once it has started. It is connected to the fake Stripe. `meanwhile`: called once the worker is dead, whose tasks are waited for. */
export function testActionsAway(find: () => Stack, meanwhile: () => void): void {
  let stack: Stack;

  beforeAll(() => {
    stack = find();
  });

  async function activeSubscription(customer_id: string) {
    const { api: call, key } = await newAccount({ at: stack.file(), isPatient: true });
    const impatient = api(key, stack.file().base_url);
    const test_clock_id = await makeClock(call, '2026-03-11T12:00:00Z');
    await makeCustomer(call, customer_id, { test_clock_id });
    const metric_id = String((await makeMetric(call)).metric_id);
    const plan_id = await makePlan(call, { recurring_fee: 30, components: [{ metric_id, overage_price: 0.5 }] });
    const id = await subscribe(call, { customer_id, plan_id, start_date: '2026-03-01' });
    return {
      call,
      impatient,
      metric_id,
      path: `/api/subscriptions/${id}`,
      invoices: () => invoicesOf(call, `subscription_id=${id}`),
    };
  }

  test('Temporal away: reads work, every action is 503 within 5 s, its repeat finds what happened, once', async () => {
    const fixtures = await Promise.all(
      ACTIONS.map(async ([action, bodyOf, after, made]) => {
        const { call, impatient, path, invoices, metric_id } = await activeSubscription(`away-${action.split('/')[0]}`);
        if (action === 'resume') {
          // Without a key: where a first try was too late, the next one finds it paused.
          const pause = () => impatient.post(`${path}/pause`, {});
          expect([200, 409]).toContain((await eventually(pause, ({ status }) => status !== 503)).status);
        }
        const body = bodyOf({ metric_id, plan_id: await makePlan(call) });
        const act = () => impatient.post(`${path}/${action}`, body, { 'Idempotency-Key': action });
        return { action, act, read: () => call.get(path), invoices, after, made };
      }),
    );
    const temporal = stack.file().pids.temporal;
    if (!temporal) throw new Error('no Temporal');
    process.kill(temporal, 'SIGSTOP');
    const away = await Promise.all(
      fixtures.map(async ({ act, read }) => {
        const begun = performance.now();
        const { status, headers } = await act();
        return {
          status,
          retry: headers.has('retry-after'),
          took: performance.now() - begun,
          read: (await read()).status,
        };
      }),
    ).finally(() => process.kill(temporal, 'SIGCONT'));
    for (const answer of away) expect(answer).toMatchObject({ status: 503, retry: true, read: 200 });
    // Of several, since one of them may have met a moment in which the machine did nothing for us.
    expect(Math.min(...away.map(({ took }) => took))).toBeLessThan(5_000);

    await Promise.all(
      fixtures.map(async ({ action, act, invoices, after, made }) => {
        const done = await eventually(act, ({ status }) => status !== 503);
        expect(done.status, `${action}: ${done.text}`).toBe(200);
        expect(done.body, action).toMatchObject(after);
        expect((await act()).text).toBe(done.text);
        expect(await invoices(), action).toMatchObject(made);
      }),
    );
  });

  /** A cancel that the worker performs, and how to ask for it once more. */
  async function canceling() {
    const { call, path, invoices } = await activeSubscription('killed');
    const cancel = () => call.post(`${path}/cancel`, NOW, { 'Idempotency-Key': 'k-2' });
    return { cancel, invoices };
  }

  /** The processor has the money of an invoice, and its answer does not come. */
  async function charging() {
    const account = await newAccount({ at: stack.file(), isPatient: true });
    const { api: call } = account;
    await connect(account, 'killedworker');
    const stripe = fakeStripe();
    const { payer, fields } = await newPayer('good');
    await stripe.trouble(payer, 'hang');
    const customer_id = await makeCustomer(call, payer, fields);
    await subscribe(call, { customer_id, plan_id: await makePlan(call, { charge_timing: 'in_advance' }) });
    const charges = () => stripe.chargesOf(payer);
    await waitUntil(charges, ({ length }) => length === 1);
    return { charges, invoices: () => invoicesOf(call, `customer_id=${customer_id}`) };
  }

  /** A webhook that was sent, and that the receiver answers once it is said, as whatever comes then. */
  async function sending() {
    const answering = Promise.withResolvers<void>();
    const hooks = await startReceiver(
      (_, response) => void answering.promise.then(() => response.writeHead(204).end()),
    );
    const { api: call } = await newAccount({ at: stack.file(), isPatient: true });
    const { id } = await makeEndpoint(call, hooks.url);
    const customer_id = await makeCustomer(call, 'told');
    const credit = async (amount: number) => {
      const made = await call.post('/api/credits', { customer_id, amount });
      expect(made.status, made.text).toBe(201);
      return String(made.body.credit_id);
    };
    const credits = [await credit(1), await credit(2)];
    await waitUntil(
      async () => hooks.received,
      ({ length }) => length === 1,
    );
    return { hooks, credits, credit, answer: answering.resolve, deliveries: () => deliveriesOf(call, id) };
  }

  describe('the worker is killed', () => {
    let canceled: Awaited<ReturnType<typeof canceling>> & { first: Awaited<ReturnType<Api['post']>> };
    let charged: Awaited<ReturnType<typeof charging>>;
    let told: Awaited<ReturnType<typeof sending>>;

    beforeAll(async () => {
      const [toCancel, ...underWay] = await Promise.all([canceling(), charging(), sending()]);
      [charged, told] = underWay;
      const first = toCancel.cancel();
      const { worker } = stack.file().pids;
      if (!worker) throw new Error('no worker');
      process.kill(worker, 'SIGKILL');
      told.answer();
      told.credits.push(await told.credit(3));
      // What the dead worker had under way is claimed again when its lease has run out: it does now.
      const expire = 'UPDATE webhook_deliveries SET claimed_until = now() WHERE claimed_until > now()';
      await withPostgres((postgres) => postgres.query(expire), stack.file());
      meanwhile();
      canceled = { ...toCancel, first: await first };
    });
    afterAll(() => told?.hooks.close());

    test('while it acts: one cancel, one invoice', async () => {
      expect([200, 503]).toContain(canceled.first.status);
      const done = await eventually(canceled.cancel, ({ status }) => status !== 503);
      expect(done.status, done.text).toBe(200);
      expect(await canceled.invoices()).toMatchObject([{ kind: 'closing', total: '10' }]);
    });

    test('D1: the processor has the money, and its answer is lost: one charge, and the invoice is paid', async () => {
      await eventually(charged.invoices, ([invoice]) => String(invoice?.status) === 'paid');
      expect(await charged.charges()).toHaveLength(1);
    });

    test('between sending a webhook and saving it: sent again under the same id, and nothing is lost', async () => {
      const isOver = (all: { status?: unknown }[]) =>
        all.length === 3 && all.every(({ status }) => String(status) === 'succeeded');
      const deliveries = await waitUntil(told.deliveries, isOver);
      const { received } = told.hooks;
      const sent = received.map(({ body }) => String(eventOf(body).data.credit_id));
      expect(sent).toEqual([told.credits[0], ...told.credits]);
      const [first, again] = received.map(({ headers }) => headers['webhook-id']);
      expect(again).toBe(first);
      expect(deliveries.map((delivery) => Object(delivery.attempts).length)).toEqual([1, 1, 1]);
    });
  });
}
