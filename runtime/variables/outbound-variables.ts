import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { secret } from '../processor-settings.ts';
import { type Environment, flag } from './environment.ts';

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
  OUTBOUND_PROXY_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .transform((text) => new URL(text))
    .optional()
    .describe(
      'HTTP proxy that webhooks, calls to payment processors and heads for the chain witness go through, by CONNECT to the ' +
        'resolved address; absent: none. The variables `http_proxy` and `https_proxy` do not count.',
    ),
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
    .describe(
      'Webhooks may go to private, loopback and link-local addresses. `npm start` sets it, unless HOST is not loopback; ' +
        'true is then refused.',
    ),
});

/**
 * Whether the webhooks of a local stack may go to private addresses: its receivers are local, too, unless others reach it.
 * @throws if both are asked for: whoever reaches the API could then have requests sent to what is only meant for this machine
 */
export function privateWebhooksOf({ HOST, WEBHOOK_ALLOW_PRIVATE: asked }: Environment): boolean {
  const isLocal = isLoopback(HOST || '127.0.0.1');
  assertPrivateWebhooks(HOST, asked === 'true');
  return asked ? asked === 'true' : isLocal;
}

/** @throws if webhooks may go to private addresses, and the process listens on others than loopback */
export function assertPrivateWebhooks(host: string | undefined, allowsPrivate: boolean): void {
  if (!allowsPrivate || isLoopback(host || '127.0.0.1')) return;
  throw new Error(
    `Wrong environment variables: WEBHOOK_ALLOW_PRIVATE: must not be true with HOST ${host}, by which other machines ` +
      'reach the API. Leave one of them away.',
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}

type OutboundVariables = z.output<typeof outboundVariables>;

export function outboundSettings(e: OutboundVariables) {
  return {
    webhookAllowPrivate: e.WEBHOOK_ALLOW_PRIVATE,
    /** Where everything goes through that is sent to other people's servers; absent: nowhere. */
    outboundProxy: e.OUTBOUND_PROXY_URL,
    /** What an account may have of webhooks (spec/webhooks#limits). */
    webhookLimits: { endpoints: e.WEBHOOK_ENDPOINTS_PER_ACCOUNT, secretsAtOnce: e.WEBHOOK_SECRETS_AT_ONCE },
    /** First attempts, and retries, that one account has under way at once in a worker. */
    webhooksOfOneAccount: e.WEBHOOKS_AT_ONCE_PER_ACCOUNT,
  };
}

/** @throws if one of the two is missing: heads that nobody signed are no evidence */
export function witnessFrom(e: OutboundVariables) {
  const { CHAIN_WITNESS_URL: url, CHAIN_WITNESS_SECRET: secret, OUTBOUND_PROXY_URL: proxy } = e;
  if (url !== undefined && secret !== undefined) return { url, secret, proxy };
  if (url === undefined && secret === undefined) return undefined;
  throw new Error('Wrong environment variables: CHAIN_WITNESS_URL and CHAIN_WITNESS_SECRET must both be set, or none.');
}
