import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf } from '../../stack/api.ts';
import { billOf, draftOf, linesOf, rowsOf } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { advance } from '../../workflows/in-process-clock.ts';

let account: TestAccount;
let other: TestAccount;
beforeEach(async () => {
  [account, other] = await Promise.all([newAccount(), newAccount()]);
});

async function makeAddon(fields: object): Promise<string> {
  const made = await account.api.post('/api/addons', { name: 'Extra', ...fields });
  expect(made.status, made.text).toBe(201);
  return String(made.body.addon_id);
}

describe('add-ons', () => {
  test('create, retrieve, change, list, archive', async () => {
    const { api } = await newAccount({ currency: 'eur' });
    const made = await api.post('/api/addons', { name: 'Seats', kind: 'quantity', price: '4.125' });
    expect(made.status).toBe(201);
    expect(made.exact).toEqual({
      addon_id: expect.stringMatching(/^addon_/),
      name: 'Seats',
      kind: 'quantity',
      price: '4.125',
      currency: 'eur',
      status: 'active',
      created_at: expect.stringMatching(/Z$/),
    });
    const path = `/api/addons/${made.body.addon_id}`;
    expect((await api.get(path)).body).toEqual(made.body);
    const changed = await api.patch(path, { price: 5 });
    expect([changed.status, changed.body]).toEqual([200, { ...made.body, price: 5 }]);
    expect((await api.patch(path, {})).body).toEqual(changed.body);
    const second = await api.post('/api/addons', { name: 'Setup', kind: 'one_time', price: 0, currency: 'USD' });
    expect((await api.get('/api/addons')).body).toMatchObject({ count: 2, results: [second.body, changed.body] });
    const archived = await api.post(`${path}/archive`);
    expect([archived.status, archived.body]).toEqual([200, { ...changed.body, status: 'archived' }]);
    expect((await api.post(`${path}/archive`)).status).toBe(409);
  });

  test.each([
    [{}, { name: expect.anything(), kind: expect.anything(), price: expect.anything() }],
    [
      { name: ' ', kind: 'weekly', price: -1 },
      { name: expect.anything(), kind: expect.anything(), price: expect.anything() },
    ],
    [{ name: 'A', kind: 'recurring', price: 1.005 }, { price: ['Must have at most 2 decimals in USD.'] }],
    [{ name: 'A', kind: 'one_time', price: 0.5, currency: 'jpy' }, { price: ['Must have at most 0 decimals in JPY.'] }],
    [{ name: 'A', kind: 'quantity', price: '0.0000000000001' }, { price: expect.anything() }],
    [
      { name: 'A', kind: 'one_time', price: 1, currency: 'xxx', extra: 1 },
      { currency: expect.anything(), extra: ['Unknown field.'] },
    ],
  ])('%j is 422', async (body, fields) => {
    expect(await account.api.post('/api/addons', body)).toMatchObject({ status: 422, body: fields });
  });

  test('kind and currency stay; a price is checked in its currency', async () => {
    const id = await makeAddon({ kind: 'recurring', price: 1 });
    const { api } = account;
    expect((await api.patch(`/api/addons/${id}`, { kind: 'one_time' })).body).toEqual({ kind: ['Unknown field.'] });
    expect((await api.patch(`/api/addons/${id}`, { price: 0.001 })).status).toBe(422);
  });
});

describe('attach and cancel', () => {
  let subscription: string;
  beforeEach(async () => {
    const customer_id = await makeCustomer(account.api, 'attaching');
    subscription = await subscribe(account.api, { customer_id, plan_id: await makePlan(account.api) });
  });
  const attach = (body: object, to = subscription) => account.api.post(`/api/subscriptions/${to}/addons/attach`, body);
  const cancel = (body: object, to = subscription) => account.api.post(`/api/subscriptions/${to}/addons/cancel`, body);
  const attached = async () => (await account.api.get(`/api/subscriptions/${subscription}`)).body.addons;

  test('answers the attachment; attaching again changes its quantity; the subscription shows it', async () => {
    const addon_id = await makeAddon({ kind: 'quantity', price: 3 });
    const first = await attach({ addon_id });
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      addon_subscription_id: expect.stringMatching(/^addonsub_/),
      addon_id,
      subscription_id: subscription,
      quantity: 1,
      status: 'active',
      attached_at: expect.stringMatching(/Z$/),
    });
    const again = await attach({ addon_id, quantity: 4 });
    expect(again.body).toEqual({ ...first.body, quantity: 4 });
    expect(await attached()).toEqual([again.body]);
    const gone = await cancel({ addon_id });
    expect([gone.status, gone.body]).toEqual([200, { ...again.body, status: 'canceled' }]);
    expect(await attached()).toEqual([]);
    expect((await cancel({ addon_id })).status).toBe(404);
    // Canceled and attached again within the period: it goes on, so that the period is charged once.
    expect((await attach({ addon_id, quantity: 2 })).body).toEqual({ ...first.body, quantity: 2 });
    await cancel({ addon_id });
  });

  test('a retry with the same Idempotency-Key attaches once', async () => {
    const body = { addon_id: await makeAddon({ kind: 'recurring', price: 3 }) };
    const path = `/api/subscriptions/${subscription}/addons/attach`;
    const key = { 'Idempotency-Key': newId('req') };
    const answers = [await account.api.post(path, body, key), await account.api.post(path, body, key)];
    expect(answers[1]?.text).toBe(answers[0]?.text);
    await cancel(body);
  });

  test('20 calls at once attach it once', async () => {
    const addon_id = await makeAddon({ kind: 'quantity', price: 3 });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => attach({ addon_id, quantity: i + 1 })));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => answer.body.addon_subscription_id)).size).toBe(1);
    expect(await attached()).toHaveLength(1);
    await cancel({ addon_id });
  });

  test('what is refused', async () => {
    const { api } = account;
    const addon_id = await makeAddon({ kind: 'quantity', price: 3 });
    const recurring = await makeAddon({ kind: 'recurring', price: 3 });
    const euros = await makeAddon({ kind: 'recurring', price: 3, currency: 'eur' });
    const archived = await makeAddon({ kind: 'recurring', price: 3 });
    await api.post(`/api/addons/${archived}/archive`);
    expect(await attach({})).toMatchObject({ status: 422, body: { addon_id: ['Required.'] } });
    for (const quantity of [0, -1, 1.5, 'x']) expect((await attach({ addon_id, quantity })).status).toBe(422);
    const one = { quantity: ['Must be 1 for a recurring add-on.'] };
    expect(await attach({ addon_id: recurring, quantity: 2 })).toMatchObject({ status: 422, body: one });
    expect((await attach({ addon_id: 'addon_none' })).status).toBe(404);
    expect((await cancel({ addon_id: 'addon_none' })).status).toBe(404);
    expect((await cancel({ addon_id })).status).toBe(404);
    expect((await attach({ addon_id: euros })).status).toBe(400);
    expect((await attach({ addon_id: archived })).status).toBe(409);
    const theirs = await other.api.post('/api/addons', { name: 'Theirs', kind: 'recurring', price: 1 });
    expect((await attach({ addon_id: theirs.body.addon_id })).status).toBe(404);
    expect((await other.api.post(`/api/subscriptions/${subscription}/addons/attach`, { addon_id })).status).toBe(404);
  });

  test('an archived add-on that is attached keeps its place', async () => {
    const addon_id = await makeAddon({ kind: 'quantity', price: 3 });
    await attach({ addon_id });
    await account.api.post(`/api/addons/${addon_id}/archive`);
    expect((await attach({ addon_id, quantity: 2 })).body).toMatchObject({ quantity: 2 });
    await cancel({ addon_id });
  });

  test('an ended subscription is 409', async () => {
    const { api } = account;
    const clock = await makeClock(api, '2026-03-01T00:00:00Z');
    const customer_id = await makeCustomer(api, 'ended', { test_clock_id: clock });
    const plan_id = await makePlan(api);
    const ended = await subscribe(api, { customer_id, plan_id, auto_renew: false });
    const addon_id = await makeAddon({ kind: 'recurring', price: 3 });
    await attach({ addon_id }, ended);
    await advance(api, clock, '2026-04-01T00:00:00Z');
    expect(await attach({ addon_id }, ended)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('expired') },
    });
    expect((await cancel({ addon_id }, ended)).status).toBe(409);
  });
});

describe('charged', () => {
  async function life(plan: Record<string, unknown>, customer: string) {
    const { api } = account;
    const clock = await makeClock(api, '2026-03-01T00:00:00Z');
    const customer_id = await makeCustomer(api, customer, { test_clock_id: clock });
    const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api, plan) });
    const addons = `/api/subscriptions/${subscription}/addons`;
    const attach = async (addon_id: string, quantity?: number) =>
      expect((await api.post(`${addons}/attach`, { addon_id, quantity })).status).toBe(200);
    const cancel = async (addon_id: string) =>
      expect((await api.post(`${addons}/cancel`, { addon_id })).status).toBe(200);
    const invoices = () => invoicesOf(api, `subscription_id=${subscription}`);
    const addonRows = async (i: number): Promise<string[]> => rowsOf((await invoices())[i]).filter(isAddon);
    const to = (date: string) => advance(api, clock, `${date}T12:00:00Z`);
    return { api, customer_id, attach, cancel, invoices, addonRows, to };
  }
  const isAddon = (row: string) => row.startsWith('addon');

  test('in_arrears: recurring and quantity every period from the current one on, the last quantity counts', async () => {
    const { api, customer_id, attach, cancel, invoices, addonRows, to } = await life({}, 'arrears');
    const recurring = await makeAddon({ name: 'Support', kind: 'recurring', price: 10 });
    const seats = await makeAddon({ name: 'Seats', kind: 'quantity', price: 2.5 });
    await to('2026-03-20');
    await attach(recurring);
    await attach(seats, 2);
    await attach(seats, 3);
    const draft = await draftOf(api, customer_id);
    await to('2026-03-31');
    // 29 + 10 + 3 * 2.5 = 46.5: no proration
    const march = (await invoices())[0];
    expect(rowsOf(march)).toEqual([
      'recurring_fee 29 from 2026-03-01',
      'addon 10 from 2026-03-01',
      'addon 7.5 from 2026-03-01',
    ]);
    expect(linesOf(march).slice(1)).toMatchObject([
      {
        description: 'Support',
        addon_id: recurring,
        quantity: '1',
        unit_price: '10',
        period_end: '2026-03-31T00:00:00.000Z',
      },
      { description: 'Seats: 3 units', addon_id: seats, quantity: '3', billable_quantity: '3', unit_price: '2.5' },
    ]);
    expect(march).toMatchObject({ total: '46.5' });
    expect(billOf(draft)).toEqual(billOf(march));

    // Canceled in April: April is charged, May is not. Attached again in the same period, April is still charged once.
    await cancel(recurring);
    await attach(seats, 1);
    await cancel(seats);
    await attach(seats, 4);
    await cancel(seats);
    await to('2026-04-30');
    expect(await addonRows(1)).toEqual(['addon 10 from 2026-03-31', 'addon 10 from 2026-03-31']);
    await to('2026-05-30');
    expect(await addonRows(2)).toEqual([]);
    await attach(recurring);
    await to('2026-06-29');
    expect(await addonRows(3)).toEqual(['addon 10 from 2026-05-30']);
  });

  test('in_advance: one attached in the middle of a paid period costs that period and the next', async () => {
    const { attach, cancel, addonRows, to } = await life({ charge_timing: 'in_advance' }, 'ahead');
    const seats = await makeAddon({ name: 'Seats', kind: 'quantity', price: 2 });
    await to('2026-03-10');
    await attach(seats, 3);
    await to('2026-03-31');
    expect(await addonRows(1)).toEqual(['addon 6 from 2026-03-01', 'addon 6 from 2026-03-31']);
    // April is paid: the new quantity counts from May on.
    await attach(seats, 5);
    await to('2026-04-30');
    expect(await addonRows(2)).toEqual(['addon 10 from 2026-04-30']);
    await cancel(seats);
    await to('2026-05-30');
    expect(await addonRows(3)).toEqual([]);
    // Attached and canceled within one period that was paid without it: that period alone.
    await attach(seats, 1);
    await cancel(seats);
    await to('2026-06-29');
    expect(await addonRows(4)).toEqual(['addon 2 from 2026-05-30']);
    await to('2026-07-29');
    expect(await addonRows(5)).toEqual([]);
  });

  test('one_time: once, dropped when canceled before, charged again when attached again', async () => {
    const { api, customer_id, attach, cancel, addonRows, to } = await life({}, 'once');
    const setup = await makeAddon({ name: 'Setup', kind: 'one_time', price: 100 });
    const audit = await makeAddon({ name: 'Audit', kind: 'one_time', price: 50 });
    await attach(setup);
    await attach(setup);
    await attach(audit);
    await cancel(audit);
    await to('2026-03-31');
    expect(await addonRows(0)).toEqual(['addon 100 from 2026-03-01']);
    const subscriptions = itemsOf((await api.get(`/api/customers/${customer_id}/`)).body.subscriptions);
    expect(subscriptions[0]?.addons).toEqual([]);
    await to('2026-04-30');
    expect(await addonRows(1)).toEqual([]);
    await attach(setup);
    await attach(audit);
    await to('2026-05-30');
    expect(await addonRows(2)).toEqual(['addon 100 from 2026-04-30', 'addon 50 from 2026-04-30']);
  });

  test('canceled before the first period began: never charged', async () => {
    const { api } = account;
    const clock = await makeClock(api, '2026-01-01T00:00:00Z');
    const customer_id = await makeCustomer(api, 'never-charged', { test_clock_id: clock });
    const plan_id = await makePlan(api, { recurring_fee: 10 });
    const subscription = await subscribe(api, { customer_id, plan_id, start_date: '2026-01-05' });
    const addon_id = await makeAddon({ kind: 'recurring', price: 3 });
    const addons = `/api/subscriptions/${subscription}/addons`;
    expect((await api.post(`${addons}/attach`, { addon_id })).status).toBe(200);
    expect((await api.post(`${addons}/cancel`, { addon_id })).status).toBe(200);
    await advance(api, clock, '2026-02-05T00:00:00Z');
    const invoices = await invoicesOf(api, `subscription_id=${subscription}`);
    expect(invoices.map(rowsOf)).toEqual([['recurring_fee 10 from 2026-01-05']]);
  });

  test('of a pending subscription: on the opening invoice in_advance', async () => {
    const { api } = account;
    const clock = await makeClock(api, '2026-03-01T00:00:00Z');
    const customer_id = await makeCustomer(api, 'pending-addon', { test_clock_id: clock });
    const plan_id = await makePlan(api, { recurring_fee: 0, charge_timing: 'in_advance' });
    const subscription = await subscribe(api, { customer_id, plan_id, start_date: '2026-03-10' });
    const support = await makeAddon({ name: 'Support', kind: 'recurring', price: 10 });
    const setup = await makeAddon({ name: 'Setup', kind: 'one_time', price: 100 });
    for (const addon_id of [support, setup])
      await api.post(`/api/subscriptions/${subscription}/addons/attach`, { addon_id });
    await advance(api, clock, '2026-04-09T00:00:00Z');
    const invoices = await invoicesOf(api, `subscription_id=${subscription}`);
    expect(invoices.map(rowsOf)).toEqual([
      ['addon 10 from 2026-03-10', 'addon 100 from 2026-03-10'],
      ['addon 10 from 2026-04-09'],
    ]);
  });
});
