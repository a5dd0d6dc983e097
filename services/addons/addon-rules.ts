import { periodIndexOn } from '../../billing/periods/periods.ts';
import { isLive } from '../../billing/subscriptions/states.ts';
import type { Subscription } from '../../billing/subscriptions/subscription.ts';
import { conflict } from '../../core/domain-error.ts';
import { localDateAt } from '../../core/instants.ts';
import type { LockedSubscription } from '../subscriptions/lock-subscription.ts';

/** @throws DomainError `conflict` unless the subscription is pending or active (spec/subscriptions#pause). */
export function assertAddonsMayChange({ status }: Subscription): void {
  if (isLive(status) && status !== 'paused') return;
  throw conflict(`The subscription is ${status}: its add-ons cannot be changed.`);
}

/** The last period that an add-on canceled now is charged for: none, where its first one has not begun (spec/plans#add-ons). */
export function lastChargedPeriod(locked: LockedSubscription): number {
  const { index, startsAt } = locked.subscription.currentPeriod.billing;
  return locked.at < startsAt ? index - 1 : periodIndexAt(locked);
}

/** The index of the billing period that `at` lies in: the open one, or a later one where its closing has yet to come. */
export function periodIndexAt({ subscription, customer, at }: LockedSubscription): number {
  const { anchorDate, billing } = subscription.currentPeriod;
  if (at < billing.endsAt) return billing.index;
  const { timeZone } = customer;
  const { endDate: startDate } = billing;
  const byDate = periodIndexOn({ ...subscription, startDate, anchorDate, timeZone }, localDateAt(at, timeZone));
  return billing.index + 1 + Math.max(0, byDate);
}
