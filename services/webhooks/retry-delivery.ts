import { randomInt } from 'node:crypto';
import type { Instant } from '../../core/instants.ts';
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
/** A retry that finds its endpoint busy comes again after about this, not all at once. */
const BUSY_MS = [10_000, 30_000] as const;

/** Makes retries; the endpoints it is busy with are counted over all of them. */
export function retriesOf(dependencies: DeliveryDependencies) {
  const busy = new Map<string, number>();

  /**
   * The next attempt of a delivery where it is due; returns when the one after is, null where the delivery is over: it has
   * succeeded, failed for good, been given up with its endpoint, or been sent anew.
   */
  return async function retryDelivery(round: DeliveryRound, cancelled: AbortSignal): Promise<Instant | null> {
    const { postgres, clock } = dependencies;
    const found = await inTransaction(postgres, round.accountId, (tx) => findDueRetry(tx, round, clock.now()));
    if (found === 'over') return null;
    if ('dueAt' in found) return found.dueAt;
    const { webhookEndpointId } = found;
    const others = busy.get(webhookEndpointId) ?? 0;
    if (others >= AT_ONE_ENDPOINT) {
      const until = clock.now() + randomInt(...BUSY_MS);
      // Also in the records: what is overdue there is handed over again.
      await inTransaction(postgres, round.accountId, (tx) => updateDeliveryPostponed(tx, round, until));
      return until;
    }
    busy.set(webhookEndpointId, others + 1);
    try {
      return await attempt(dependencies, found, cancelled);
    } finally {
      const left = (busy.get(webhookEndpointId) ?? 1) - 1;
      if (left === 0) busy.delete(webhookEndpointId);
      else busy.set(webhookEndpointId, left);
    }
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
