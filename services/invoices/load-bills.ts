import type { Pause } from '../../billing/periods/pauses.ts';
import type { Closure } from '../../billing/subscriptions/closing-boundaries.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import { listPauses } from '../../sql/postgres/subscriptions/pauses.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import type { Held } from '../subscriptions/move-subscription.ts';
import { waitForLanding } from '../usage/wait-for-landing.ts';
import { type LoadedBills, loadHeld } from './issue-period-invoice.ts';
import { loadLateUsage } from './late-usage.ts';
import { loadBoundaries } from './load-invoice-inputs.ts';

/** Bills with the seal they were read up to, and how many periods the subscription had then. */
export type SealedBills = LoadedBills & { sealPosition: bigint; periodIndex: number };

/**
 * Reads what ends by a call, up to everything accepted before it. The seal need not be kept: until the call is saved nobody
 * has seen what was read, and a second attempt reads anew.
 */
export async function loadSealedBills(
  dependencies: ServiceDependencies,
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
  { postgres }: Pick<ServiceDependencies, 'postgres'>,
  { account: { accountId }, subscription: { subscriptionId } }: Held,
): Promise<Pause[]> {
  return inTransaction(postgres, accountId, (tx) => listPauses(tx, accountId, subscriptionId));
}

/** The subscription as it is, not locked. */
export function readHeld(
  { postgres }: Pick<ServiceDependencies, 'postgres'>,
  { accountId, subscriptionId }: { accountId: string; subscriptionId: string },
): Promise<Held> {
  return inTransaction(postgres, accountId, (tx) => loadHeld(tx, accountId, subscriptionId));
}
