import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newAccount } from '../../stack/accounts.ts';
import type { Answer } from '../../stack/api.ts';
import { advance, invoicesOf, makeClock, makeCustomer, makePlan } from '../../stack/clocks.ts';
import { waitUntil } from '../../stack/wait-until.ts';
import { deliveriesOf, eventOf, makeEndpoint, startReceiver, typesOf } from '../../stack/webhook-receiver.ts';

/** Every type that a life on a test clock leads to: each once, in order, with the resource as the API returned it then. */
test('a life is told event by event', async () => {
  const { api } = await newAccount();
  const hooks = await startReceiver();
  const { id: endpointId, secret } = await makeEndpoint(api, hooks.url);
  const told: [string, string][] = [];
  const tell = (type: string, { status, text }: Answer) => {
    expect(status, text).toBeLessThan(300);
    told.push([type, text]);
  };
  const invoice = async (n: number) => {
    const invoices = await invoicesOf(api, 'customer_id=acme');
    return `/api/invoices/${invoices[n]?.invoice_id}`;
  };

  const clock = await makeClock(api, '2026-01-01T00:00:00Z');
  await makeCustomer(api, 'acme', { test_clock_id: clock });
  const made = await api.post('/api/subscriptions', {
    customer_id: 'acme',
    plan_id: await makePlan(api),
    start_date: '2026-01-05',
  });
  tell('subscription.created', made);
  let subscription = `/api/subscriptions/${made.body.subscription_id}`;

  await advance(api, clock, '2026-01-06T00:00:00Z');
  tell('subscription.activated', await api.get(subscription));
  tell('subscription.paused', await api.post(`${subscription}/pause`));
  tell('subscription.resumed', await api.post(`${subscription}/resume`));
  // To a plan of the same price: nothing to charge or to credit.
  const switched = await api.post(`${subscription}/switch_plan/`, { new_plan_id: await makePlan(api) });
  subscription = `/api/subscriptions/${switched.body.subscription_id}`;
  tell('subscription.plan_changed', await api.get(subscription));

  await advance(api, clock, '2026-02-04T12:00:00Z');
  const first = await invoice(0);
  tell('invoice.created', await api.get(first));
  tell('subscription.renewed', await api.get(subscription));
  tell('invoice.paid', await api.post(`${first}/mark_paid`));
  const refund = await api.post('/api/refunds', { invoice_id: first.split('/').at(-1), amount: 5 });
  tell('credit.created', await api.get(`/api/credits/${refund.body.credit_id}`));
  tell('refund.created', refund);
  tell('refund.succeeded', refund);

  await advance(api, clock, '2026-03-06T12:00:00Z');
  const second = await invoice(1);
  tell('invoice.created', await api.get(second));
  tell('subscription.renewed', await api.get(subscription));
  await advance(api, clock, '2026-03-07T00:00:00Z');
  tell('invoice.past_due', await api.get(second));
  tell('invoice.voided', await api.post(`${second}/void`));
  const canceled = await api.post(`${subscription}/cancel`, { invoicing_behavior: 'invoice_now' });
  tell('invoice.created', await api.get(await invoice(2)));
  // The credit that the void gave back pays for it.
  tell('invoice.paid', await api.get(await invoice(2)));
  tell('subscription.canceled', canceled);

  await waitUntil(
    async () => hooks.received,
    ({ length }) => length >= told.length,
  );
  expect(typesOf(hooks.received).toSorted()).toEqual(told.map(([type]) => type).toSorted());
  // Within one call the order is that of the writes: the credit that is made, then the refund that made it.
  for (const { headers, body } of hooks.received) {
    const { id, type, timestamp } = eventOf(body);
    const data = told.find(([name, text]) => name === type && body.endsWith(`"data":${text}}`));
    expect(data, body).toBeDefined();
    expect(body).toBe(`{"id":"${id}","type":"${type}","timestamp":"${timestamp}","data":${data?.[1]}}`);
    expect(new Webhook(secret).verify(body, headers)).toBeDefined();
  }
  expect(new Set(hooks.received.map(({ headers }) => headers['webhook-id'])).size).toBe(told.length);
  expect(typesOf(hooks.received).filter((type) => type.startsWith('subscription.'))).toEqual(
    told.map(([type]) => type).filter((type) => type.startsWith('subscription.')),
  );
  const deliveries = await waitUntil(
    () => deliveriesOf(api, endpointId),
    (all) => all.every(({ status }) => String(status) === 'succeeded'),
  );
  expect(deliveries.map(({ event_id }) => String(event_id))).toEqual(
    hooks.received.map(({ headers }) => headers['webhook-id']),
  );
  await hooks.close();
});
