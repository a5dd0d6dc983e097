import type { Action } from '../../actions/action.ts';
import type { Field } from '../../actions/field.ts';
import type { AnswerOf } from '../../api/client.ts';
import { OVERRIDE_FIELDS } from '../plans/plan-fields.ts';

export type Subscription = AnswerOf<'/api/subscriptions/{subscription_id}'>;

const INVOICING: Field = {
  name: 'invoicing_behavior',
  kind: 'choice',
  options: ['add_to_next_invoice', 'invoice_now'],
};

export function newSubscription(customerId?: string): Action {
  return {
    name: 'New subscription',
    call: { method: 'post', to: '/api/subscriptions' },
    ...(customerId && { fixed: { customer_id: customerId } }),
    fields: [
      ...(customerId ? [] : [{ name: 'customer_id', isRequired: true }]),
      { name: 'plan_id', isRequired: true },
      { name: 'start_date', kind: 'date', help: "Today in the customer's time zone, where it is empty." },
      { name: 'end_date', kind: 'date' },
      { name: 'auto_renew', kind: 'yes_no', initial: 'true' },
      { name: 'trial_days', kind: 'number', help: "The plan's, where it is empty; 0: none." },
      { name: 'currency', help: "The customer's, where it is empty." },
      ...OVERRIDE_FIELDS,
    ],
  };
}

/** What can be done with a subscription in its state. */
export function subscriptionActions(subscription: Subscription): Action[] {
  const { status } = subscription;
  if (status === 'canceled' || status === 'expired') return [];
  const cancel = cancelSubscription(subscription);
  if (status === 'pending') return [cancel];
  if (status === 'paused') return [resume(subscription), cancel];
  return [
    switchPlan(subscription),
    changePrepaidUnits(subscription),
    attachAddon(subscription),
    redeemCoupon(subscription),
    pause(subscription),
    ...(isInTrial(subscription) ? [moveTrialEnd(subscription)] : []),
    cancel,
  ];
}

const DAY_MS = 86_400_000;

/** Whether its current period is its trial: that ends on the day of the trial's end, in the customer's zone. */
function isInTrial({ trial_ends_at: endsOn, current_period_end: endsAt }: Subscription): boolean {
  return endsOn !== null && endsAt !== null && Math.abs(Date.parse(endsOn) - Date.parse(endsAt)) < DAY_MS;
}

function moveTrialEnd(subscription: Subscription): Action {
  return {
    name: 'Move trial end',
    call: { method: 'patch', to: '/api/subscriptions/{subscription_id}', path: pathOf(subscription) },
    fields: [
      { name: 'trial_ends_at', kind: 'date', isRequired: true, initial: subscription.trial_ends_at ?? undefined },
    ],
  };
}

function pathOf({ subscription_id }: Subscription) {
  return { subscription_id };
}

function switchPlan(subscription: Subscription): Action {
  return {
    name: 'Switch plan',
    call: {
      method: 'post',
      to: '/api/subscriptions/{subscription_id}/switch_plan',
      path: pathOf(subscription),
    },
    fields: [
      { name: 'new_plan_id', isRequired: true },
      INVOICING,
      { name: 'usage_behavior', kind: 'choice', options: ['transfer_to_new_subscription', 'reset_usage'] },
      { name: 'effective_date', kind: 'date', help: 'At once, where it is empty.' },
      ...OVERRIDE_FIELDS,
    ],
  };
}

function cancelSubscription(subscription: Subscription): Action {
  return {
    name: 'Cancel subscription',
    call: { method: 'post', to: '/api/subscriptions/{subscription_id}/cancel', path: pathOf(subscription) },
    fields: [
      { name: 'flat_fee_behavior', kind: 'choice', options: ['charge_prorated', 'charge_full', 'refund'] },
      { name: 'bill_usage', kind: 'yes_no', initial: 'true' },
      INVOICING,
      { name: 'cancel_at', help: 'A date, or end_of_period; at once, where it is empty.' },
    ],
    isFinal: true,
  };
}

function pause(subscription: Subscription): Action {
  return {
    name: 'Pause',
    call: { method: 'post', to: '/api/subscriptions/{subscription_id}/pause', path: pathOf(subscription) },
    fields: [{ name: 'resumes_at', kind: 'date' }, { name: 'reason' }],
  };
}

function resume(subscription: Subscription): Action {
  return {
    name: 'Resume',
    call: { method: 'post', to: '/api/subscriptions/{subscription_id}/resume', path: pathOf(subscription) },
  };
}

function changePrepaidUnits(subscription: Subscription): Action {
  return {
    name: 'Change prepaid units',
    call: {
      method: 'post',
      to: '/api/subscriptions/{subscription_id}/components/change-prepaid-units',
      path: pathOf(subscription),
    },
    fields: [
      { name: 'metric_id', isRequired: true, initial: subscription.prepaid_units[0]?.metric_id },
      { name: 'units', kind: 'number', isRequired: true },
      INVOICING,
    ],
  };
}

function redeemCoupon(subscription: Subscription): Action {
  return {
    name: 'Redeem coupon',
    call: { method: 'post', to: '/api/subscriptions/{subscription_id}/discounts', path: pathOf(subscription) },
    fields: [{ name: 'code' }, { name: 'coupon_id', help: 'Instead of its code.' }],
  };
}

function attachAddon(subscription: Subscription): Action {
  return {
    name: 'Attach add-on',
    call: { method: 'post', to: '/api/subscriptions/{subscription_id}/addons/attach', path: pathOf(subscription) },
    fields: [
      { name: 'addon_id', isRequired: true },
      { name: 'quantity', kind: 'number' },
    ],
  };
}

export function cancelAddon(subscription: Subscription, addonId: string): Action {
  return {
    name: 'Cancel add-on',
    call: { method: 'post', to: '/api/subscriptions/{subscription_id}/addons/cancel', path: pathOf(subscription) },
    subject: addonId,
    fixed: { addon_id: addonId },
    isFinal: true,
  };
}
