import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { createPrice } from '../../../services/catalog/create-price.ts';
import { closePeriod } from '../../../services/invoices/close-period.ts';
import type { ClickHouseReader } from '../../../sql/clickhouse/clickhouse.ts';
import { findPlan } from '../../../sql/postgres/catalog/plans.ts';
import { inTransaction, type Transaction } from '../../../sql/postgres/postgres.ts';
import { lockSubscription } from '../../../sql/postgres/subscriptions/subscriptions.ts';
import { priceAdd } from '../../../wire/catalog/added-prices.ts';
import type { ActivityDependencies } from '../../../workflows/activities/dependencies.ts';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { linesOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { waitUntil } from '../../stack/wait-until.ts';
import { connectActivities, setClock } from '../activity-fixture.ts';

/** A row that is added while a period closes is on one side of it, in every order of the two (spec/price-books#additions). */
const never = new AbortController().signal;
let account: TestAccount;
let dependencies: ActivityDependencies;
let close: () => Promise<void>;
let metric_id: string;

beforeAll(async () => {
  ({ dependencies, close } = await connectActivities());
  account = await newAccount();
  metric_id = String((await makeMetric(account.api)).metric_id);
});
afterAll(() => close());

/** A closing that is due, of 5 events that no row prices. */
type Due = { planId: string; customerId: string; subscriptionId: string; clock: string };

async function dueClosing(): Promise<Due> {
  const customerId = newId('req');
  const { api, accountId } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  await makeCustomer(api, customerId, { test_clock_id: clock });
  const prices = [{ when: { model: 'a' }, overage_price: 1 }];
  const components = [{ metric_id, group_by: ['model'], prices }];
  const planId = await makePlan(api, { recurring_fee: 0, components });
  const subscriptionId = await subscribe(api, { customer_id: customerId, plan_id: planId });
  await trackCalls(api, customerId, '2026-03-05T00:00:00Z', 5, { model: 'new' });
  await landed(api);
  await setClock(dependencies, accountId, clock, Date.parse('2026-03-31T00:00:00Z'));
  return { planId, customerId, subscriptionId, clock };
}

const ROW = { when: { model: 'new' }, overage_price: 0.2 };

async function addRow({ planId }: Due): Promise<void> {
  const made = await account.api.post(`/api/plans/${planId}/prices`, { metric_id, ...ROW });
  expect(made.status, made.text).toBe(201);
}

/** A transaction that has done `first` and stays open until it is committed; `pid` is its process in Postgres. */
async function openTransaction(first: (tx: Transaction) => Promise<unknown>) {
  const { promise: mayCommit, resolve: allow } = Promise.withResolvers<void>();
  const { promise: done, resolve: tell } = Promise.withResolvers<number | undefined>();
  const committed = inTransaction(dependencies.postgres, account.accountId, async (tx) => {
    await first(tx);
    const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    tell(rows[0]?.pid);
    await mayCommit;
  });
  await Promise.race([done, committed]);
  const commit = () => {
    allow();
    return committed;
  };
  return { pid: await done, commit };
}

/** Waits until somebody waits for what the transaction has locked. */
async function waitedFor(pid: number | undefined): Promise<void> {
  const waiting = 'SELECT 1 FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))';
  await waitUntil(
    () => dependencies.postgres.query(waiting, [pid]),
    ({ rowCount }) => rowCount === 1,
  );
}

function beginAdding({ planId }: Pick<Due, 'planId'>) {
  const { accountId } = account;
  const row = priceAdd.parse({ metric_id, when: ROW.when, overage_price: '0.2' });
  return openTransaction((tx) => createPrice(tx, { accountId, planId }, row, { now: Date.now() }));
}

const closingOf = ({ subscriptionId }: Due, periodIndex: number, by = dependencies) =>
  closePeriod(by, { accountId: account.accountId, subscriptionId, periodIndex }, never);

/** What asks ClickHouse runs `first` once, before its first question: the records have been read by then. */
function askingAfter(first: () => Promise<void>): ActivityDependencies {
  let done: Promise<void> | undefined;
  const clickhouse: ClickHouseReader = {
    query: async (question) => {
      done ??= first();
      await done;
      return dependencies.clickhouse.query(question);
    },
  };
  return { ...dependencies, clickhouse: Object.assign(Object.create(dependencies.clickhouse), clickhouse) };
}

/** Has the closing read and count, and wait for the subscription; runs `work`, and lets it save. */
async function beforeSaving(due: Due, work: () => Promise<void>): Promise<void> {
  const lock = () =>
    openTransaction(async (tx) => {
      await lockSubscription(tx, account.accountId, due.subscriptionId);
    });
  const locked = Promise.withResolvers<Awaited<ReturnType<typeof lock>>>();
  const closing = closingOf(
    due,
    0,
    askingAfter(async () => locked.resolve(await lock())),
  );
  const { pid, commit } = await locked.promise;
  await waitedFor(pid);
  await work();
  await commit();
  await closing;
}

const ORDERS: Record<string, { side: 'closing' | 'next'; run(due: Due): Promise<void> }> = {
  'added before the closing reads': {
    side: 'closing',
    run: async (due) => {
      await addRow(due);
      await closingOf(due, 0);
    },
  },
  'added when the closing has read, before it counts': {
    side: 'next',
    run: async (due) => {
      await closingOf(
        due,
        0,
        askingAfter(() => addRow(due)),
      );
    },
  },
  'added when the closing has counted, before it saves': {
    side: 'next',
    run: (due) => beforeSaving(due, () => addRow(due)),
  },
  'being added while the closing is made, and committed after it': {
    side: 'next',
    run: async (due) => {
      const { commit } = await beginAdding(due);
      await closingOf(due, 0);
      await commit();
    },
  },
  'being added before the closing reads, and committed before it saves': {
    side: 'next',
    run: async (due) => {
      const { commit } = await beginAdding(due);
      await beforeSaving(due, commit);
    },
  },
};

const usageIn = (invoice: Json | undefined) =>
  linesOf(invoice)
    .filter(({ quantity }) => String(quantity) !== '0')
    .map(({ type, quantity, amount }) => `${type} x${quantity} ${amount}`);

test.each(Object.entries(ORDERS))('a row %s', async (_, { side, run }) => {
  const { api, accountId } = account;
  const due = await dueClosing();
  await run(due);
  await setClock(dependencies, accountId, due.clock, Date.parse('2026-04-30T00:00:00Z'));
  await closingOf(due, 1);
  await setClock(dependencies, accountId, due.clock, Date.parse('2026-05-30T00:00:00Z'));
  await closingOf(due, 2);
  const issued = await invoicesOf(api, `subscription_id=${due.subscriptionId}`);
  expect(issued.map(usageIn)).toEqual(side === 'closing' ? [['usage x5 1'], [], []] : [[], ['late_usage x5 1'], []]);
  const held = issued.map((invoice) => itemsOf(invoice.held).map(({ quantity }) => quantity));
  expect(held).toEqual(side === 'closing' ? [[], [], []] : [['5'], [], []]);
});

test('a version that is agreed on while a row is added has the row', async () => {
  const { api, accountId } = account;
  const components = [{ metric_id, group_by: ['model'], prices: [{ when: { model: 'a' }, overage_price: 1 }] }];
  const planId = await makePlan(api, { components });
  const customer_id = await makeCustomer(api, newId('req'));
  const { pid, commit } = await beginAdding({ planId });
  const subscribing = api.post('/api/subscriptions', { customer_id, plan_id: planId, overrides: { recurring_fee: 1 } });
  await waitedFor(pid);
  await commit();
  expect((await subscribing).status).toBe(201);
  const plan = await inTransaction(dependencies.postgres, accountId, (tx) => findPlan(tx, accountId, planId, -1));
  expect(plan?.components[0]?.book?.rows.map(({ when }) => when)).toEqual([{ model: 'a' }, { model: 'new' }]);
});
