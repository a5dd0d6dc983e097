import { payerIdOf } from '../../billing/accounts/payers.ts';
import { creditOfFewerUnits, isOfUnits } from '../../billing/credits/units-credit.ts';
import { type PartsToCredit, payersOfParts } from '../../billing/decide/parts-credited.ts';
import { decidePrepaidUnits } from '../../billing/decide/prepaid-units.ts';
import type { NewInvoiceLine } from '../../billing/invoices/invoice.ts';
import { unpaused } from '../../billing/periods/pauses.ts';
import type { Period } from '../../billing/periods/periods.ts';
import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import { holdersOf, plansInForce } from '../../billing/periods/segments.ts';
import { switchedIn, unitsUsed, windowsOfMetric } from '../../billing/periods/usage-windows.ts';
import { periodIdOf, unitsKeys, windowIdOf } from '../../billing/settle/charge-keys.ts';
import {
  assertNotBelowUsed,
  type PrepaidChange,
  prepaidChangeLine,
  priceOfPrepaidChange,
} from '../../billing/subscriptions/prepaid-changes.ts';
import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, decimal, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import { findMetricUsages } from '../../sql/clickhouse/metrics/metric-usage.ts';
import { findMetric } from '../../sql/postgres/catalog/metrics.ts';
import { lockCredits } from '../../sql/postgres/credits/credits.ts';
import { loadPayer } from '../../sql/postgres/customers/customers.ts';
import { listPendingItems } from '../../sql/postgres/invoices/pending-items.ts';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { listApplicableDiscounts } from '../../sql/postgres/subscriptions/discounts.ts';
import { listPauses } from '../../sql/postgres/subscriptions/pauses.ts';
import { findUnitsCredited, lockChargedUnits } from '../../sql/postgres/subscriptions/prepaid-units.ts';
import { findSwitchedPeriod } from '../../sql/postgres/subscriptions/switched-periods.ts';
import type { SubscriptionWire } from '../../wire/subscriptions.ts';
import { changed } from '../audit/audited.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { recordPartsCredited } from '../credits/record-parts-credited.ts';
import type { CallDependencies } from '../dependencies.ts';
import { issueInvoice } from '../invoices/issue-invoices.ts';
import { readSubscriptionSnapshot } from '../invoices/load-bills.ts';
import { lockCharged, lockCreditsOfCharged } from '../invoices/lock-charged.ts';
import { lockWaiting } from '../invoices/lock-waiting.ts';
import type { SubscriptionRef } from '../references.ts';
import { loadPendingInvoices } from '../state/load-pending-invoices.ts';
import type { Stores } from '../usage/answered-usage.ts';
import { waitForLanding } from '../usage/wait-for-landing.ts';
import { loadPrepaidChange } from './load-prepaid-change.ts';
import { loadSubscriptionSchedule } from './load-schedule.ts';
import { recordOf, type SubscriptionSnapshot } from './move-subscription.ts';
import { ChangedMeanwhile, isCallDone, performCall, type SubscriptionCall } from './perform-call.ts';

/** `units` as plain decimal text. */
export type PrepaidCall = SubscriptionCall & {
  request: { metricId: string; units: string; invoicingBehavior: 'add_to_next_invoice' | 'invoice_now' };
};

type Call = SubscriptionRef & PrepaidCall;

/** Changes the units prepaid for a metric, from the current period on (spec/prepaid-units#changes). */
export async function changePrepaidUnits(
  dependencies: CallDependencies,
  call: Call,
  cancelled: AbortSignal,
): Promise<SubscriptionSchedule> {
  if (!(await isCallDone(dependencies, call))) {
    const snapshot = await readSubscriptionSnapshot(dependencies, call);
    const at = snapshot.customer.clockTime ?? dependencies.clock.now();
    const { accountId } = call;
    const change = await inTransaction(dependencies.postgres, accountId, (tx) => loadChange(tx, snapshot, call, at));
    if (change.after.lt(change.before) && !change.period.trial) {
      assertNotBelowUsed(change, await countUsed(dependencies, snapshot, change, cancelled));
    }
    await performCall(dependencies, call, 'subscription.prepaid_units_changed', async (stores, locked) => {
      const before = await recordOf(stores, locked);
      const now = await loadChange(stores.tx, locked, call, at);
      // Nothing but this workflow changes units or periods: the usage that was counted is that of this change.
      if (now.period.index !== change.period.index || !now.before.eq(change.before)) {
        throw new ChangedMeanwhile(call.subscriptionId);
      }
      return changed(before, await saveChange(stores, locked, now, call, at));
    });
  }
  return loadSubscriptionSchedule(dependencies, call);
}

function loadChange(
  tx: Transaction,
  snapshot: SubscriptionSnapshot,
  { accountId, request }: Call,
  at: Instant,
): Promise<PrepaidChange> {
  const wanted = { metricId: request.metricId, units: decimal(request.units) };
  return loadPrepaidChange(tx, accountId, snapshot, wanted, at);
}

/** The metric in the period of the change, with everything accepted before the call; what is used in a pause is not billed. */
async function countUsed(
  dependencies: CallDependencies,
  { account: { accountId }, customer }: SubscriptionSnapshot,
  { subscriptionId, plan, component, period }: PrepaidChange,
  cancelled: AbortSignal,
): Promise<Decimal> {
  const upTo = await dependencies.progress.lastAcceptedPosition();
  await waitForLanding(dependencies, upTo, cancelled);
  const { metricId } = component;
  const { metric, pauses, switched } = await inTransaction(dependencies.postgres, accountId, async (tx) => ({
    metric: await findMetric(tx, accountId, metricId),
    pauses: await listPauses(tx, accountId, subscriptionId),
    switched: await findSwitched(tx, accountId, subscriptionId, period),
  }));
  if (!metric) throw new Error(`metric ${metricId} is missing`);
  const windows = windowsOfMetric(switched, plan, metricId, period);
  const of = { accountId, customerId: customer.customerId, timeZone: period.timeZone, metric, upTo };
  const questions = windows.map((window) => ({ ...of, ...unpaused(window, pauses) }));
  const values = (await findMetricUsages(dependencies, questions)).map(({ value }) => value);
  return unitsUsed(windows, values);
}

/** What switches have left to the period; they lie in a subscription's first one. */
async function findSwitched(tx: Transaction, accountId: string, subscriptionId: string, period: Period) {
  if (period.billing.index > 0) return null;
  return switchedIn(await findSwitchedPeriod(tx, accountId, subscriptionId), period);
}

/**
 * Stores the units, and charges or credits the difference if the units of the period have been charged. If they have not, the invoice
 * of the period charges the new units.
 */
async function saveChange(
  stores: Stores,
  snapshot: SubscriptionSnapshot,
  change: PrepaidChange,
  call: Call,
  at: Instant,
): Promise<SubscriptionWire> {
  const { tx } = stores;
  const { account, customer, subscription } = snapshot;
  const { subscriptionId, period } = change;
  const { exponent } = currencyOf(customer.currency);
  const isCharged = period.index === subscription.currentPeriod.index && !(await isOpeningPending(tx, snapshot));
  const difference = isCharged ? priceOfPrepaidChange(change, exponent) : ZERO;
  const line = difference.gt(0) ? prepaidChangeLine(change, exponent) : null;
  const isInvoicedNow = call.request.invoicingBehavior === 'invoice_now';
  if (line && isInvoicedNow) {
    const charged = { kind: 'proration', pending: [line] } as const;
    const wanted = { subscriptionId, period, charged, operationId: call.operationId };
    await issueInvoice(tx, { account, customer, now: at, by: 'call' }, wanted);
  }
  const credit = difference.lt(0) ? await lockUnitsCredit(tx, snapshot, change, difference.negated(), at) : null;
  const input = { customer, change, nextLine: isInvoicedNow ? null : line, credit, at };
  const changes = decidePrepaidUnits(input);
  const ids = await saveChanges(tx, account.accountId, changes);
  if (credit) {
    const charged = { keys: credit.keys, changes, ids };
    await recordPartsCredited(tx, account.accountId, customer, credit.parts, charged);
  }
  return recordOf(stores, snapshot);
}

/** Whether the invoice that charges the units of the current period is still pending: it charges those that hold then. */
async function isOpeningPending(tx: Transaction, { account, customer, subscription }: SubscriptionSnapshot) {
  const { subscriptionId, currentPeriod } = subscription;
  const pending = await loadPendingInvoices(tx, account.accountId, [customer.customerId], [subscription]);
  return pending.some(({ owner, period, successor }) => {
    const isOurs = owner.subscriptionId === subscriptionId || successor?.subscriptionId === subscriptionId;
    return isOurs && period.endsAt === currentPeriod.startsAt;
  });
}

/** Loads what fewer units credit of earlier charges, with the keys of these, and locks the invoices, pending items and credits that this concerns. */
async function lockUnitsCredit(
  tx: Transaction,
  { account: { accountId }, customer, subscription }: SubscriptionSnapshot,
  { subscriptionId, component: { metricId }, metricName, period }: PrepaidChange,
  wanted: Decimal,
  at: Instant,
): Promise<PartsToCredit & { keys: readonly string[] }> {
  const { customerId, currency } = customer;
  const { taxRate: rateOfNow } = await loadPayer(tx, accountId, customer);
  const switched = await findSwitched(tx, accountId, subscriptionId, period);
  const subscriptionIds = holdersOf(plansInForce(subscription, period, switched));
  const { startsAt, index: fromPeriod } = period;
  const isOf = (line: NewInvoiceLine) => isOfUnits(line, { subscriptionIds, metricId, startsAt });
  const pending = await listPendingItems(tx, accountId, customerId, { lock: false });
  const charged = await lockCharged(tx, { accountId, customer, now: at, isOf }, () =>
    lockChargedUnits(tx, accountId, customerId, { subscriptionIds, metricId, startsAt }),
  );
  await lockCreditsOfCharged(tx, accountId, customer, charged);
  await lockWaiting(tx, accountId, customer, pending, isOf);
  const waiting = pending.lines.filter(isOf);
  const credited = await findUnitsCredited(tx, accountId, subscriptionId, { metricId, fromPeriod });
  const discounts = customer.hasDiscounts ? await listApplicableDiscounts(tx, accountId, [customerId]) : [];
  const places = currencyOf(currency).exponent;
  const units = { charged, waiting, credited, discounts, rateOfNow, places };
  const { parts, ofLines } = creditOfFewerUnits(wanted, units);
  await lockCredits(tx, accountId, [payerIdOf(customer), ...payersOfParts(customer, parts)]);
  const periodId = periodIdOf(subscriptionIds[0] ?? subscription.subscriptionId, period.billing.startsAt);
  const keys = [unitsKeys(periodId, windowIdOf(period), metricId)];
  return { parts, description: `${metricName}: fewer prepaid units`, pending, ofLines, keys };
}
