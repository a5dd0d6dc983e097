import { setTimeout as sleep } from 'node:timers/promises';
import type { FairTurns } from '../runtime/fair-turns.ts';
import type { Stoppable } from '../runtime/lifecycle.ts';
import { repeat } from '../runtime/repeat.ts';
import { type DeliveryDependencies, deliverWebhook } from '../services/webhooks/deliver-webhook.ts';
import { fanOutEvents } from '../sql/postgres/webhooks/webhook-deliveries.ts';
import {
  claimFirstAttempts,
  findWaitingWebhooks,
  listFailedOnce,
  releaseClaim,
  type Sending,
  updateDeliveryRetrying,
  updateRetriesHandedOut,
} from '../sql/postgres/webhooks/webhook-sending.ts';
import type { WorkflowClient } from './client.ts';

/** First attempts under way in one worker: each is a socket and a few kilobytes, and waits. */
export const FIRST_ATTEMPTS_AT_ONCE = 256;
/** Given out in one transaction, which takes some 100 ms: another account's event waits no longer for its turn. */
const FAN_OUT = { events: 500, deliveriesOfOne: 1_000 };
/** What has been claimed is sent; a worker that stops aborts the attempt itself. */
const NEVER = new AbortController().signal;
const NOTHING = { events: 0, deliveries: 0 };
/** An event is on its way within this; an idle look reads two empty indexes. */
const PAUSE_MS = 100;
/** Longer than an attempt and its saving take; after a crash what was under way is sent again after this. */
const LEASE_MS = 20_000;
/** What is under way when the worker stops gets this long to be answered, then it is let go to be sent again. */
const STOP_GRACE_MS = 3_000;

/** First failures handed to Temporal at once. */
const HAND_OVER_BATCH = 50;
const HAND_OVER_PAUSE_MS = 250;
/** A retry is this late only when its workflow is lost or waits for another time, or its endpoint has too many others. */
const OVERDUE_MS = 30_000;
/** Two workers look twice as often. */
const OVERDUE_PAUSE_MS = 30_000;

/**
 * Gives events to the endpoints that want them and makes the first attempts, in order within a lane. It alone decides what
 * is under way. Accounts take `turns` and have at most `ofOneAccount` attempts under way, so an account whose receivers hang
 * holds up its own events and nobody else's.
 */
export function startWebhookDispatch(
  dependencies: DeliveryDependencies,
  turns: FairTurns,
  ofOneAccount: number,
): Stoppable {
  const { postgres, log } = dependencies;
  const underWay = new Set<Promise<void>>();
  const givenUp = new AbortController();
  let finished = Promise.withResolvers<void>();

  function send(sending: Sending): void {
    const sent = turns(sending.accountId, NEVER, () => firstAttempt(dependencies, sending, givenUp.signal))
      .catch((error) => log.error({ err: error, delivery: sending.deliveryId }, 'a webhook attempt could not be made'))
      .finally(() => {
        underWay.delete(sent);
        finished.resolve();
      });
    underWay.add(sent);
  }

  const loop = repeat('webhook dispatch', log, PAUSE_MS, async () => {
    finished = Promise.withResolvers();
    const { hasEvents, hasAttempts } = await findWaitingWebhooks(postgres);
    const { events, deliveries } = hasEvents ? await fanOutEvents(postgres, FAN_OUT) : NOTHING;
    const limit = hasAttempts || deliveries > 0 ? FIRST_ATTEMPTS_AT_ONCE - underWay.size : 0;
    const places = { limit, ofOneAccount, underWay: turns.running() };
    const claimed = limit > 0 ? await claimFirstAttempts(postgres, places, LEASE_MS) : [];
    for (const sending of claimed) send(sending);
    // The next of a lane goes out as soon as the one before it is done.
    if (events + claimed.length === 0) await Promise.race([finished.promise, sleep(PAUSE_MS)]);
    return 'more';
  });

  return {
    name: 'webhook dispatch',
    stop: async () => {
      await loop.stop();
      await Promise.race([Promise.all(underWay), sleep(STOP_GRACE_MS)]);
      givenUp.abort();
      await Promise.all(underWay);
    },
  };
}

async function firstAttempt(dependencies: DeliveryDependencies, sending: Sending, signal: AbortSignal): Promise<void> {
  const verdict = await deliverWebhook(dependencies, sending, signal);
  if (verdict === undefined && signal.aborted) await releaseClaim(dependencies.postgres, sending);
}

type HandOverDependencies = Pick<DeliveryDependencies, 'postgres' | 'log'> & {
  workflows: Pick<WorkflowClient, 'retryWebhook'>;
};

/** Has retries that are overdue handed to their workflows again. */
export function startOverdueRetries({ postgres, log }: Pick<HandOverDependencies, 'postgres' | 'log'>): Stoppable {
  return repeat('overdue webhook retries', log, OVERDUE_PAUSE_MS, async () => {
    await updateRetriesHandedOut(postgres, OVERDUE_MS);
  });
}

/** Hands failed first attempts to workflows of their own, which make the retries. */
export function startWebhookHandOver({ postgres, workflows, log }: HandOverDependencies): Stoppable {
  return repeat('webhook retries', log, HAND_OVER_PAUSE_MS, async () => {
    const failed = await listFailedOnce(postgres, HAND_OVER_BATCH);
    await Promise.all(
      failed.map(async (retry) => {
        await workflows.retryWebhook(retry);
        await updateDeliveryRetrying(postgres, retry);
      }),
    );
    return failed.length > 0 ? 'more' : undefined;
  });
}
