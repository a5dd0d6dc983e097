import type { Pause } from '../../billing/periods/pauses.ts';
import type { Closure } from '../../billing/subscriptions/closing-boundaries.ts';
import { loadLateUsage } from '../../services/invoices/late-usage.ts';
import { loadBoundaries } from '../../services/invoices/load-invoice-inputs.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import { listPauses } from '../../sql/postgres/subscriptions/pauses.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { type LoadedBills, loadHeld } from './issue-period-invoice.ts';
import type { Held } from './move-subscription.ts';
import { waitForLanding } from './wait-for-landing.ts';

/** Bills with the seal they were read up to, and how many periods the subscription had then. */
export type SealedBills = LoadedBills & { sealPosition: bigint; periodIndex: number };

/**
 * Reads what ends by a call, up to everything accepted before it. The seal need not be kept: until the call is saved nobody
 * has seen what was read, and a second attempt reads anew.
 */
export async function loadSealedBills(
  dependencies: ActivityDependencies,
  { account: { accountId }, customer, subscription }: Held,
  closure: Closure,
  cancelled: AbortSignal,
): Promise<SealedBills> {
  const sealPosition = await dependencies.progress.lastAcceptedPosition();
  await waitForLanding(dependencies, sealPosition, cancelled);
  const { subscriptionId, currentPeriod } = subscription;
  const boundaries = await loadBoundaries(dependencies, accountId, customer, subscription, closure, sealPosition);
  const question = { subscriptionId, withEnded: true, upTo: sealPosition };
  const late = await loadLateUsage(dependencies, accountId, customer, question);
  return { boundaries, late, sealPosition, periodIndex: currentPeriod.index };
}

/** The pauses of a subscription so far. */
export function readPauses(
  { postgres }: Pick<ActivityDependencies, 'postgres'>,
  { account: { accountId }, subscription: { subscriptionId } }: Held,
): Promise<Pause[]> {
  return inTransaction(postgres, accountId, (tx) => listPauses(tx, accountId, subscriptionId));
}

/** The subscription as it is, not locked. */
export function readHeld(
  { postgres }: Pick<ActivityDependencies, 'postgres'>,
  { accountId, subscriptionId }: { accountId: string; subscriptionId: string },
): Promise<Held> {
  return inTransaction(postgres, accountId, (tx) => loadHeld(tx, accountId, subscriptionId));
}
