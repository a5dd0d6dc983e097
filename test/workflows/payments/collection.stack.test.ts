import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import type { Card } from '../../processors/stripe-server.ts';
import { newAccount, withPostgres } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { balanceOf, eventsOf, FIRST_DAY, ledgerOf } from '../../stack/billed-customer.ts';
import { eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { connect, connectedAccount, fakeStripe, newPayer, sendHook } from '../../stack/processors.ts';
import { advance } from '../in-process-clock.ts';

/** Collection through the fake Stripe; its own ledger says what was really charged. */

const DAY_MS = 86_400_000;
const PERIOD_END = Date.parse(FIRST_DAY) + 30 * DAY_MS;
const dayAfterIssue = (days: number) => new Date(PERIOD_END + days * DAY_MS).toISOString();

let account: Awaited<ReturnType<typeof connectedAccount>>;
const stripe = fakeStripe();

beforeAll(async () => {
  account = await connectedAccount();
});

type Fixture = { payer: string; customerId: string; clockId: string; subscriptionId: string };

/** A subscriber on a test clock who pays 29 at the end of the first period by this card. */
async function subscriber(card: Card | null, { currency = 'usd', fee = 29 } = {}): Promise<Fixture> {
  const { payer, fields } = await newPayer(card);
  const clockId = await makeClock(account.api, FIRST_DAY);
  const customerId = await makeCustomer(account.api, payer, {
    test_clock_id: clockId,
    default_currency_code: currency,
    ...fields,
  });
  const plan_id = await makePlan(account.api, { currency, recurring_fee: fee });
  const subscriptionId = await subscribe(account.api, { customer_id: customerId, plan_id });
  return { payer, customerId, clockId, subscriptionId };
}

async function firstInvoice({ customerId }: Fixture): Promise<Json> {
  const [invoice] = await invoicesOf(account.api, `customer_id=${customerId}`);
  if (!invoice) throw new Error('there is no invoice');
  return invoice;
}

/** Waits until the first invoice is of this status. */
async function invoiceWhen(fixture: Fixture, status: string): Promise<Json> {
  return eventually(
    () => firstInvoice(fixture),
    (invoice) => String(invoice.status) === status,
  );
}

async function failuresOf({ subscriptionId }: Fixture): Promise<number> {
  const events = await eventsOf(`subscription/${subscriptionId}`);
  return events.filter(({ type }) => type === 'subscription.failed').length;
}

/** When the clock goes on with the collection of the first invoice. */
async function plannedFor(fixture: Fixture): Promise<string[]> {
  const { invoice_id } = await firstInvoice(fixture);
  const sql = 'SELECT due_at FROM due_steps WHERE account_id = $1 AND subject = $2';
  const subject = `collection/${invoice_id}`;
  const { rows } = await withPostgres((postgres) =>
    postgres.query<{ due_at: number }>(sql, [account.accountId, subject]),
  );
  return rows.map((row) => new Date(row.due_at).toISOString());
}

const pay = async (fixture: Fixture) =>
  account.api.post(`/api/invoices/${(await firstInvoice(fixture)).invoice_id}/pay`);
const isPaid = (invoice: Json) => expect(invoice).toMatchObject({ status: 'paid', amount_due: '0', amount_paid: '29' });

describe('on the due date', () => {
  test('an open invoice is charged once, in the clock time of its due date', async () => {
    const fixture = await subscriber('good');
    await advance(account.api, fixture.clockId, dayAfterIssue(0.5));
    const invoice = await firstInvoice(fixture);
    isPaid(invoice);
    expect(invoice.paid_at).toBe(dayAfterIssue(0));
    expect(invoice.payments).toMatchObject([{ method: 'stripe', amount: '29', paid_at: dayAfterIssue(0) }]);
    const [payment] = itemsOf(invoice.payments);
    const charges = await stripe.chargesOf(fixture.payer);
    expect(charges).toMatchObject([{ amount: 2900, currency: 'usd', attemptId: payment?.payment_id }]);
    expect(balanceOf(await ledgerOf(account.api, fixture.customerId), 'cash')).toBe('29');
    await advance(account.api, fixture.clockId, dayAfterIssue(20));
    expect(await stripe.chargesOf(fixture.payer)).toHaveLength(1);
  });

  test('without a payment method nothing is charged; one that comes on the day is', async () => {
    const fixture = await subscriber(null);
    await advance(account.api, fixture.clockId, dayAfterIssue(0));
    expect(await firstInvoice(fixture)).toMatchObject({ status: 'open' });
    await stripe.setCard(fixture.payer, 'good');
    const attached = { id: `pm_good_${fixture.payer}`, object: 'payment_method', customer: fixture.payer };
    const { externalAccountId: from } = account;
    expect(await sendHook(await stripe.event('payment_method.attached', attached, { account: from }))).toBe(200);
    isPaid(await invoiceWhen(fixture, 'paid'));
    expect((await account.api.get(`/api/customers/${fixture.customerId}/`)).body.has_payment_method).toBe(true);
  });

  test('a declined charge is told, retried after payment_retry_days, then uncollectible', async () => {
    const fixture = await subscriber('declined');
    const orders = [];
    for (const day of [0.5, 1.5, 3.5, 5.5, 6.9, 7.5, 30]) {
      await advance(account.api, fixture.clockId, dayAfterIssue(day));
      orders.push(await stripe.ordersOf(fixture.payer));
    }
    // Another invoice follows at day 30, with a first attempt of its own.
    expect(orders).toEqual([1, 2, 3, 4, 4, 5, 6]);
    expect((await firstInvoice(fixture)).status).toBe('uncollectible');
    expect(await failuresOf(fixture)).toBe(6);
    expect(await stripe.chargesOf(fixture.payer)).toEqual([]);
  });

  test('D11: amounts are in the smallest unit of their currency', async () => {
    for (const [currency, fee, amount] of [
      ['jpy', 500, 500],
      ['kwd', 12.34, 12340],
    ] as const) {
      const fixture = await subscriber('good', { currency, fee });
      await advance(account.api, fixture.clockId, dayAfterIssue(0));
      expect(await stripe.chargesOf(fixture.payer)).toMatchObject([{ amount, currency }]);
    }
  });
});

describe('lost answers', () => {
  test('D1: the charge is made and the answer lost: one charge, and the invoice is paid', async () => {
    const fixture = await subscriber('good');
    await stripe.trouble(fixture.payer, 'lose');
    await advance(account.api, fixture.clockId, dayAfterIssue(0));
    isPaid(await firstInvoice(fixture));
    expect(await stripe.chargesOf(fixture.payer)).toHaveLength(1);
  });

  test('D2: the same, and the key has expired: it is found by search', async () => {
    const fixture = await subscriber('good');
    await stripe.trouble(fixture.payer, 'lose_and_forget');
    await advance(account.api, fixture.clockId, dayAfterIssue(0));
    isPaid(await firstInvoice(fixture));
    expect(await stripe.chargesOf(fixture.payer)).toHaveLength(1);
    expect(await stripe.ordersOf(fixture.payer)).toBe(1);
  });

  test('D6: storms of 429 and 500 and lost answers: one charge', async () => {
    const fixture = await subscriber('good');
    await stripe.trouble(fixture.payer, 429, 500, 429, 'lose');
    await advance(account.api, fixture.clockId, dayAfterIssue(0));
    isPaid(await firstInvoice(fixture));
    expect(await stripe.chargesOf(fixture.payer)).toHaveLength(1);
  });
});

describe('asynchronous outcomes', () => {
  test('D3, B8: events are forged, old, repeated and out of order: the processor itself is asked', async () => {
    const fixture = await subscriber('slow');
    await advance(account.api, fixture.clockId, dayAfterIssue(0));
    const intent = await stripe.intentOf(fixture.payer);
    const from = { account: account.externalAccountId };
    const failed = await stripe.event('payment_intent.payment_failed', intent, from);
    const forged = await stripe.event('payment_intent.succeeded', intent, { ...from, secret: 'whsec_other' });
    const old = await stripe.event('payment_intent.succeeded', intent, { ...from, at: Date.now() - 600_000 });
    expect([await sendHook(forged), await sendHook(old)]).toEqual([400, 400]);
    expect(await sendHook(failed)).toBe(200);
    // D5: while it is worked on, nobody else decides about the invoice.
    const { invoice_id } = await firstInvoice(fixture);
    for (const action of ['void', 'mark_paid', 'mark_uncollectible', 'pay']) {
      const refused = await account.api.post(`/api/invoices/${invoice_id}/${action}`);
      expect([action, refused.status]).toEqual([action, 409]);
    }
    await stripe.settle(intent.id, 'succeeded');
    const succeeded = await stripe.event('payment_intent.succeeded', intent, from);
    const answers = await Promise.all([succeeded, succeeded, succeeded, failed].map((event) => sendHook(event)));
    expect(answers).toEqual([200, 200, 200, 200]);
    isPaid(await invoiceWhen(fixture, 'paid'));
    expect(await failuresOf(fixture)).toBe(0);
    expect(await stripe.chargesOf(fixture.payer)).toHaveLength(1);
  });

  test('D7: declined, then 3-D Secure, then a new card', async () => {
    const fixture = await subscriber('declined');
    await advance(account.api, fixture.clockId, dayAfterIssue(0));
    await stripe.setCard(fixture.payer, 'needs_3ds');
    expect(await pay(fixture)).toMatchObject({ status: 200, body: { status: 'open', amount_due: 29 } });
    expect((await account.api.post(`/api/invoices/${(await firstInvoice(fixture)).invoice_id}/void`)).status).toBe(409);
    await stripe.setCard(fixture.payer, 'good');
    expect(await pay(fixture)).toMatchObject({ status: 200, body: { status: 'paid', amount_due: 0 } });
    expect(await stripe.chargesOf(fixture.payer)).toHaveLength(1);
  });
});

describe('a retry that is planned on a test clock', () => {
  test('goes with an invoice that is paid by hand', async () => {
    const fixture = await subscriber('declined');
    await advance(account.api, fixture.clockId, dayAfterIssue(0.5));
    const { invoice_id } = await firstInvoice(fixture);
    expect((await account.api.post(`/api/invoices/${invoice_id}/mark_paid`)).status).toBe(200);
    await advance(account.api, fixture.clockId, dayAfterIssue(2));
    expect(await stripe.ordersOf(fixture.payer)).toBe(1);
  });

  test('goes with the payer, and comes back with it', async () => {
    const fixture = await subscriber('declined');
    await advance(account.api, fixture.clockId, dayAfterIssue(0.5));
    const path = `/api/customers/${fixture.customerId}/`;
    expect((await account.api.patch(path, { payment_provider_id: null })).status).toBe(200);
    await advance(account.api, fixture.clockId, dayAfterIssue(0.8));
    await stripe.setCard(fixture.payer, 'good');
    expect((await account.api.patch(path, { payment_provider_id: fixture.payer })).status).toBe(200);
    expect(await plannedFor(fixture)).toEqual([dayAfterIssue(1)]);
    await advance(account.api, fixture.clockId, dayAfterIssue(2));
    const paid = await firstInvoice(fixture);
    isPaid(paid);
    expect(paid.paid_at).toBe(dayAfterIssue(1));
  });
});

// Days 1, 3, 5, 7: failed on day 0, nothing to charge until day 3.5, failed then: 2 days lie between the first two retries.
test('a retry that came late does not bring the next one closer', async () => {
  const scene = await subscriber('declined');
  await advance(account.api, scene.clockId, dayAfterIssue(0.5));
  const path = `/api/customers/${scene.customerId}/`;
  expect((await account.api.patch(path, { payment_provider_id: null })).status).toBe(200);
  await advance(account.api, scene.clockId, dayAfterIssue(3.5));
  expect((await account.api.patch(path, { payment_provider_id: scene.payer })).status).toBe(200);
  await advance(account.api, scene.clockId, dayAfterIssue(5.4));
  expect(await stripe.ordersOf(scene.payer)).toBe(2);
  expect(await plannedFor(scene)).toEqual([dayAfterIssue(5.5)]);
  await advance(account.api, scene.clockId, dayAfterIssue(5.6));
  expect(await stripe.ordersOf(scene.payer)).toBe(3);
  expect(await plannedFor(scene)).toEqual([dayAfterIssue(7.5)]);
});

test('fewer retries than have failed by now: the invoice is given up, and does not stay open', async () => {
  const fixture = await subscriber('declined');
  await advance(account.api, fixture.clockId, dayAfterIssue(1.5));
  const retry = (days: number[]) => account.api.patch('/api/account', { payment_retry_days: days });
  expect((await retry([1])).status).toBe(200);
  try {
    await advance(account.api, fixture.clockId, dayAfterIssue(4));
    expect((await firstInvoice(fixture)).status).toBe('uncollectible');
    expect(await stripe.ordersOf(fixture.payer)).toBe(2);
    expect(await plannedFor(fixture)).toEqual([]);
  } finally {
    expect((await retry([1, 3, 5, 7])).status).toBe(200);
  }
});

describe('at the same time', () => {
  test('D4: twenty parallel calls of pay with the due date: one attempt', async () => {
    const fixture = await subscriber('good');
    await advance(account.api, fixture.clockId, dayAfterIssue(-1));
    await stripe.setCard(fixture.payer, 'declined');
    await advance(account.api, fixture.clockId, dayAfterIssue(0));
    await stripe.setCard(fixture.payer, 'good');
    const answers = await Promise.all([...Array(20).keys()].map(() => pay(fixture)));
    // 503: the scheduler takes few calls of one invoice at a time.
    const codes = answers.map(({ status }) => status);
    expect(codes.filter((code) => ![200, 409, 503].includes(code))).toEqual([]);
    expect(codes).toContain(200);
    isPaid(await invoiceWhen(fixture, 'paid'));
    expect(await stripe.chargesOf(fixture.payer)).toHaveLength(1);
    expect(await stripe.ordersOf(fixture.payer)).toBe(2);
  });

  test('a call that is repeated by its key pays once and answers the same', async () => {
    const fixture = await subscriber('declined');
    await advance(account.api, fixture.clockId, dayAfterIssue(0));
    await stripe.setCard(fixture.payer, 'good');
    const { invoice_id } = await firstInvoice(fixture);
    const call = () =>
      account.api.post(`/api/invoices/${invoice_id}/pay`, undefined, { 'Idempotency-Key': fixture.payer });
    const [first, second] = [await call(), await call()];
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await stripe.chargesOf(fixture.payer)).toHaveLength(1);
  });
});

/** The same with an account of its own, whose connection nothing else needs. */
async function withOwnAccount(run: (own: typeof account, externalName: string) => Promise<void>): Promise<void> {
  const externalName = newId('acct').replaceAll('_', '');
  const shared = account;
  account = { ...(await newAccount()), externalAccountId: `acct_${externalName}` };
  try {
    await run(account, externalName);
  } finally {
    account = shared;
  }
}

/** Connects, and waits until what follows a connection has been done. */
async function connectFor({ customerId }: Fixture, own: typeof account, externalName: string): Promise<void> {
  await connect(own, externalName);
  const customer = () => own.api.get(`/api/customers/${customerId}/`);
  await eventually(customer, ({ body }) => Boolean(body.has_payment_method));
}

test('D9: revoked in mid-cycle: the failure is told, and the connection is gone', () =>
  withOwnAccount(async (own, externalName) => {
    const fixture = await subscriber('good');
    await connectFor(fixture, own, externalName);
    await stripe.revoke(own.externalAccountId);
    await advance(own.api, fixture.clockId, dayAfterIssue(0.5));
    expect(await firstInvoice(fixture)).toMatchObject({ status: 'open', amount_due: '29' });
    expect(await failuresOf(fixture)).toBe(1);
    expect((await own.api.get('/api/payment-providers')).body.results).toMatchObject([{ connected: false }, {}]);
    expect((await pay(fixture)).status).toBe(409);
    const log = await own.api.get('/api/audit-log?action=payment_provider.disconnected');
    const said = { actor: { type: 'system' }, before: { connected: true }, after: { connected: false } };
    expect(itemsOf(log.body.results)).toMatchObject([{ ...said, resource_id: 'stripe' }]);
  }));

test('an invoice made between two connections is collected on its due date', () =>
  withOwnAccount(async (own, externalName) => {
    const fixture = await subscriber('good');
    expect((await own.api.patch('/api/account', { net_terms_days: 5 })).status).toBe(200);
    await connectFor(fixture, own, externalName);
    expect((await own.api.post('/api/payment-providers/stripe/disconnect')).status).toBe(200);
    await advance(own.api, fixture.clockId, dayAfterIssue(0));
    const { invoice_id } = await firstInvoice(fixture);
    // The fake remembers who was disconnected.
    await connect(own, `${externalName}again`);
    const told = async () => (await eventsOf(`invoice/${invoice_id}`)).map(({ type }) => type);
    await eventually(told, (types) => types.filter((type) => type === 'invoice.collectable').length === 2);
    await advance(own.api, fixture.clockId, dayAfterIssue(6));
    isPaid(await firstInvoice(fixture));
    expect((await firstInvoice(fixture)).paid_at).toBe(dayAfterIssue(5));
  }));
