import type { Subscription } from '../../billing/subscriptions/subscription.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { type SubscriptionWire, subscriptionToWire } from '../../wire/subscriptions.ts';
import type { Audited } from '../audit/audited.ts';
import { BY_SYSTEM } from '../audit/origin.ts';
import { saveAuditEntries } from '../audit/save-audit-entry.ts';

/**
 * What became of a subscription, for the audit log: of its record what it is itself, without its add-ons and prepaid units, which
 * are not read anew for that.
 */
export function subscriptionChange<T extends SubscriptionWire>(before: Subscription, answer: T): Audited<T> {
  return { before: own({ ...before, addons: [], prepaidUnits: [] }), after: withoutParts(answer), answer };
}

/** Writes down what became of subscriptions by itself, as time passed. */
export function auditSteps(
  tx: Transaction,
  accountId: string,
  becoming: 'activated' | 'renewed' | 'trial_ended' | 'resumed' | 'switched' | 'canceled' | 'expired',
  changes: readonly Audited<SubscriptionWire>[],
): void {
  saveAuditEntries(tx, { accountId, action: `subscription.${becoming}`, origin: BY_SYSTEM }, changes);
}

function own(record: Parameters<typeof subscriptionToWire>[0]) {
  return withoutParts(subscriptionToWire(record));
}

function withoutParts({ addons: _addons, prepaid_units: _units, ...record }: SubscriptionWire) {
  return record;
}
