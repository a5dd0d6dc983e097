import { type UseOfPeriod, unitsUsed, useOfPeriod } from '../billing/carried-period.ts';
import { type Pause, pausedIntervals } from '../billing/pauses.ts';
import { prepaidBalance } from '../billing/prepaid-balance.ts';
import type { Subscription, SubscriptionRecord } from '../billing/subscription.ts';
import { listAttachedAddons } from './addon-subscriptions.ts';
import type { Stores } from './answered-usage.ts';
import { listCarriedPeriods } from './carried-periods.ts';
import type { CustomerQuestion } from './metric-by-customer.ts';
import { findMetrics } from './metrics.ts';
import { listPausesOf } from './pauses.ts';
import type { Transaction } from './postgres.ts';
import { listPrepaidUnits } from './prepaid-units.ts';

/**
 * The records of these subscriptions: with their add-ons, and with how much of their prepaid units is used in their
 * current period. However many they are, it takes a few statements; usage is needed only where units are prepaid.
 */
export async function loadSubscriptionRecords(
  { tx, usage }: Stores,
  accountId: string,
  subscriptions: Subscription[],
): Promise<SubscriptionRecord[]> {
  if (subscriptions.length === 0) return [];
  const ids = subscriptions.map(({ subscriptionId }) => subscriptionId);
  const addons = await listAttachedAddons(tx, accountId, ids);
  const prepaid = await listPrepaidUnits(tx, accountId, ids);
  const metrics = await findMetrics(tx, accountId, [...new Set(prepaid.map(({ metricId }) => metricId))]);
  const pauses = prepaid.length === 0 ? new Map() : await listPausesOf(tx, accountId, ids);
  const zones = prepaid.length === 0 ? new Map() : await findTimeZones(tx, accountId, subscriptions);
  const inFirst = subscriptions.filter(({ currentPeriod }) => prepaid.length > 0 && currentPeriod.index === 0);
  const carried = await listCarriedPeriods(
    tx,
    accountId,
    inFirst.map(({ subscriptionId }) => subscriptionId),
  );
  const asked = prepaid.map(({ subscriptionId, metricId, units }) => {
    const subscription = find(subscriptions, (one) => one.subscriptionId === subscriptionId);
    const metric = find(metrics, (one) => one.metricId === metricId);
    const timeZone = zones.get(subscription.customerId) ?? 'UTC';
    const use = useOfPeriod(carried.get(subscriptionId) ?? null, metricId, subscription.currentPeriod.startsAt);
    const questions = questionsOf({ accountId, metric, timeZone }, subscription, pauses.get(subscriptionId) ?? [], use);
    return { subscriptionId, metricId, units, use, questions };
  });
  const values = usage.valuesOf(asked.flatMap(({ questions }) => questions));
  const balances = asked.map(({ subscriptionId, metricId, units, use, questions }) => {
    const used = unitsUsed(use, metricId, values.splice(0, questions.length));
    return { subscriptionId, balance: prepaidBalance(metricId, units, used) };
  });
  return subscriptions.map((subscription) => ({
    ...subscription,
    addons: addons.filter(({ subscriptionId }) => subscriptionId === subscription.subscriptionId),
    prepaidUnits: balances
      .filter(({ subscriptionId }) => subscriptionId === subscription.subscriptionId)
      .map(({ balance }) => balance),
  }));
}

/** As {@link loadSubscriptionRecords}, of one subscription. */
export async function loadSubscriptionRecord(
  stores: Stores,
  accountId: string,
  subscription: Subscription,
): Promise<SubscriptionRecord> {
  return find(await loadSubscriptionRecords(stores, accountId, [subscription]), () => true);
}

/**
 * Usage in the current period but for pauses, as it is billed: before switches, and since; of a subscription that has ended,
 * up to its end (spec/events#acceptance: "outside its life").
 */
function questionsOf(
  scope: Pick<CustomerQuestion, 'accountId' | 'metric' | 'timeZone'>,
  { customerId, currentPeriod, canceledAt }: Subscription,
  pauses: readonly Pause[],
  { earlier, startsAt }: UseOfPeriod,
): CustomerQuestion[] {
  const endsAt = Math.max(startsAt, Math.min(currentPeriod.endsAt, canceledAt ?? currentPeriod.endsAt));
  return [...earlier, { startsAt, endsAt }].map(({ startsAt: start, endsAt: end }) => {
    return { ...scope, customerId, start, end, excluded: pausedIntervals(pauses, end) };
  });
}

async function findTimeZones(tx: Transaction, accountId: string, subscriptions: Subscription[]) {
  const { rows } = await tx.query<{ customer_id: string; timezone: string }>(
    'SELECT customer_id, timezone FROM customers WHERE account_id = $1 AND customer_id = ANY($2)',
    [accountId, subscriptions.map(({ customerId }) => customerId)],
  );
  return new Map(rows.map((row) => [row.customer_id, row.timezone]));
}

function find<T>(all: readonly T[], matches: (one: T) => boolean): T {
  const found = all.find(matches);
  if (found === undefined) throw new Error('a part of a subscription is missing');
  return found;
}
