import type { Account } from '../../../billing/accounts/account.ts';
import { PERIOD_DAYS, periodOf } from '../../../billing/periods/periods.ts';
import { nextBoundary } from '../../../billing/periods/schedule.ts';
import { planInstant } from '../../../billing/subscriptions/cancel.ts';
import { initialSubscriptionStatus } from '../../../billing/subscriptions/states.ts';
import type { CancelTerms, Customer, Plan, Subscription } from '../../../billing/subscriptions/subscription.ts';
import type { Decimal } from '../../../core/decimal.ts';
import { conflict, contradiction, invalid, notFound } from '../../../core/domain-error.ts';
import { newId } from '../../../core/ids.ts';
import { addDays, type Instant, type LocalDate, localDateAt } from '../../../core/instants.ts';
import { issueOpeningInvoice } from '../../../services/invoices/issue-opening-invoice.ts';
import { loadSubscriptionRecord } from '../../../services/subscriptions/subscription-records.ts';
import { withUsage } from '../../../services/usage/answered-usage.ts';
import { loadAccount } from '../../../sql/postgres/accounts/accounts.ts';
import { findMetric } from '../../../sql/postgres/catalog/metrics.ts';
import { findPlan } from '../../../sql/postgres/catalog/plans.ts';
import { lockCustomerForShare } from '../../../sql/postgres/customers/customers.ts';
import { planBoundary } from '../../../sql/postgres/due-steps.ts';
import { insertOutboxEvent } from '../../../sql/postgres/outbox.ts';
import { type Transaction, violates } from '../../../sql/postgres/postgres.ts';
import { insertPeriod } from '../../../sql/postgres/subscriptions/periods.ts';
import { insertPrepaidUnits } from '../../../sql/postgres/subscriptions/prepaid-units.ts';
import { insertSubscription } from '../../../sql/postgres/subscriptions/subscriptions.ts';
import { assertClockReady } from '../../../sql/postgres/subscriptions/test-clocks.ts';
import { subscriptionCreate, subscriptionToWire, subscriptionWire } from '../../../wire/subscriptions.ts';
import { operation } from '../../operation.ts';

export const createSubscription = operation({
  id: 'createSubscription',
  method: 'post',
  path: '/api/subscriptions',
  tag: 'Subscriptions',
  summary: 'Subscribe a customer to a plan',
  description:
    'It is active at once, or pending until a later start_date; a start up to one period back counts usage since then. What is due at the very start (a fee in advance, prepaid units) is on an opening invoice.',
  scope: 'write',
  body: subscriptionCreate,
  success: 201,
  response: subscriptionWire,
  errors: [404, 409],
  run: ({ caller: { accountId }, body, now, write }, { clickhouse }) =>
    withUsage(clickhouse, (usage) =>
      write(async (tx) => {
        const customer = await lockCustomerForShare(tx, accountId, body.customer_id);
        if (!customer) throw notFound(`customer ${body.customer_id}`);
        const at = (await assertClockReady(tx, accountId, customer.testClockId)) ?? now;
        const plan = await findSubscribablePlan(tx, accountId, body, customer);
        const prepaid = await findPrepaidUnits(tx, accountId, plan, body.prepaid_units);
        const subscription = newSubscription(customer, plan, body, at);
        const { subscriptionId } = subscription;
        await insertSubscription(tx, accountId, subscription).catch((error) => {
          if (!violates(error, 'subscriptions_one_live')) throw error;
          throw conflict(`The customer already has a live subscription to plan ${plan.planId}.`);
        });
        await insertPeriod(tx, accountId, subscriptionId, subscription.currentPeriod);
        for (const units of prepaid) await insertPrepaidUnits(tx, accountId, subscriptionId, units);
        const account = await loadAccount(tx, accountId);
        await planFirstStep(tx, account, customer, subscription);
        const wire = subscriptionToWire(await loadSubscriptionRecord({ tx, usage }, accountId, subscription));
        const subject = `subscription/${subscriptionId}`;
        await insertOutboxEvent(tx, { accountId, type: 'subscription.created', subject, data: wire });
        if (subscription.status === 'active')
          await issueOpeningInvoice(tx, { account, customer, subscription, now: at });
        return wire;
      }),
    ),
});

async function findSubscribablePlan(
  tx: Transaction,
  accountId: string,
  body: { plan_id: string; version?: number | undefined },
  customer: Customer,
): Promise<Plan> {
  const latest = await findPlan(tx, accountId, body.plan_id);
  if (!latest) throw notFound(`plan ${body.plan_id}`);
  const plan = body.version === undefined ? latest : await findPlan(tx, accountId, body.plan_id, body.version);
  if (!plan) throw invalid({ version: [`The plan's versions are 1 to ${latest.version}.`] });
  if (plan.status === 'archived') throw conflict(`Plan ${plan.planId} is archived and takes no new subscriptions.`);
  if (plan.currency !== customer.currency) {
    throw contradiction(`The plan is in ${plan.currency}, the customer is billed in ${customer.currency}.`);
  }
  return plan;
}

/**
 * The units a subscription prepays by its own choice.
 * @throws DomainError `not_found` for an unknown metric, `invalid` for one that the plan does not bill.
 */
async function findPrepaidUnits(
  tx: Transaction,
  accountId: string,
  plan: Plan,
  wanted: { metric_id: string; units: Decimal }[],
) {
  for (const [i, { metric_id }] of wanted.entries()) {
    if (plan.components.some(({ metricId }) => metricId === metric_id)) continue;
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

type Wanted = {
  start_date?: LocalDate | undefined;
  end_date?: LocalDate | undefined;
  auto_renew: boolean;
  metadata: Record<string, string>;
};

function newSubscription(customer: Customer, plan: Plan, body: Wanted, at: Instant): Subscription {
  const today = localDateAt(at, customer.timeZone);
  const startDate = body.start_date ?? today;
  if (startDate < addDays(today, -PERIOD_DAYS[plan.billingPeriod])) {
    throw invalid({ start_date: ['Must not be more than one billing period in the past.'] });
  }
  const { timeZone } = customer;
  const currentPeriod = periodOf({ startDate, billingPeriod: plan.billingPeriod, timeZone }, 0);
  const endDate = body.end_date ?? null;
  if (endDate !== null && (endDate < startDate || endDate < today)) {
    throw invalid({ end_date: ['Must not be before the start date, and not in the past.'] });
  }
  const cancelAt = endDate === null ? null : planInstant(endDate, currentPeriod, timeZone);
  return {
    subscriptionId: newId('sub'),
    customerId: customer.customerId,
    planId: plan.planId,
    version: plan.version,
    versionId: plan.versionId,
    status: initialSubscriptionStatus(startDate, today),
    startDate,
    endDate,
    autoRenew: body.auto_renew,
    billingPeriod: plan.billingPeriod,
    chargeTiming: plan.chargeTiming,
    currentPeriod,
    cancelAt,
    cancelTerms: cancelAt === null ? null : END_DATE_TERMS,
    canceledAt: null,
    cancelReason: null,
    pausedAt: null,
    resumesAt: null,
    billsAt: null,
    pendingChange: null,
    switchAt: null,
    previousSubscriptionId: null,
    replacedBy: null,
    createdAt: at,
    metadata: body.metadata,
  };
}

/** A customer on a test clock has its first boundary on the clock's list; others sleep in their workflow. */
async function planFirstStep(tx: Transaction, account: Account, customer: Customer, subscription: Subscription) {
  const { accountId, invoiceGraceSeconds: graceSeconds } = account;
  const { status, currentPeriod: openPeriod, subscriptionId, cancelAt } = subscription;
  const owner = { accountId, testClockId: customer.testClockId, subscriptionId };
  await planBoundary(tx, owner, nextBoundary({ status, openPeriod, graceSeconds, cancelAt }));
}
