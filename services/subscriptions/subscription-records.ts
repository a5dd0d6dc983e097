import { unpaused } from '../../billing/periods/pauses.ts';
import {
  type SwitchedPeriod,
  switchedIn,
  type UsageWindow,
  unitsUsed,
  windowsOfMetric,
} from '../../billing/periods/usage-windows.ts';
import { type PrepaidBalance, prepaidBalance } from '../../billing/subscriptions/prepaid-balance.ts';
import type { Subscription, SubscriptionRecord } from '../../billing/subscriptions/subscription.ts';
import { notFound } from '../../core/domain-error.ts';
import { LeftOut, leftOut } from '../../core/left-out.ts';
import { MOST_LISTED } from '../../runtime/exact-json.ts';
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

/** Add-ons, and prepaid units, that the record of one subscription has at most: it would be larger than an answer. */
const MOST_IN_RECORD = 30_000;

/**
 * The records of these subscriptions: with their add-ons, and with how much of their prepaid units is used in their
 * current period. However many they are, it takes a few statements; usage is needed only where units are prepaid. A subscription
 * with more than `most` add-ons, or metrics with prepaid units, comes without them.
 */
export async function loadSubscriptionRecords(
  { tx, usage }: Stores,
  accountId: string,
  subscriptions: Subscription[],
  most = MOST_IN_RECORD,
): Promise<SubscriptionRecord[]> {
  if (subscriptions.length === 0) return [];
  const ids = subscriptions.map(({ subscriptionId }) => subscriptionId);
  const addons = await listAttachedAddons(tx, accountId, ids, most);
  const prepaid = await listPrepaidUnits(tx, accountId, ids, most);
  const metricIds = new Set([...prepaid.values()].flatMap((own) => own.map(({ metricId }) => metricId)));
  const metrics = new Map((await findMetrics(tx, accountId, [...metricIds])).map((one) => [one.metricId, one]));
  const prepaying = subscriptions.filter(({ subscriptionId }) => (prepaid.get(subscriptionId) ?? []).length > 0);
  const idsOf = (some: Subscription[]) => some.map(({ subscriptionId }) => subscriptionId);
  const pauses = prepaying.length === 0 ? new Map() : await listPausesOf(tx, accountId, idsOf(prepaying));
  const inFirst = prepaying.filter(({ currentPeriod }) => currentPeriod.billing.index === 0);
  const switched = await listSwitchedPeriods(tx, accountId, idsOf(inFirst));
  const asked = prepaying.flatMap((subscription) => {
    const { subscriptionId, customerId, currentPeriod } = subscription;
    const switchedHere = switchedIn(switched.get(subscriptionId) ?? null, currentPeriod);
    return (prepaid.get(subscriptionId) ?? []).map(({ metricId, units }) => {
      const metric = metrics.get(metricId);
      if (!metric) throw new Error(`metric ${metricId} is missing`);
      const windows = windowsOf(subscription, metricId, switchedHere);
      const questions = windows.map((window): CustomerQuestion => {
        const of = { accountId, customerId, metric, timeZone: currentPeriod.timeZone };
        return { ...of, ...unpaused(window, pauses.get(subscriptionId) ?? []) };
      });
      return { subscriptionId, metricId, units, windows, questions };
    });
  });
  const values = usage.valuesOf(asked.flatMap(({ questions }) => questions));
  let answered = 0;
  const balances = asked.map(({ subscriptionId, metricId, units, windows }) => {
    const used = unitsUsed(windows, values.slice(answered, answered + windows.length));
    answered += windows.length;
    return { subscriptionId, balance: prepaidBalance(metricId, units, used) };
  });
  const balancesOf = Map.groupBy(balances, ({ subscriptionId }) => subscriptionId);
  return subscriptions.map((subscription) => {
    const { subscriptionId } = subscription;
    const units = prepaid.get(subscriptionId);
    const own = (balancesOf.get(subscriptionId) ?? []).map(({ balance }) => balance);
    const prepaidUnits = units instanceof LeftOut ? leftOut<PrepaidBalance>(units.entryCount) : own;
    return { ...subscription, addons: addons.get(subscriptionId) ?? [], prepaidUnits };
  });
}

/** As {@link loadSubscriptionRecords}, of one subscription. */
export async function loadSubscriptionRecord(
  stores: Stores,
  accountId: string,
  subscription: Subscription,
): Promise<SubscriptionRecord> {
  const [record] = await loadSubscriptionRecords(stores, accountId, [subscription]);
  if (!record) throw new Error('a subscription has no record');
  return record;
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
  return { ...page, results: await loadSubscriptionRecords(stores, accountId, page.results, MOST_LISTED) };
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
