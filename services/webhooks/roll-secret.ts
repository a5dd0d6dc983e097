import { conflict, type DomainError } from '../../core/domain-error.ts';
import { type Instant, isoFromInstant } from '../../core/instants.ts';
import { newWebhookSecret } from '../../outbound/webhook-signature.ts';
import type { SecretCipher } from '../../runtime/cipher.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import {
  endpointRowName,
  lockWebhookSecrets,
  type OverlappingSecret,
  updateWebhookSecrets,
} from '../../sql/postgres/webhooks/webhook-secrets.ts';
import { type WebhookRollSecret, webhookToWire } from '../../wire/webhooks.ts';
import { changed } from '../audit/audited.ts';
import type { WebhookEndpointRef } from '../references.ts';
import { lockEndpoint } from './lock-endpoint.ts';

type Dependencies = { cipher: SecretCipher; webhookLimits: { secretsAtOnce: number } };

/**
 * Replaces an endpoint's secret. The old one signs too for the overlap more, and so do those that were replaced before, each
 * until its own end.
 * @throws DomainError `not_found`; `conflict` (`too_many_webhook_secrets`) if too many would sign at once
 */
export async function rollSecret(
  tx: Transaction,
  { cipher, webhookLimits: { secretsAtOnce: most } }: Dependencies,
  ref: WebhookEndpointRef,
  { overlap_seconds: overlap = 0 }: WebhookRollSecret,
  now: Instant,
) {
  const endpoint = await lockEndpoint(tx, ref);
  const { accountId, webhookEndpointId } = ref;
  const before = await lockWebhookSecrets(tx, accountId, webhookEndpointId);
  if (!before) throw new Error(`webhook endpoint ${webhookEndpointId} has no secrets`);
  const overlapping = overlap === 0 ? [] : [{ ...before.current, until: now + overlap * 1_000 }];
  const replaced = [...overlapping, ...before.replaced];
  if (replaced.length >= most) throw tooManySecrets(most, before.replaced);
  const secret = newWebhookSecret();
  const current = cipher.seal(secret, endpointRowName(accountId, webhookEndpointId));
  await updateWebhookSecrets(tx, accountId, webhookEndpointId, { current, replaced });
  const shown = webhookToWire(endpoint);
  return changed(shown, { ...shown, webhook_secret: secret });
}

function tooManySecrets(most: number, replaced: readonly OverlappingSecret[]): DomainError {
  const firstEnd = isoFromInstant(Math.min(...replaced.map(({ until }) => until)));
  const next =
    replaced.length > 0 ? `Roll the secret after ${firstEnd}, or without an overlap.` : 'Roll it without one.';
  return conflict(
    `${replaced.length + 1} secrets sign already; with this overlap more than ${most} would. ${next}`,
    'too_many_webhook_secrets',
  );
}
