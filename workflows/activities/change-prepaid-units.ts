import { computeInvoice } from '../../billing/compute-invoice.ts';
import { newCredit } from '../../billing/credits.ts';
import { currencyOf } from '../../billing/currencies.ts';
import { type Decimal, decimal, ZERO } from '../../billing/decimal.ts';
import { type Instant, localDateAt } from '../../billing/instants.ts';
import { postFeeGivenBack } from '../../billing/ledger.ts';
import type { SubscriptionCourse } from '../../billing/next-boundary.ts';
import { pausedIntervals } from '../../billing/pauses.ts';
import {
  assertNotBelowUsed,
  type PrepaidChange,
  prepaidChangeLine,
  priceOfPrepaidChange,
  unitsGivenBack,
} from '../../billing/prepaid-changes.ts';
import { newId } from '../../runtime/ids.ts';
import { listCreditsWithRemainder, lockCredits } from '../../sql/credits.ts';
import { loadPrepaidChange } from '../../sql/load-prepaid-change.ts';
import { findMetricUsage } from '../../sql/metric-usage.ts';
import { findMetric } from '../../sql/metrics.ts';
import { listPauses } from '../../sql/pauses.ts';
import { inTransaction, type Transaction } from '../../sql/postgres.ts';
import { findUnitsGivenBack, listChargedUnits, upsertPrepaidChange } from '../../sql/prepaid-units.ts';
import { saveCredit } from '../../sql/save-credit.ts';
import { saveInvoice } from '../../sql/save-invoice.ts';
import { insertWaitingLines, listWaitingLines } from '../../sql/waiting-lines.ts';
import type { SubscriptionWire } from '../../wire/subscriptions.ts';
import type { PrepaidCall, SubscriptionRef } from '../definitions/messages.ts';
import { waitForLanding } from './close-period.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { readHeld } from './load-bills.ts';
import { loadSubscriptionCourse } from './load-subscription-course.ts';
import { type Held, recordOf, type Stores } from './move-subscription.ts';
import { isCallDone, performCall } from './perform-call.ts';

type Call = SubscriptionRef & PrepaidCall;

/** Changes the units prepaid for a metric, from the current period on (contract 7, change-prepaid-units). */
export async function changePrepaidUnits(
  dependencies: ActivityDependencies,
  call: Call,
  cancelled: AbortSignal,
): Promise<SubscriptionCourse> {
  if (!(await isCallDone(dependencies, call))) {
    const held = await readHeld(dependencies, call);
    const at = held.customer.clockTime ?? dependencies.clock.now();
    const { accountId } = call;
    const change = await inTransaction(dependencies.postgres, accountId, (tx) => loadChange(tx, held, call, at));
    if (change.after.lt(change.before)) {
      assertNotBelowUsed(change, await countUsed(dependencies, held, change, cancelled));
    }
    await performCall(dependencies, call, async (stores, locked) => {
      const now = await loadChange(stores.tx, locked, call, at);
      // Nothing but this workflow changes units or periods: the usage that was counted is that of this change.
      if (now.period.index !== change.period.index || !now.before.eq(change.before)) {
        throw new Error(`${call.subscriptionId} was changed meanwhile`);
      }
      return saveChange(stores, locked, now, call, at);
    });
  }
  return loadSubscriptionCourse(dependencies, call);
}

function loadChange(tx: Transaction, held: Held, { accountId, request }: Call, at: Instant): Promise<PrepaidChange> {
  const wanted = { metricId: request.metricId, units: decimal(request.units) };
  return loadPrepaidChange(tx, accountId, held, wanted, at);
}

/** The metric in the period of the change, with everything accepted before the call; what is used in a pause is not billed. */
async function countUsed(
  dependencies: ActivityDependencies,
  { account: { accountId }, customer }: Held,
  { subscriptionId, component, period }: PrepaidChange,
  cancelled: AbortSignal,
): Promise<Decimal> {
  const upTo = await dependencies.progress.lastAcceptedPosition();
  await waitForLanding(dependencies, upTo, cancelled);
  const { metric, pauses } = await inTransaction(dependencies.postgres, accountId, async (tx) => ({
    metric: await findMetric(tx, accountId, component.metricId),
    pauses: await listPauses(tx, accountId, subscriptionId),
  }));
  if (!metric) throw new Error(`metric ${component.metricId} is missing`);
  const { startsAt: start, endsAt: end } = period;
  const { customerId, timeZone } = customer;
  const excluded = pausedIntervals(pauses, end);
  const question = { accountId, customerId, timeZone, metric, start, end, excluded, upTo };
  return (await findMetricUsage(dependencies, question)).value;
}

/**
 * Keeps the units, and charges or gives back the difference for a period that has begun; one that has not is charged when
 * it begins.
 */
async function saveChange(
  stores: Stores,
  held: Held,
  change: PrepaidChange,
  call: Call,
  at: Instant,
): Promise<SubscriptionWire> {
  const { tx } = stores;
  const { account, customer, subscription } = held;
  const { subscriptionId, component, period, after } = change;
  const { metricId } = component;
  const { exponent } = currencyOf(customer.currency);
  const hasBegun = period.index === subscription.currentPeriod.index;
  const difference = hasBegun ? priceOfPrepaidChange(change, exponent) : ZERO;
  if (difference.gt(0)) await charge(tx, held, change, call, at);
  const givenBack = difference.lt(0) ? await giveBack(tx, held, change, difference.negated(), at) : ZERO;
  if (!after.eq(change.before)) {
    const kept = { metricId, units: after, fromPeriod: period.index, at, givenBack };
    await upsertPrepaidChange(tx, account.accountId, subscriptionId, kept);
  }
  return recordOf(stores, held);
}

/** The price difference: on an invoice of its own, or waiting for the customer's next one. */
async function charge(tx: Transaction, held: Held, change: PrepaidChange, call: Call, now: Instant): Promise<void> {
  const { account, customer } = held;
  const { accountId } = account;
  const { customerId, currency, taxRate } = customer;
  const { subscriptionId, period } = change;
  const line = prepaidChangeLine(change, currencyOf(currency).exponent);
  if (call.request.invoicingBehavior === 'add_to_next_invoice') {
    await insertWaitingLines(tx, accountId, { customerId, subscriptionId }, [line], []);
    return;
  }
  await lockCredits(tx, accountId, customerId);
  const invoice = computeInvoice({
    kind: 'proration',
    currency,
    taxRate,
    periodStart: period.startsAt,
    periodEnd: period.endsAt,
    fees: [],
    prepaid: [],
    usages: [],
    waiting: [line],
    credits: await listCreditsWithRemainder(tx, accountId, customerId),
    today: localDateAt(now, customer.timeZone),
  });
  const { operationId } = call;
  await saveInvoice(tx, { account, customer, subscriptionId, periodIndex: period.index, invoice, now, operationId });
}

/** An overpayment credit of what was charged too much, with its tax; returns what of it is not tax. */
async function giveBack(
  tx: Transaction,
  { account: { accountId }, customer }: Held,
  { subscriptionId, component: { metricId }, metricName, period }: PrepaidChange,
  wanted: Decimal,
  now: Instant,
): Promise<Decimal> {
  const { customerId, currency, timeZone } = customer;
  await lockCredits(tx, accountId, customerId);
  const issued = await listChargedUnits(tx, accountId, customerId, { metricId, startsAt: period.startsAt });
  const waiting = (await listWaitingLines(tx, accountId, customerId, { lock: false })).lines
    .filter(
      (line) =>
        ['prepaid_units', 'proration'].includes(line.type) &&
        line.metricId === metricId &&
        line.periodStart === period.startsAt,
    )
    .map(({ amount }) => ({ amount, taxRate: customer.taxRate }));
  const key = { metricId, fromPeriod: period.index };
  const earlier = await findUnitsGivenBack(tx, accountId, subscriptionId, key);
  const back = unitsGivenBack(wanted, [...issued, ...waiting], earlier, currencyOf(currency).exponent);
  if (!back.amount.gt(0)) return ZERO;
  const credit = newCredit({
    creditId: newId('credit'),
    customerId,
    amount: back.amount.plus(back.tax),
    currency,
    reason: 'overpayment_credit',
    description: `${metricName}: fewer prepaid units`,
    expiresAt: null,
    createdAt: now,
  });
  await saveCredit(tx, credit, postFeeGivenBack(back), { accountId, timeZone });
  return back.amount;
}
