import type { Boundary, SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import { notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { findSchedule } from '../../sql/postgres/subscriptions/schedules.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import type { PeriodRef, SubscriptionRef } from '../references.ts';

/**
 * Where the subscription is in its life and what comes next.
 * @throws DomainError `not_found` where the account has no such subscription.
 */
export async function loadSubscriptionSchedule(
  { postgres }: Pick<ServiceDependencies, 'postgres'>,
  ref: SubscriptionRef,
): Promise<SubscriptionSchedule> {
  return inTransaction(postgres, ref.accountId, (tx) => loadSchedule(tx, ref));
}

/** {@link loadSubscriptionSchedule} as a transaction sees it. */
export async function loadSchedule(
  tx: Transaction,
  { accountId, subscriptionId }: SubscriptionRef,
): Promise<SubscriptionSchedule> {
  const schedule = await findSchedule(tx, accountId, subscriptionId);
  if (!schedule) throw notFound(`subscription ${subscriptionId}`);
  return schedule;
}

/** By how much Temporal's clock may be ahead of this machine's: a step that is due within it is tried again until it is. */
const CLOCKS_DIFFER_BY_MS = 5_000;

/**
 * Whether the boundary that `kind` and `period` name is to be crossed now: not where it has been, and not where it has moved to
 * a later time, such as by a longer grace. `now` is the customer's time: that of the test clock, else the machine's.
 * @throws Error where it is due in a moment: Temporal's clock and this machine's differ a little, so it is tried again.
 */
export function isDueNow(
  schedule: SubscriptionSchedule,
  kind: Boundary['kind'],
  { subscriptionId, periodIndex }: PeriodRef,
  now: Instant,
): boolean {
  const next = schedule.next;
  if (next === null || next.kind !== kind || next.periodIndex !== periodIndex) return false;
  if (next.dueAt <= now) return true;
  if (next.dueAt > now + CLOCKS_DIFFER_BY_MS) return false;
  throw new Error(`${kind} of ${subscriptionId} is due at ${next.dueAt}, now is ${now}`);
}
