import { type AttemptVerdict, isAccepted, type WebhookAttempt } from '../../billing/webhooks/webhooks.ts';
import type { Instant } from '../../core/instants.ts';
import { type PostOutcome, postWebhook } from '../../outbound/post-webhook.ts';
import { webhookBody, webhookHeaders } from '../../outbound/webhook-signature.ts';
import { type SecretCipher, UnreadableSecret } from '../../runtime/cipher.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { inSpan } from '../../runtime/tracing.ts';
import { inTransaction, type Pool, type Transaction } from '../../sql/postgres/postgres.ts';
import { disableWebhookEndpoint } from '../../sql/postgres/webhooks/webhook-endpoints.ts';
import { endpointRowName } from '../../sql/postgres/webhooks/webhook-secrets.ts';
import {
  type Sending,
  saveWebhookAttempt,
  updateDeliveryPostponed,
} from '../../sql/postgres/webhooks/webhook-sending.ts';
import { webhookToWire } from '../../wire/webhooks.ts';
import { changed } from '../audit/audited.ts';
import { BY_SYSTEM } from '../audit/origin.ts';
import { saveAuditEntry } from '../audit/save-audit-entry.ts';
import type { ServiceMetrics } from '../dependencies.ts';
import { lockEndpoint } from './lock-endpoint.ts';

export type DeliveryDependencies = {
  postgres: Pool;
  cipher: SecretCipher;
  clock: Clock;
  metrics: Pick<ServiceMetrics, 'webhookAttempts'>;
  webhookAllowPrivate: boolean;
  /** Where webhooks go through (`OUTBOUND_PROXY_URL`). */
  outboundProxy: URL | undefined;
  log: Log;
};

/** A delivery whose secret cannot be decrypted is looked at again after this: soon after the keys have been mended. */
const UNSIGNED_PAUSE_MS = 2 * 60_000;

/**
 * One attempt: sign, send, save what came of it. A crash in between sends again under the same id: at least once. Aborted
 * by `signal`, or with the delivery's round over, it leads to nothing: undefined. One that cannot be signed is no attempt:
 * that is no fault of the receiver, so it counts for nothing and is put off.
 */
export async function deliverWebhook(
  dependencies: DeliveryDependencies,
  sending: Sending,
  signal: AbortSignal,
): Promise<AttemptVerdict | undefined> {
  const { postgres, clock, metrics } = dependencies;
  const secrets = openSecrets(dependencies, sending);
  if (secrets === undefined) return postpone(dependencies, sending, clock.now() + UNSIGNED_PAUSE_MS);
  const at = clock.now();
  const began = performance.now();
  const { eventId, type } = sending.event;
  const attributes = { 'event.id': eventId, 'webhook.endpoint': sending.webhookEndpointId };
  const outcome = await inSpan(`webhook ${type}`, { kind: 'client', parent: sending.traceContext, attributes }, () =>
    post(dependencies, sending, secrets, signal),
  );
  if (outcome === 'aborted') return undefined;
  const attempt = attemptOf(outcome, { at, durationMs: Math.round(performance.now() - began) });
  metrics.webhookAttempts.inc({ outcome: isAccepted(attempt) ? 'succeeded' : 'failed' });
  return inTransaction(postgres, sending.accountId, async (tx) => {
    const verdict = await saveWebhookAttempt(tx, sending, attempt);
    if (verdict?.kind === 'failed' && verdict.disables) await disableEndpoint(tx, sending);
    return verdict;
  });
}

/** It wants, or takes, nothing any more: it is disabled, and the audit log says that nobody asked for it. */
async function disableEndpoint(tx: Transaction, { accountId, webhookEndpointId }: Sending): Promise<void> {
  const endpoint = await lockEndpoint(tx, { accountId, webhookEndpointId });
  if (endpoint.status === 'disabled') return;
  await disableWebhookEndpoint(tx, accountId, webhookEndpointId);
  const deed = { accountId, action: 'webhook.updated', origin: BY_SYSTEM } as const;
  saveAuditEntry(tx, deed, changed(webhookToWire(endpoint), webhookToWire({ ...endpoint, status: 'disabled' })));
}

async function postpone(
  { postgres }: DeliveryDependencies,
  sending: Sending,
  until: Instant,
): Promise<AttemptVerdict | undefined> {
  await inTransaction(postgres, sending.accountId, (tx) => updateDeliveryPostponed(tx, sending, until));
  return { kind: 'retry', at: until };
}

function post(
  { clock, webhookAllowPrivate: allowPrivate, outboundProxy: proxy }: DeliveryDependencies,
  { webhookUrl, event }: Sending,
  secrets: string[],
  signal: AbortSignal,
): Promise<PostOutcome> {
  const body = webhookBody(event);
  const headers = webhookHeaders(event.eventId, body, secrets, clock.now());
  return postWebhook(
    new URL(webhookUrl),
    body,
    { ...headers, 'user-agent': 'Meterbook-Webhooks' },
    { allowPrivate, signal, proxy },
  );
}

/** The secrets that sign, the newest first; undefined where one cannot be decrypted, which the cipher has told. */
function openSecrets(
  { cipher }: DeliveryDependencies,
  { accountId, webhookEndpointId, secrets }: Sending,
): string[] | undefined {
  const row = endpointRowName(accountId, webhookEndpointId);
  try {
    return secrets.map((secret) => cipher.open(secret, row));
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    return undefined;
  }
}

function attemptOf(
  outcome: Exclude<PostOutcome, 'aborted'>,
  when: Pick<WebhookAttempt, 'at' | 'durationMs'>,
): WebhookAttempt {
  if ('error' in outcome) return { ...when, statusCode: null, error: outcome.error };
  const { statusCode } = outcome;
  if (isAccepted(outcome)) return { ...when, statusCode, error: null };
  const isRedirect = statusCode >= 300 && statusCode < 400;
  return { ...when, statusCode, error: isRedirect ? 'Redirects are not followed.' : `Answered ${statusCode}.` };
}
