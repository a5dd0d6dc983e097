import type { BoundaryInput } from '../../billing/invoices/boundary-charges.ts';
import type { LateUsage } from '../../billing/metering/late-usage.ts';
import type { Pause } from '../../billing/periods/pauses.ts';
import type { Closure } from '../../billing/subscriptions/closing-boundaries.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import { listPauses } from '../../sql/postgres/subscriptions/pauses.ts';
import type { CallDependencies, ServiceDependencies } from '../dependencies.ts';
import { loadSubscriptionSnapshot, type SubscriptionSnapshot } from '../subscriptions/move-subscription.ts';
import { waitForLanding } from '../usage/wait-for-landing.ts';
import { loadLateUsage } from './late-usage.ts';
import { loadBoundaries } from './load-invoice-inputs.ts';

/** What ends bills, and what came late, with the usage cutoff both were read up to, and how many periods the subscription had then. */
export type BillsToCutoff = {
  boundaries: BoundaryInput[];
  late: LateUsage;
  usageCutoff: bigint;
  periodIndex: number;
};

/**
 * Reads what ends by a call, up to everything accepted before it. The cutoff need not be kept: until the call is saved nobody
 * has seen what was read, and a second attempt reads anew.
 */
export async function loadBillsToCutoff(
  dependencies: CallDependencies,
  { account: { accountId }, customer, subscription }: SubscriptionSnapshot,
  closure: Closure,
  cancelled: AbortSignal,
): Promise<BillsToCutoff> {
  const usageCutoff = await dependencies.progress.lastAcceptedPosition();
  await waitForLanding(dependencies, usageCutoff, cancelled);
  const { subscriptionId, currentPeriod } = subscription;
  const boundaries = await loadBoundaries(dependencies, accountId, customer, subscription, closure, usageCutoff);
  const question = { subscriptionId, withEnded: true, upTo: usageCutoff };
  const late = await loadLateUsage(dependencies, accountId, customer, question);
  return { boundaries, late, usageCutoff, periodIndex: currentPeriod.index };
}

/** The pauses of a subscription so far. */
export function readPauses(
  { postgres }: Pick<ServiceDependencies, 'postgres'>,
  { account: { accountId }, subscription: { subscriptionId } }: SubscriptionSnapshot,
): Promise<Pause[]> {
  return inTransaction(postgres, accountId, (tx) => listPauses(tx, accountId, subscriptionId));
}

/** The subscription as it is, not locked. */
export function readSubscriptionSnapshot(
  { postgres }: Pick<ServiceDependencies, 'postgres'>,
  { accountId, subscriptionId }: { accountId: string; subscriptionId: string },
): Promise<SubscriptionSnapshot> {
  return inTransaction(postgres, accountId, (tx) => loadSubscriptionSnapshot(tx, accountId, subscriptionId));
}
