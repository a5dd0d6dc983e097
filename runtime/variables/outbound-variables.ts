import { z } from 'zod';
import { secret } from '../processor-settings.ts';
import { flag } from './environment.ts';

/** How many of something there may be. */
const count = z.coerce.number().int().min(1);

/** What is sent to other people's servers, and how much of it. */
export const outboundVariables = z.object({
  CHAIN_WITNESS_URL: z
    .url()
    .optional()
    .describe("Another organisation's server that is given published heads of chains, as a webhook."),
  CHAIN_WITNESS_SECRET: secret
    .startsWith('whsec_', 'must begin with whsec_')
    .optional()
    .describe('Secret that these are signed with, as in Standard Webhooks: `whsec_` and base64.'),
  WEBHOOK_ENDPOINTS_PER_ACCOUNT: count
    .default(32)
    .describe('Webhook endpoints that an account may have; a further one is 409.'),
  WEBHOOK_SECRETS_AT_ONCE: count
    .default(5)
    .describe('Secrets of a webhook endpoint that sign at once, during overlaps; a further one is 409.'),
  WEBHOOKS_AT_ONCE_PER_ACCOUNT: count
    .default(64)
    .describe(
      'Webhook attempts that one account has under way in a worker: of 256 first attempts, and of 200 retries.',
    ),
  WEBHOOK_ALLOW_PRIVATE: flag
    .default(false)
    .describe('Webhooks may go to private, loopback and link-local addresses; a local stack sets it.'),
});

type OutboundVariables = z.output<typeof outboundVariables>;

export function outboundSettings(e: OutboundVariables) {
  return {
    webhookAllowPrivate: e.WEBHOOK_ALLOW_PRIVATE,
    /** What an account may have of webhooks (spec/webhooks#limits). */
    webhookLimits: { endpoints: e.WEBHOOK_ENDPOINTS_PER_ACCOUNT, secretsAtOnce: e.WEBHOOK_SECRETS_AT_ONCE },
    /** First attempts, and retries, that one account has under way at once in a worker. */
    webhooksOfOneAccount: e.WEBHOOKS_AT_ONCE_PER_ACCOUNT,
  };
}

/** @throws if one of the two is missing: heads that nobody signed are no evidence */
export function witnessFrom({ CHAIN_WITNESS_URL: url, CHAIN_WITNESS_SECRET: secret }: OutboundVariables) {
  if (url !== undefined && secret !== undefined) return { url, secret };
  if (url === undefined && secret === undefined) return undefined;
  throw new Error('Wrong environment variables: CHAIN_WITNESS_URL and CHAIN_WITNESS_SECRET must both be set, or none.');
}
