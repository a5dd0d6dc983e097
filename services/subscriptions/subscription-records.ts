import { unpaused } from '../../billing/periods/pauses.ts';
import {
  type SwitchedPeriod,
  switchedIn,
  type UsageWindow,
  unitsUsed,
  windowsOfMetric,
} from '../../billing/periods/usage-windows.ts';
import { prepaidBalance } from '../../billing/subscriptions/prepaid-balance.ts';
import type { Subscription, SubscriptionRecord } from '../../billing/subscriptions/subscription.ts';
import { notFound } from '../../core/domain-error.ts';
import type { CustomerQuestion } from '../../sql/clickhouse/metrics/metric-by-customer.ts';
import { findMetrics } from '../../sql/postgres/catalog/metrics.ts';
import type { PageOf, PageWindow } from '../../sql/postgres/page-window.ts';
import { listAttachedAddons } from '../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { listPausesOf } from '../../sql/postgres/subscriptions/pauses.ts';
import { listPrepaidUnits } from '../../sql/postgres/subscriptions/prepaid-units.ts';
import { listSubscriptions, type SubscriptionFilter } from '../../sql/postgres/subscriptions/shown-subscriptions.ts';
import { findSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { listSwitchedPeriods } from '../../sql/postgres/subscriptions/switched-periods.ts';
import type { SubscriptionRef } from '../references.ts';
import type { Stores } from '../usage/answered-usage.ts';

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
  const inFirst = subscriptions.filter(({ currentPeriod }) => prepaid.length > 0 && currentPeriod.billing.index === 0);
  const switched = await listSwitchedPeriods(
    tx,
    accountId,
    inFirst.map(({ subscriptionId }) => subscriptionId),
  );
  const asked = prepaid.map(({ subscriptionId, metricId, units }) => {
    const subscription = find(subscriptions, (one) => one.subscriptionId === subscriptionId);
    const metric = find(metrics, (one) => one.metricId === metricId);
    const { customerId, currentPeriod } = subscription;
    const windows = windowsOf(subscription, metricId, switchedIn(switched.get(subscriptionId) ?? null, currentPeriod));
    const questions = windows.map((window): CustomerQuestion => {
      const of = { accountId, customerId, metric, timeZone: currentPeriod.timeZone };
      return { ...of, ...unpaused(window, pauses.get(subscriptionId) ?? []) };
    });
    return { subscriptionId, metricId, units, windows, questions };
  });
  const values = usage.valuesOf(asked.flatMap(({ questions }) => questions));
  const balances = asked.map(({ subscriptionId, metricId, units, windows }) => {
    const used = unitsUsed(windows, values.splice(0, windows.length));
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

/** The record of a subscription. @throws DomainError `not_found` */
export async function findSubscriptionRecord(
  stores: Stores,
  { accountId, subscriptionId }: SubscriptionRef,
): Promise<SubscriptionRecord> {
  const subscription = await findSubscription(stores.tx, accountId, subscriptionId);
  if (!subscription) throw notFound(`subscription ${subscriptionId}`);
  return loadSubscriptionRecord(stores, accountId, subscription);
}

/** One page of an account's subscriptions. */
export async function listSubscriptionRecords(
  stores: Stores,
  accountId: string,
  filter: SubscriptionFilter,
  window: PageWindow,
): Promise<PageOf<SubscriptionRecord>> {
  const page = await listSubscriptions(stores.tx, accountId, filter, window);
  return { ...page, results: await loadSubscriptionRecords(stores, accountId, page.results) };
}

/**
 * Usage of a metric in the current period as it is billed; of a subscription that has ended, up to its end (spec/events#acceptance:
 * "outside its life").
 */
function windowsOf(subscription: Subscription, metricId: string, switched: SwitchedPeriod | null): UsageWindow[] {
  const { startsAt, endsAt, trial } = subscription.currentPeriod;
  // Units are paid for from its end on.
  if (trial) return [];
  const end = Math.min(endsAt, subscription.ended?.at ?? endsAt);
  return windowsOfMetric(switched, subscription, metricId, { startsAt, endsAt: end });
}

function find<T>(all: readonly T[], matches: (one: T) => boolean): T {
  const found = all.find(matches);
  if (found === undefined) throw new Error('a part of a subscription is missing');
  return found;
}
