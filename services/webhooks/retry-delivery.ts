import { randomInt } from 'node:crypto';
import type { Instant } from '../../core/instants.ts';
import { type FairTurns, fairTurns } from '../../runtime/fair-turns.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import {
  type DeliveryRound,
  findDueRetry,
  type Sending,
  updateDeliveryPostponed,
} from '../../sql/postgres/webhooks/webhook-sending.ts';
import { type DeliveryDependencies, deliverWebhook } from './deliver-webhook.ts';

/** Retries under way at one endpoint, in one worker: it has failed before, and may hang. */
const AT_ONE_ENDPOINT = 4;
/** The range of the delay in milliseconds after which a retry is made that was put off. */
const BUSY_MS = [10_000, 30_000] as const;

/**
 * Returns the function that makes a retry. Each worker limits how many retries of an endpoint, and of an account (`ofAccounts`), run at
 * once. A retry above the limit is put off and occupies no slot of the worker.
 */
export function retriesOf(dependencies: DeliveryDependencies, ofAccounts: FairTurns) {
  const ofEndpoints = fairTurns({ atOnce: Number.POSITIVE_INFINITY, ofOne: AT_ONE_ENDPOINT, waitingOfOne: 0 });

  /**
   * The next attempt of a delivery where it is due; returns when the one after is, null where the delivery is over: it has
   * succeeded, failed for good, been given up with its endpoint, or been sent anew.
   */
  return async function retryDelivery(round: DeliveryRound, cancelled: AbortSignal): Promise<Instant | null> {
    const { postgres, clock } = dependencies;
    const { accountId } = round;
    const found = await inTransaction(postgres, accountId, (tx) => findDueRetry(tx, round, clock.now()));
    if (found === 'over') return null;
    if ('dueAt' in found) return found.dueAt;
    if (!ofEndpoints.mayBegin(found.webhookEndpointId) || !ofAccounts.mayBegin(accountId)) {
      const until = clock.now() + randomInt(...BUSY_MS);
      // Also in the records: what is overdue there is handed over again.
      await inTransaction(postgres, accountId, (tx) => updateDeliveryPostponed(tx, round, until));
      return until;
    }
    return ofAccounts(accountId, cancelled, () =>
      ofEndpoints(found.webhookEndpointId, cancelled, () => attempt(dependencies, found, cancelled)),
    );
  };
}

async function attempt(
  dependencies: DeliveryDependencies,
  sending: Sending,
  cancelled: AbortSignal,
): Promise<Instant | null> {
  const verdict = await deliverWebhook(dependencies, sending, cancelled);
  cancelled.throwIfAborted();
  return verdict?.kind === 'retry' ? verdict.at : null;
}
