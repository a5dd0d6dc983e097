import { assertStaysAlike } from '../../billing/accounts/payers.ts';
import { decideNewSubscription } from '../../billing/decide/begin-subscription.ts';
import { anchorOf, earliestStart } from '../../billing/periods/calendars.ts';
import { type Period, periodOf } from '../../billing/periods/periods.ts';
import { trialEnd, trialEndErrors, trialPeriod } from '../../billing/periods/trials.ts';
import type { SwitchedPeriod } from '../../billing/periods/usage-windows.ts';
import { planInstant } from '../../billing/subscriptions/cancel.ts';
import { assertStartsAfter, usageLeftBy } from '../../billing/subscriptions/earlier-lives.ts';
import { phasesBefore } from '../../billing/subscriptions/phases.ts';
import { NO_PREPAID_UNITS, prepaidUnitsIn, takesPrepaidUnits } from '../../billing/subscriptions/prepaid-changes.ts';
import { initialSubscriptionStatus } from '../../billing/subscriptions/states.ts';
import {
  type CancelTerms,
  type Customer,
  heldTerms,
  type Plan,
  type Subscription,
} from '../../billing/subscriptions/subscription.ts';
import type { Decimal } from '../../core/decimal.ts';
import { conflict, contradiction, type FieldMessages, invalid, notFound } from '../../core/domain-error.ts';
import { newId } from '../../core/ids.ts';
import { type Instant, type LocalDate, localDateAt } from '../../core/instants.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { findMetric } from '../../sql/postgres/catalog/metrics.ts';
import { findPlan, findPlanIn } from '../../sql/postgres/catalog/plans.ts';
import { lockCustomerForShare, lockCustomerForUpdate, updateCustomer } from '../../sql/postgres/customers/customers.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listEarlierLives } from '../../sql/postgres/subscriptions/earlier-lives.ts';
import { assertClockReady } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { overridesOf } from '../../wire/catalog/overrides.ts';
import type { SubscriptionCreate } from '../../wire/subscriptions/new-subscription.ts';
import { type SubscriptionWire, subscriptionToWire } from '../../wire/subscriptions.ts';
import { type Audited, created } from '../audit/audited.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { agreedPlan, storeAgreed } from '../catalog/agree-version.ts';
import { newPriceId } from '../catalog/plan-parts.ts';
import { assertCurrencyMayChange } from '../customers/change-currency.ts';
import { assertCouponExists, redeemCoupon } from '../discounts/redeem-coupon.ts';
import { issueOpeningInvoice } from '../invoices/issue-opening-invoice.ts';
import type { Stores } from '../usage/answered-usage.ts';
import { planNext } from './move-subscription.ts';
import { agreePhases } from './phases/phases.ts';
import { loadSubscriptionRecord } from './subscription-records.ts';

/**
 * Subscribes a customer to a plan. What is due at the very start is on an opening invoice; its workflow is started by the outbox.
 * @throws DomainError `not_found`, `invalid`; `conflict` for an archived plan, a second live subscription to the plan, and while a
 * test clock advances.
 */
export async function createSubscription(
  { tx, usage }: Stores,
  accountId: string,
  wanted: SubscriptionCreate,
  now: Instant,
): Promise<Audited<SubscriptionWire>> {
  const { currency, overrides } = wanted;
  const lock = currency === undefined ? lockCustomerForShare : lockCustomerForUpdate;
  const known = await lock(tx, accountId, wanted.customer_id);
  if (!known) throw notFound(`customer ${wanted.customer_id}`);
  const at = (await assertClockReady(tx, accountId, known.testClockId)) ?? now;
  const offered = await findSubscribablePlan(tx, accountId, wanted, known);
  const customer = currency === undefined ? known : await billedIn(tx, accountId, known, currency);
  const agreed = overrides && (await agreedPlan(tx, accountId, offered, overridesOf(overrides, newPriceId)));
  const plan = agreed ? await storeAgreed(tx, accountId, agreed, at) : offered;
  const prepaid = await findPrepaidUnits(tx, accountId, plan, wanted.prepaid_units);
  for (const coupon of wanted.discounts) await assertCouponExists(tx, accountId, coupon);
  const today = localDateAt(at, customer.timeZone);
  const agreedOn = await agreePhases(tx, accountId, wanted.phases, { plan, today, at });
  const phases = wanted.end_date === undefined ? agreedOn : phasesBefore(agreedOn, wanted.end_date);
  const made = { ...newSubscription(customer, plan, wanted, at), phases };
  const usageLeft = await findUsageLeft(tx, accountId, made, { plan, prepaid, customer });
  const terms = { timeZone: customer.timeZone, prepaid, usageLeft };
  const { subscription, changes } = decideNewSubscription(made, terms);
  const { subscriptionId } = subscription;
  await saveChanges(tx, accountId, changes);
  for (const coupon of wanted.discounts) await redeemCoupon(tx, accountId, { subscription, customer, at }, coupon);
  const account = await loadAccount(tx, accountId);
  await planNext(tx, { account, customer }, [subscriptionId]);
  const data = subscriptionToWire(await loadSubscriptionRecord({ tx, usage }, accountId, subscription));
  const subject = `subscription/${subscriptionId}`;
  await insertOutboxEvent(tx, { accountId, type: 'subscription.created', subject, data });
  const hasDiscounts = customer.hasDiscounts || wanted.discounts.length > 0;
  const opening = { account, customer: { ...customer, hasDiscounts }, subscription, now: at, by: 'call' } as const;
  if (subscription.status === 'active') await issueOpeningInvoice(tx, opening);
  return created(data);
}

/**
 * What earlier subscriptions leave of the usage before the creation (spec/subscriptions#earlier-usage); null for all of it.
 * @throws DomainError `conflict` for a start before the end of an earlier subscription to the same plan
 */
async function findUsageLeft(
  tx: Transaction,
  accountId: string,
  { customerId, planId, startDate, currentPeriod: period, createdAt: at }: Subscription,
  { plan, prepaid, customer }: { plan: Plan; prepaid: { metricId: string; units: Decimal }[]; customer: Customer },
): Promise<SwitchedPeriod | null> {
  const metricIds = plan.components.map(({ metricId }) => metricId);
  const span = { startsAt: period.startsAt, endsAt: at };
  const lives = await listEarlierLives(tx, accountId, { customerId, planId, metricIds }, span);
  assertStartsAfter(lives, { planId, startDate, timeZone: customer.timeZone });
  const choices = prepaid.map((choice) => ({ ...choice, fromPeriod: 0 }));
  return usageLeftBy(lives, { plan, period, at, unitsOf: (component) => prepaidUnitsIn(component, choices, 0) });
}

async function findSubscribablePlan(
  tx: Transaction,
  accountId: string,
  wanted: Pick<SubscriptionCreate, 'plan_id' | 'version' | 'currency'>,
  customer: Customer,
): Promise<Plan> {
  const { plan_id: planId, version = null, currency = customer.currency } = wanted;
  const plan = await findPlanIn(tx, accountId, { planId, version, currency });
  if (!plan) {
    const latest = await findPlan(tx, accountId, planId);
    if (!latest) throw notFound(`plan ${planId}`);
    throw invalid({ version: [`The plan's versions are 1 to ${latest.version}.`] });
  }
  if (plan.status === 'archived') throw conflict(`Plan ${planId} is archived and takes no new subscriptions.`);
  if (plan.currency !== currency) {
    const asked =
      wanted.currency === undefined ? `the customer is billed in ${currency}` : `${currency} is not offered`;
    throw contradiction(`The plan is in ${plan.currency}, ${asked}.`);
  }
  return plan;
}

/** The customer, in the currency that the subscription is asked for in (spec/customers#currency). */
async function billedIn(tx: Transaction, accountId: string, customer: Customer, currency: string): Promise<Customer> {
  if (currency === customer.currency) return customer;
  const changed = { ...customer, currency };
  assertStaysAlike(customer, changed);
  await assertCurrencyMayChange(tx, accountId, customer);
  await updateCustomer(tx, accountId, changed);
  return changed;
}

/**
 * The units a subscription prepays by its own choice.
 * @throws DomainError `not_found` for an unknown metric, `invalid` for one that the plan does not bill.
 */
async function findPrepaidUnits(
  tx: Transaction,
  accountId: string,
  plan: Plan,
  wanted: SubscriptionCreate['prepaid_units'],
) {
  for (const [i, { metric_id }] of wanted.entries()) {
    const component = plan.components.find(({ metricId }) => metricId === metric_id);
    if (component && !takesPrepaidUnits(component))
      throw invalid({ [`prepaid_units.${i}.metric_id`]: [NO_PREPAID_UNITS] });
    if (component) continue;
    if (!(await findMetric(tx, accountId, metric_id))) throw notFound(`metric ${metric_id}`);
    throw invalid({ [`prepaid_units.${i}.metric_id`]: ['Is not billed by the plan.'] });
  }
  return wanted.map(({ metric_id, units }) => ({ metricId: metric_id, units }));
}

/** An end date is a planned cancel with every default (spec/subscriptions#cancel). */
const END_DATE_TERMS: CancelTerms = {
  flatFeeBehavior: 'charge_prorated',
  billUsage: true,
  invoicingBehavior: 'add_to_next_invoice',
};

type Dates = { startDate: LocalDate; endDate: LocalDate | null; endsOn: LocalDate | undefined; today: LocalDate };

/** @throws DomainError `invalid` naming each date that cannot be; `endsOn` is the trial's. */
function assertDates(plan: Plan, { startDate, endDate, endsOn, today }: Dates): void {
  const errors: FieldMessages = endsOn === undefined ? {} : trialEndErrors(endsOn, { startDate, today });
  if (startDate < earliestStart(plan, today)) {
    errors.start_date = ['Must not be more than one billing period in the past.'];
  }
  if (endDate !== null && (endDate < startDate || endDate < today)) {
    errors.end_date = ['Must not be before the start date, and not in the past.'];
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

/** The trial, else the first billing period; of a trial that is over already nobody is told that it will end. */
function firstPeriod(
  plan: Plan,
  { startDate, trialEndsOn, timeZone }: { startDate: LocalDate; trialEndsOn: LocalDate | null; timeZone: string },
  at: Instant,
): Period {
  if (trialEndsOn === null) {
    const { billingPeriod, usagePeriod } = plan;
    return periodOf({ startDate, billingPeriod, usagePeriod, anchorDate: anchorOf(plan, startDate), timeZone }, 0);
  }
  const trial = trialPeriod(plan, { startDate, endDate: trialEndsOn, timeZone });
  return trial.endsAt > at ? trial : { ...trial, trial: { noticeAt: null } };
}

function newSubscription(customer: Customer, plan: Plan, wanted: SubscriptionCreate, at: Instant): Subscription {
  const today = localDateAt(at, customer.timeZone);
  const startDate = wanted.start_date ?? today;
  const { end_date: endDate = null, trial_days: days, trial_ends_at: endsOn } = wanted;
  assertDates(plan, { startDate, endDate, endsOn, today });
  const { timeZone } = customer;
  const trialEndsOn = trialEnd(startDate, { days, endsOn }, plan);
  const currentPeriod = firstPeriod(plan, { startDate, trialEndsOn, timeZone }, at);
  const plannedCancel =
    endDate === null ? null : { ...END_DATE_TERMS, at: planInstant(endDate, currentPeriod, timeZone) };
  return {
    subscriptionId: newId('sub'),
    customerId: customer.customerId,
    ...heldTerms(plan),
    status: initialSubscriptionStatus(startDate, today),
    startDate,
    trialEndsOn,
    phases: [],
    endDate,
    autoRenew: wanted.auto_renew,
    currentPeriod,
    plannedCancel,
    plannedSwitch: null,
    ended: null,
    paused: null,
    billsAt: null,
    previousSubscriptionId: null,
    replacedBy: null,
    createdAt: at,
    metadata: wanted.metadata,
  };
}
