import type { PublishedHead } from '../../billing/chain/chain.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import { type PostOutcome, postWebhook } from '../../outbound/post-webhook.ts';
import { webhookBody, webhookHeaders } from '../../outbound/webhook-signature.ts';
import { insertDueHeads, listHeadsToWitness, updateHeadsWitnessed } from '../../sql/postgres/chain/chain-heads.ts';
import { whileAlone } from '../../sql/postgres/chain/chain-queue.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';
import { publishedHeadToWire } from '../../wire/accounts/chain.ts';
import { appendHeads } from './heads-file.ts';

/** What is chained is behind a published head after this, and a minute at most. */
const PUBLISH_AFTER_MS = 3_600_000;

const HEADS_AT_ONCE = 500;

/** Whom heads are given to beside the account's own webhooks: a file, somebody else's server; each where there is one. */
export type Witnesses = { file?: string | undefined; server?: WitnessServer | undefined };

type WitnessServer = { url: string; secret: string; proxy?: URL | undefined };

/**
 * Publishes the head of each account that has entries as old as {@link PUBLISH_AFTER_MS} behind none: kept in the records, and told to its
 * webhooks (spec/chain#published-heads). How many.
 */
export async function publishHeads(postgres: Pool, now: Instant): Promise<number> {
  const published = await whileAlone(postgres, 'publish heads', async (tx) => {
    const heads = await insertDueHeads(tx, now - PUBLISH_AFTER_MS, now);
    for (const head of heads) {
      const { accountId } = head;
      const data = publishedHeadToWire(head);
      await insertOutboxEvent(tx, { accountId, type: 'chain.head_published', subject: `chain/${accountId}`, data });
    }
    return heads.length;
  });
  return published ?? 0;
}

/**
 * Gives heads that were published to file and witness, again and again until both have them, so that each may get one more than once; how many.
 * @throws Error where one does not take them: they stay on the list.
 */
export async function witnessHeads(postgres: Pool, { file, server }: Witnesses, now: Instant): Promise<number> {
  const heads = await listHeadsToWitness(postgres, HEADS_AT_ONCE);
  if (heads.length === 0) return 0;
  if (server) await postHeads(server, heads, now);
  if (file !== undefined) await appendHeads(file, heads);
  await updateHeadsWitnessed(postgres, heads, now);
  return heads.length;
}

async function postHeads({ url, secret, proxy }: WitnessServer, heads: readonly PublishedHead[], now: Instant) {
  const eventId = newId('evt');
  const dataText = JSON.stringify({ heads: heads.map(publishedHeadToWire) });
  const body = webhookBody({ eventId, type: 'chain.heads_published', occurredAt: now, dataText });
  const headers = webhookHeaders(eventId, body, [secret], now);
  // The operator's own choice, which may well be in its own network.
  const options = { allowPrivate: true, signal: new AbortController().signal, proxy };
  const outcome = await postWebhook(new URL(url), body, headers, options);
  if (!isTaken(outcome)) throw new Error(`CHAIN_WITNESS_URL did not take ${heads.length} heads: ${told(outcome)}`);
}

function isTaken(outcome: PostOutcome): boolean {
  return (
    typeof outcome === 'object' && 'statusCode' in outcome && outcome.statusCode >= 200 && outcome.statusCode < 300
  );
}

function told(outcome: PostOutcome): string {
  if (outcome === 'aborted') return outcome;
  return 'error' in outcome ? outcome.error : `it answered ${outcome.statusCode}`;
}
