import { statusAfterPause } from '../../billing/periods/pauses.ts';
import { type CancelRequest, decideCancel, planInstant } from '../../billing/subscriptions/cancel.ts';
import { nextSubscriptionStatus } from '../../billing/subscriptions/states.ts';
import { decideSwitch, type SwitchRequest } from '../../billing/subscriptions/switch.ts';
import type { Instant, LocalDate } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import type { SwitchPlanBody } from '../../wire/subscriptions/switches.ts';
import type { PrepaidUnitsChange, SubscriptionCancel, SubscriptionPause } from '../../wire/subscriptions.ts';
import { overridesToText } from '../catalog/overrides-text.ts';
import type { SubscriptionRef } from '../references.ts';
import { loadPrepaidChange } from './load-prepaid-change.ts';
import { loadSwitchSubject } from './load-switch.ts';
import { loadSubscriptionNow } from './lock-subscription.ts';

// What a call asks of a subscription's workflow. Each refuses what the records already know to be final, so that nothing is asked of
// the workflow in vain; the workflow judges again. All throw DomainError `not_found`, and `conflict` while a test clock advances.

export async function requestCancel(
  tx: Transaction,
  ref: SubscriptionRef,
  wanted: SubscriptionCancel,
  now: Instant,
): Promise<CancelRequest> {
  const { subscription, customer, at } = await loadSubscriptionNow(tx, ref, now);
  const request = {
    cancelAt: wanted.cancel_at,
    flatFeeBehavior: wanted.flat_fee_behavior,
    billUsage: wanted.bill_usage,
    invoicingBehavior: wanted.invoicing_behavior,
  };
  decideCancel(subscription, request, { at, timeZone: customer.timeZone });
  return request;
}

export async function requestPause(tx: Transaction, ref: SubscriptionRef, wanted: SubscriptionPause, now: Instant) {
  const { subscription, customer, at } = await loadSubscriptionNow(tx, ref, now);
  const { resumes_at: moment } = wanted;
  const instantOf = (date: LocalDate) => planInstant(date, subscription.currentPeriod, customer.timeZone);
  const resumesAt = moment && ('date' in moment ? instantOf(moment.date) : moment.instant);
  statusAfterPause(subscription.status, resumesAt, at);
  return { resumesAt, reason: wanted.reason };
}

export async function requestResume(tx: Transaction, ref: SubscriptionRef, now: Instant): Promise<void> {
  const { subscription } = await loadSubscriptionNow(tx, ref, now);
  nextSubscriptionStatus(subscription.status, 'resume');
}

export async function requestSwitch(
  tx: Transaction,
  ref: SubscriptionRef,
  wanted: SwitchPlanBody,
  now: Instant,
): Promise<SwitchRequest> {
  const found = await loadSubscriptionNow(tx, ref, now);
  const request: SwitchRequest = {
    newPlanId: wanted.new_plan_id ?? null,
    effectiveDate: wanted.effective_date === undefined ? 'immediately' : wanted.effective_date,
    invoicingBehavior: wanted.invoicing_behavior,
    usageBehavior: wanted.usage_behavior,
    ...(wanted.overrides && { overrides: overridesToText(wanted.overrides) }),
  };
  const subject = await loadSwitchSubject(tx, ref.accountId, found, request);
  decideSwitch(subject, request, { at: found.at, timeZone: found.customer.timeZone });
  return request;
}

export async function requestPrepaidUnits(
  tx: Transaction,
  ref: SubscriptionRef,
  { metric_id: metricId, units, invoicing_behavior: invoicingBehavior }: PrepaidUnitsChange,
  now: Instant,
) {
  const found = await loadSubscriptionNow(tx, ref, now);
  await loadPrepaidChange(tx, ref.accountId, found, { metricId, units }, found.at);
  return { metricId, units: units.toFixed(), invoicingBehavior };
}
