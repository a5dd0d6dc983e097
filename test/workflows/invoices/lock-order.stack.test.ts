import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { deleteCustomer } from '../../../services/customers/delete-customer.ts';
import { closePeriod } from '../../../services/invoices/close-period.ts';
import { issueSectionsThere } from '../../../services/invoices/issue-sections.ts';
import { voidInvoice } from '../../../services/invoices/void.ts';
import { cancelSubscription } from '../../../services/subscriptions/cancel.ts';
import { resumeAsPlanned } from '../../../services/subscriptions/resume.ts';
import { inTransactionWithUsage } from '../../../services/usage/answered-usage.ts';
import { inTransaction } from '../../../sql/postgres/postgres.ts';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf } from '../../stack/api.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { posted } from '../../stack/resources.ts';
import { waitUntil } from '../../stack/wait-until.ts';
import { connectActivities, setClock } from '../activity-fixture.ts';
import { advance } from '../in-process-clock.ts';

/**
 * Two that need the same locks, one stopped between two of its own until the other waits for it: taken in one order (services/lock-for-change.ts)
 * the other then goes on behind it, in any other Postgres ends one of them. A payer with credits, and a child.
 */
let account: TestAccount;
let clock: string;
let activities: Awaited<ReturnType<typeof connectActivities>>;

beforeAll(async () => {
  activities = await connectActivities();
});
afterAll(() => activities.close());

beforeEach(async () => {
  account = await newAccount();
  const { api } = account;
  clock = await makeClock(api, '2026-03-01T00:00:00Z');
  await makeCustomer(api, 'payer', { test_clock_id: clock });
  await makeCustomer(api, 'child', { test_clock_id: clock, billed_to: 'payer' });
  for (const amount of [1, 2]) await posted(api, '/api/credits', { customer_id: 'payer', amount });
});

const never = new AbortController().signal;
const NOW = { invoicing_behavior: 'invoice_now' };
const to = (date: string) => advance(account.api, clock, `${date}T00:00:00Z`);
const setTo = (date: string) => setClock(activities.dependencies, account.accountId, clock, Date.parse(date));
const close = (subscriptionId: string, periodIndex = 0) =>
  closePeriod(activities.dependencies, { accountId: account.accountId, subscriptionId, periodIndex }, never);
/** A period that ends with the others and is never closed: sections of its instant wait for it, whoever sweeps. */
const holdUp = async () => {
  await makeCustomer(account.api, 'open', { test_clock_id: clock, billed_to: 'payer' });
  await subscribe(account.api, { customer_id: 'open', plan_id: await makePlan(account.api, { recurring_fee: 1 }) });
};
/** Straight, so that nobody tries again what Postgres ends. */
const cancelNow = (subscriptionId: string, flatFeeBehavior: 'charge_prorated' | 'charge_full') => {
  const terms = { flatFeeBehavior, billUsage: true, invoicingBehavior: 'invoice_now' } as const;
  const call = { accountId: account.accountId, subscriptionId, operationId: newId('req'), requestHash: '' };
  return cancelSubscription(
    activities.dependencies,
    { ...call, request: { ...terms, cancelAt: 'immediately' } },
    never,
  );
};
/** As straight. */
const deletionOf = (customerId: string) =>
  inTransactionWithUsage(activities.dependencies, account.accountId, (stores) =>
    deleteCustomer(stores, { accountId: account.accountId, customerId }, Date.now()),
  );
const switched = async (id: string, body: object) =>
  String((await posted(account.api, `/api/subscriptions/${id}/switch_plan`, body)).body.subscription_id);

/** `first` is stopped where it needs the row of `held`, until `second` waits for it. */
async function meet(held: string, first: () => Promise<unknown>, second: () => Promise<unknown>): Promise<void> {
  const { postgres } = activities.dependencies;
  const holder = await postgres.connect();
  const waitingFor = async (pid: unknown) => {
    const blocked = 'SELECT pid FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))';
    const { rows } = await waitUntil(
      () => postgres.query<{ pid: unknown }>(blocked, [pid]),
      (found) => found.rows.length > 0,
    );
    return rows[0]?.pid;
  };
  const both: Promise<unknown>[] = [];
  try {
    await holder.query('BEGIN');
    const { rows } = await holder.query(`${held} FOR UPDATE`, [account.accountId]);
    expect(rows).toHaveLength(1);
    const own = await holder.query<{ pid: unknown }>('SELECT pg_backend_pid() AS pid');
    both.push(first());
    const stopped = await waitingFor(own.rows[0]?.pid);
    both.push(second());
    await waitingFor(stopped);
  } finally {
    await holder.query('COMMIT');
    holder.release();
  }
  await Promise.all(both);
}

const LAST_CREDIT = 'SELECT 1 FROM credits WHERE account_id = $1 AND amount = 2';
const WAITING_SECTION = 'SELECT 1 FROM invoice_sections WHERE account_id = $1 AND invoice_id IS NULL';

// A quarter in arrears by usage months: what its switch has charged on the section of the second month, that of the third names.
test('a resume that names a section of its own, and the invoice of other sections', async () => {
  const { api, accountId } = account;
  const months = { billing_period: 'quarterly', usage_period: 'monthly' };
  const [cheap, dear] = [
    await makePlan(api, { ...months, recurring_fee: 30 }),
    await makePlan(api, { ...months, recurring_fee: 90 }),
  ];
  const cheapest = await subscribe(api, { customer_id: 'payer', plan_id: cheap });
  await to('2026-03-31');
  const subscriptionId = await switched(cheapest, { new_plan_id: dear });
  await to('2026-04-15');
  await posted(api, `/api/subscriptions/${subscriptionId}/pause`, { resumes_at: '2026-06-10' });
  await to('2026-05-10');
  const other = await subscribe(api, { customer_id: 'child', plan_id: await makePlan(api, { recurring_fee: 10 }) });
  await holdUp();
  await to('2026-06-08');
  await setTo('2026-06-11T00:00:00Z');
  await close(other);
  const dueAt = Date.parse('2026-06-09T00:00:00Z');
  const { dependencies } = activities;
  const { body } = await api.get(`/api/subscriptions/${subscriptionId}`);
  expect(body.status).toBe('paused');
  const periodIndex = await currentPeriodOf(subscriptionId);
  await meet(
    WAITING_SECTION,
    () =>
      inTransaction(dependencies.postgres, accountId, (tx) =>
        issueSectionsThere(tx, { accountId, payerId: 'payer', dueAt }, Date.now()),
      ),
    () => resumeAsPlanned(dependencies, { accountId, subscriptionId, periodIndex }, never),
  );
  expect(itemsOf((await invoicesOf(api, '')).at(-1)?.sections).map(({ subtotal }) => subtotal)).toEqual(['10']);
});

async function currentPeriodOf(subscriptionId: string): Promise<number> {
  const last = 'SELECT max(period_index) AS last FROM periods WHERE account_id = $1 AND subscription_id = $2';
  const { rows } = await activities.dependencies.postgres.query<{ last: number }>(last, [
    account.accountId,
    subscriptionId,
  ]);
  return Number(rows[0]?.last);
}

test('a cancel that gives back of a section and of an invoice, and the void of that', async () => {
  const { api, accountId } = account;
  const ahead = { charge_timing: 'in_advance' };
  const plan_id = await makePlan(api, { ...ahead, recurring_fee: 30 });
  const dear = await makePlan(api, { ...ahead, recurring_fee: 60 });
  const id = await subscribe(api, { customer_id: 'child', plan_id });
  await holdUp();
  await setTo('2026-04-10T00:00:00Z');
  await close(id);
  const subscriptionId = await switched(id, { new_plan_id: dear, ...NOW });
  const upgrade = (await invoicesOf(api, 'kind=proration')).at(-1);
  await posted(api, '/api/credits', { customer_id: 'payer', amount: 3 });
  await meet(
    LAST_CREDIT.replace('2', '3'),
    () => cancelNow(subscriptionId, 'charge_full'),
    () =>
      inTransaction(activities.dependencies.postgres, accountId, (tx) =>
        voidInvoice(tx, accountId, String(upgrade?.invoice_id), { now: Date.now() }),
      ),
  );
  expect((await api.get(`/api/invoices/${upgrade?.invoice_id}`)).body.status).toBe('void');
});

test('two cancels of a child for whose next invoice a line waits, one of which gives back', async () => {
  const { api } = account;
  const ahead = await makePlan(api, { charge_timing: 'in_advance', recurring_fee: 30 });
  const [cheap, dear] = [await makePlan(api, { recurring_fee: 30 }), await makePlan(api, { recurring_fee: 60 })];
  const paid = await subscribe(api, { customer_id: 'child', plan_id: ahead });
  const other = await subscribe(api, { customer_id: 'child', plan_id: cheap });
  for (const { invoice_id } of await invoicesOf(api, 'status=open'))
    await posted(api, `/api/invoices/${invoice_id}/mark_paid`);
  await to('2026-03-11');
  const dearer = await switched(other, { new_plan_id: dear });
  for (const amount of [4, 5]) await posted(api, '/api/credits', { customer_id: 'payer', amount });
  await meet(
    LAST_CREDIT.replace('2', '5'),
    () => cancelNow(paid, 'charge_prorated'),
    () => cancelNow(dearer, 'charge_prorated'),
  );
  expect((await invoicesOf(api, 'kind=closing')).length).toBeGreaterThan(0);
});

// Each child is billed to the one who paid for the other before: their cancels give back to both.
test('cancels of two customers who have changed their payers with each other', async () => {
  const { api } = account;
  await makeCustomer(api, 'payer-2', { test_clock_id: clock });
  await makeCustomer(api, 'child-2', { test_clock_id: clock, billed_to: 'payer-2' });
  for (const amount of [3, 4]) await posted(api, '/api/credits', { customer_id: 'payer-2', amount });
  const plan_id = await makePlan(api, { charge_timing: 'in_advance', recurring_fee: 30 });
  const [first, second] = [
    await subscribe(api, { customer_id: 'child', plan_id }),
    await subscribe(api, { customer_id: 'child-2', plan_id }),
  ];
  for (const { invoice_id } of await invoicesOf(api, 'status=open'))
    await posted(api, `/api/invoices/${invoice_id}/mark_paid`);
  await to('2026-03-11');
  for (const [id, billed_to] of [
    ['child', 'payer-2'],
    ['child-2', 'payer'],
  ])
    expect((await api.patch(`/api/customers/${id}`, { billed_to })).status).toBe(200);
  await meet(
    LAST_CREDIT,
    () => cancelNow(second, 'charge_prorated'),
    () => cancelNow(first, 'charge_prorated'),
  );
  const credits = itemsOf((await api.get('/api/credits?sort=-created_at&page_size=2')).body.results);
  expect(credits.map(({ customer_id, amount }) => [customer_id, amount]).toSorted()).toEqual([
    ['payer', 20],
    ['payer-2', 20],
  ]);
});

test('a closing, and the deletion of its customer, of which nothing is left to be billed', async () => {
  const { api, accountId } = account;
  const { coupon_id } = (await posted(api, '/api/coupons', { name: 'Off', percent_off: 10, duration: 'forever' })).body;
  const plan_id = await makePlan(api, { recurring_fee: 30 });
  const id = await subscribe(api, { customer_id: 'child', plan_id, discounts: [{ coupon_id }] });
  await holdUp();
  await setTo('2026-04-10T00:00:00Z');
  const { dependencies } = activities;
  await meet(
    'SELECT 1 FROM discounts WHERE account_id = $1',
    () => close(id),
    () => deletionOf('child'),
  );
  const { rows } = await dependencies.postgres.query('SELECT 1 FROM invoice_sections WHERE account_id = $1', [
    accountId,
  ]);
  expect(rows).toEqual([]);
});

// Its section waits for a step of its own since nobody else is billed to it: the fee of 30 in advance, of which the cancel gives back.
test('a cancel of who has just ceased to pay, and gives back of a section, and the deletion of that customer', async () => {
  const { api, accountId } = account;
  const { dependencies } = activities;
  const plan_id = await makePlan(api, { charge_timing: 'in_advance', recurring_fee: 30 });
  const subscriptionId = await subscribe(api, { customer_id: 'payer', plan_id });
  const later = { plan_id: await makePlan(api, { recurring_fee: 1 }), start_date: '2026-03-31' };
  await subscribe(api, { customer_id: 'payer', ...later });
  await setTo('2026-04-10T00:00:00Z');
  await close(subscriptionId);
  expect((await api.patch('/api/customers/child', { billed_to: null })).status).toBe(200);
  const { rows } = await dependencies.postgres.query(WAITING_SECTION, [accountId]);
  expect(rows).toHaveLength(1);
  await meet(
    `SELECT 1 FROM periods WHERE account_id = $1 AND subscription_id = '${subscriptionId}' AND closed_at IS NULL`,
    () => cancelNow(subscriptionId, 'charge_prorated'),
    () => deletionOf('payer'),
  );
  expect((await api.get('/api/customers/payer')).status).toBe(404);
  // 30 on its section, of which the cancel on day 10 of 30 gives back 20.
  const [invoice] = await invoicesOf(api, 'kind=period');
  expect(itemsOf(invoice?.sections).map(({ subtotal }) => subtotal)).toEqual(['30']);
});
