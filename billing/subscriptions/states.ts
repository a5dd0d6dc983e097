import { DomainError } from '../../core/domain-error.ts';

// Imported by the workflow sandbox: no import here may reach temporal-polyfill or anything of Node's.

/** `expired` is the end of one that does not renew (spec/subscriptions#states). */
export type SubscriptionStatus = 'pending' | 'active' | 'paused' | 'canceled' | 'expired';
export type SubscriptionTrigger = 'activate' | 'renew' | 'expire' | 'switch' | 'pause' | 'resume' | 'cancel';

/**
 * What is not listed is refused. `switch` is seen from the old subscription, which it ends. A period boundary in a pause
 * leaves it paused ("period boundaries do not move"), or ends it where it does not renew.
 */
const SUBSCRIPTION: Record<SubscriptionStatus, Partial<Record<SubscriptionTrigger, SubscriptionStatus>>> = {
  pending: { activate: 'active', cancel: 'canceled' },
  active: { renew: 'active', expire: 'expired', switch: 'canceled', pause: 'paused', cancel: 'canceled' },
  paused: { renew: 'paused', expire: 'expired', resume: 'active', cancel: 'canceled' },
  canceled: {},
  expired: {},
};

export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
export type InvoiceTrigger = 'issue' | 'pay' | 'void' | 'mark_uncollectible';

/** spec/invoices#states: "draft -> open -> paid | void | uncollectible; uncollectible -> paid | void. paid and void are final." */
const INVOICE: Record<InvoiceStatus, Partial<Record<InvoiceTrigger, InvoiceStatus>>> = {
  draft: { issue: 'open' },
  open: { pay: 'paid', void: 'void', mark_uncollectible: 'uncollectible' },
  paid: {},
  void: {},
  uncollectible: { pay: 'paid', void: 'void' },
};

export type RefundStatus = 'pending' | 'succeeded' | 'failed' | 'canceled';
export type RefundTrigger = 'complete' | 'fail' | 'cancel';

/** spec/credits#refunds. What a processor paid back may still come back to it: then it has failed after all. Anything else is final. */
const REFUND: Record<RefundStatus, Partial<Record<RefundTrigger, RefundStatus>>> = {
  pending: { complete: 'succeeded', fail: 'failed', cancel: 'canceled' },
  succeeded: { fail: 'failed' },
  failed: {},
  canceled: {},
};

/** The status after `trigger`. Throws `conflict`, naming the current status, where the trigger is not legal in it. */
export function nextSubscriptionStatus(status: SubscriptionStatus, trigger: SubscriptionTrigger): SubscriptionStatus {
  return SUBSCRIPTION[status][trigger] ?? refuse('subscription', status, trigger);
}

/** The status after `trigger`. Throws `conflict`, naming the current status, where the trigger is not legal in it. */
export function nextInvoiceStatus(status: InvoiceStatus, trigger: InvoiceTrigger): InvoiceStatus {
  return INVOICE[status][trigger] ?? refuse('invoice', status, trigger);
}

/** The status after `trigger`. Throws `conflict`, naming the current status, where the trigger is not legal in it. */
export function nextRefundStatus(status: RefundStatus, trigger: RefundTrigger): RefundStatus {
  return REFUND[status][trigger] ?? refuse('refund', status, trigger);
}

/** spec/subscriptions#creation: pending with a start date in the future, else active. Both are dates in the customer's zone. */
export function initialSubscriptionStatus(startDate: string, today: string): 'pending' | 'active' {
  return startDate > today ? 'pending' : 'active';
}

/** True until the subscription is canceled or expired: pending, active or paused. */
export function isLive(status: SubscriptionStatus): boolean {
  return Object.keys(SUBSCRIPTION[status]).length > 0;
}

type Trigger = SubscriptionTrigger | InvoiceTrigger | RefundTrigger;

const ACTIONS: Record<Trigger, string> = {
  activate: 'activated',
  renew: 'renewed',
  expire: 'ended',
  switch: 'switched',
  pause: 'paused',
  resume: 'resumed',
  cancel: 'canceled',
  issue: 'issued',
  pay: 'paid',
  void: 'voided',
  mark_uncollectible: 'marked uncollectible',
  complete: 'completed',
  fail: 'marked failed',
};

function refuse(what: string, status: string, trigger: Trigger): never {
  throw new DomainError('conflict', `The ${what} is ${status} and cannot be ${ACTIONS[trigger]}.`);
}
