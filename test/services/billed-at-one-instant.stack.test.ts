import { beforeEach, expect, test } from 'vitest';
import type { Pause } from '../../billing/periods/pauses.ts';
import type { Period } from '../../billing/periods/periods.ts';
import { limitedBefore } from '../../billing/state/billing-rules.ts';
import { closingBoundary, nextPeriod } from '../../billing/subscriptions/closing-boundaries.ts';
import { decimal } from '../../core/decimal.ts';
import { addDays, type Instant, startOfLocalDay } from '../../core/instants.ts';
import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import { createMetric } from '../../services/catalog/create-metric.ts';
import { createPlan } from '../../services/catalog/create-plan.ts';
import { createCustomer } from '../../services/customers/create-customer.ts';
import { billBoundary } from '../../services/invoices/bill-boundaries.ts';
import { issueInvoice } from '../../services/invoices/issue-invoices.ts';
import { issueSections } from '../../services/invoices/issue-sections.ts';
import { loadBillingRules } from '../../services/state/load-billing-rules.ts';
import { createSubscription } from '../../services/subscriptions/create-subscription.ts';
import { loadSubscriptionSnapshot } from '../../services/subscriptions/move-subscription.ts';
import { addUsage, type Transactions } from '../../services/transactions.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { loadCreditedBack } from '../../sql/postgres/credits/given-as-credit.ts';
import { inReading, inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { customerCreate } from '../../wire/customers.ts';
import { metricCreate } from '../../wire/metrics.ts';
import { planCreate } from '../../wire/plans.ts';
import { subscriptionCreate } from '../../wire/subscriptions/new-subscription.ts';
import { newAccount, withPostgres } from '../stack/accounts.ts';

/** Usage months that are billed at one instant, as behind a pause, of a customer alone and of one that is billed to another (spec/invoices#sections). */

const NO_PROCESSORS = { connections: { find: async () => undefined }, log: createLog('test', 'silent') };

let accountId: string;
let now: Instant;
beforeEach(async () => {
  ({ accountId } = await newAccount());
  now = systemClock.now();
});

function withRecords<T>(work: (transactions: Transactions) => Promise<T>): Promise<T> {
  return withPostgres(async (postgres) => {
    const nowhere = createClickHouse('http://127.0.0.1:1', undefined);
    const done = await work(
      addUsage(nowhere, {
        read: (reading) => inReading(postgres, accountId, reading),
        write: (writing) => inTransaction(postgres, accountId, async (tx) => (await writing(tx)).answer),
      }),
    );
    await nowhere.close();
    return done;
  });
}

const inRecords = <T>(work: (tx: Transaction) => Promise<T>) =>
  withPostgres((postgres) => inTransaction(postgres, accountId, work));

/** A quarter in arrears by usage months, without a fee, 10 a call. */
function subscribe(limits: object, customerIds: readonly string[]): Promise<Map<string, string>> {
  return withRecords(async (transactions) => {
    const { write, writeWithUsage } = transactions;
    const calls = metricCreate.parse({ metric_name: 'Calls', aggregation_type: 'count', event_name: 'call' });
    const { metric_id } = await write((tx) => createMetric(tx, accountId, calls, now));
    const months = { name: 'Quarter', recurring_fee: decimal(0), billing_period: 'quarterly', usage_period: 'monthly' };
    const components = [{ metric_id, overage_price: decimal(10) }];
    const { plan_id } = await write((tx) =>
      createPlan(tx, accountId, planCreate.parse({ ...months, ...limits, components }), { now }),
    );
    const subscribed = new Map<string, string>();
    for (const customer_id of ['payer', ...customerIds]) {
      const billed_to = customer_id === 'child' ? 'payer' : null;
      const wanted = customerCreate.parse({ customer_id, email: 'billing@acme.example', billed_to });
      await createCustomer(transactions, NO_PROCESSORS, accountId, wanted, now);
      if (customer_id === 'payer') continue;
      const to = subscriptionCreate.parse({ customer_id, plan_id });
      const made = await writeWithUsage((stores) => createSubscription(stores, accountId, to, now));
      subscribed.set(customer_id, made.subscription_id);
    }
    return subscribed;
  });
}

/** Bills usage months from `period` on, by their calls, one after another in one transaction; answers the month behind them. */
function billMonths(
  subscriptionId: string,
  { calls, from, pauses = [] }: { calls: readonly number[]; from?: Period; pauses?: readonly Pause[] },
): Promise<Period> {
  return inRecords(async (tx) => {
    const { account, customer, subscription } = await loadSubscriptionSnapshot(tx, accountId, subscriptionId);
    const rules = await loadBillingRules(tx, accountId, [subscription]);
    let period = from ?? subscription.currentPeriod;
    for (const count of calls) {
      const next = nextPeriod({ ...subscription, currentPeriod: period }, customer, null);
      if (!next) throw new Error('a subscription that renews ends');
      const closed = { subscription, closure: { pauses } };
      const { by } = closingBoundary(closed, rules, { period, next, ending: null });
      const boundary = by([{ value: decimal(count), eventsCount: decimal(count) }]);
      const billed = { account, customer, now, by: { dueAt: now }, usageCutoff: 0n } as const;
      await billBoundary(tx, billed, boundary, { kind: 'period', making: 'where_due', late: [] });
      period = next;
    }
    return period;
  });
}

/** A day of a billing period, counted from 0. */
function dayOf({ billing, timeZone }: Period, day: number) {
  const on = addDays(billing.startDate, day);
  return { on, at: startOfLocalDay(on, timeZone) };
}

const issueWaiting = () => inRecords((tx) => issueSections(tx, { accountId, payerId: 'payer', dueAt: now }, now));

const issued = (subscriptionId: string) =>
  inRecords(async (tx) => {
    const { rows } = await tx.query<{ line: string }>(
      `SELECT type || ' ' || trim_scale(amount) AS line FROM invoice_lines JOIN invoices i USING (account_id, invoice_id)
       WHERE account_id = $1 AND invoice_lines.subscription_id = $2 AND amount <> 0 ORDER BY i.seq, ordinal`,
      [accountId, subscriptionId],
    );
    return rows.map(({ line }) => line);
  });

test.each([
  ['maximum', { maximum_amount: decimal(100) }, ['usage 90', 'usage 30', 'true_up -20', 'usage 10', 'true_up -10']],
  ['minimum', { minimum_amount: decimal(225) }, ['usage 90', 'usage 30', 'usage 10', 'true_up 95']],
])(
  'a plan that has a %s counts months that wait as sections, and each once when they are issued',
  async (_of, limits, lines) => {
    const subscribed = await subscribe(limits, ['alone', 'child']);
    for (const subscriptionId of subscribed.values()) {
      const third = await billMonths(subscriptionId, { calls: [9, 3] });
      await issueWaiting();
      await billMonths(subscriptionId, { calls: [1], from: third });
      await issueWaiting();
      expect(await issued(subscriptionId)).toEqual(lines);
    }
  },
);

test('of a quarter of at least 225, paused from day 40 of 90, 100 are billed by a resume behind its end, as drafted', async () => {
  const subscribed = await subscribe({ minimum_amount: decimal(225) }, ['alone', 'child']);
  for (const subscriptionId of subscribed.values()) {
    const second = await billMonths(subscriptionId, { calls: [5] });
    await issueWaiting();
    const [paused, resumed] = [dayOf(second, 40), dayOf(second, 100)];
    const pauses = [{ pausedAt: paused.at, pausedOn: paused.on, resumedAt: resumed.at, resumedOn: resumed.on }];
    const third = await billMonths(subscriptionId, { calls: [2], from: second, pauses });
    const drafted = await inRecords(async (tx) => {
      const { subscription } = await loadSubscriptionSnapshot(tx, accountId, subscriptionId);
      const rules = await loadBillingRules(tx, accountId, [subscription]);
      return limitedBefore(rules, [subscriptionId], third).charged.toFixed();
    });
    expect(drafted).toBe('70');
    await billMonths(subscriptionId, { calls: [0], from: third, pauses });
    await issueWaiting();
    expect(await issued(subscriptionId)).toEqual(['usage 50', 'usage 20', 'true_up 30']);
  }
});

test('what a section gives back of an invoice is not left for others, and counts once when it is issued', async () => {
  const [subscriptionId = ''] = (await subscribe({}, ['child'])).values();
  const invoiceProration = (billedDays: number, more: object, by: 'call' | { dueAt: Instant }) =>
    inRecords(async (tx) => {
      const { account, customer, subscription } = await loadSubscriptionSnapshot(tx, accountId, subscriptionId);
      const { currentPeriod: period, planId, version } = subscription;
      const { startsAt: periodStart, endsAt: periodEnd } = period;
      const ofPlans = {
        subscriptionId,
        planId,
        version,
        periodStart,
        periodEnd,
        planName: 'Pro',
        oldPlanName: 'Quarter',
      };
      const proration = { ...ofPlans, difference: decimal(90), billedDays, days: 90, ...more };
      const charged = { kind: 'proration' as const, prorations: [proration] };
      return issueInvoice(tx, { account, customer, now, by }, { subscriptionId, period, charged });
    });
  const { invoiceId } = await invoiceProration(20, {}, 'call');
  const given = async () =>
    (await inRecords((tx) => loadCreditedBack(tx, accountId, invoiceId ?? ''))).given.toFixed(2);
  expect(await given()).toBe('0.00');
  await invoiceProration(-5, { givenBackOf: invoiceId, chargedRate: decimal(0) }, { dueAt: now });
  expect(await given()).toBe('5.00');
  await issueWaiting();
  expect(await issued(subscriptionId)).toEqual(['proration 20', 'proration -5']);
  expect(await given()).toBe('5.00');
});
