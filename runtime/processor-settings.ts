import { z } from 'zod';

/** A secret as its owner gave it: a line break or a space within is a mistake of copying. */
export const secret = z.string().regex(/^\S+$/, 'must be one word, without white space');

/** How payment processors are reached: of the environment, or of PROCESSORS_FILE. */
export const processorVariables = z.object({
  STRIPE_API_BASE: z.url().optional().describe("The Stripe API's base, where it is not Stripe's own."),
  STRIPE_CLIENT_ID: secret
    .optional()
    .describe('Client id of the Stripe Connect application; without it and the next two Stripe cannot be connected.'),
  STRIPE_SECRET_KEY: secret.optional().describe('Secret key of the Stripe platform account.'),
  STRIPE_WEBHOOK_SECRET: secret.optional().describe('Secret that inbound Stripe events are signed with.'),
  BRAINTREE_API_BASE: z.url().optional().describe("The Braintree API's base, where it is not Braintree's own."),
  BRAINTREE_CLIENT_ID: secret
    .optional()
    .describe(
      'Client id of the Braintree OAuth application; without it and the next two Braintree cannot be connected.',
    ),
  BRAINTREE_SECRET_KEY: secret.optional().describe('Client secret of the Braintree OAuth application.'),
  BRAINTREE_WEBHOOK_SECRET: z
    .string()
    .regex(/^[^:\s]+:[^:\s]+$/, 'must be <public key>:<private key>')
    .optional()
    .describe('Key pair that inbound Braintree events are signed with: <public key>:<private key>.'),
});

/** How a payment processor is reached. */
type ProcessorSettings = Record<'clientId' | 'secretKey' | 'webhookSecret', string> & { apiBase: string | undefined };

type ProcessorVariables = Partial<z.output<typeof processorVariables>>;

/** The processors whose client and secrets are set (spec/payments#processors). */
export function processorsFrom(variables: ProcessorVariables): {
  stripe?: ProcessorSettings;
  braintree?: ProcessorSettings;
} {
  const stripe = settingsOf(variables, 'STRIPE');
  const braintree = settingsOf(variables, 'BRAINTREE');
  return { ...(stripe && { stripe }), ...(braintree && { braintree }) };
}

function settingsOf(variables: ProcessorVariables, name: 'STRIPE' | 'BRAINTREE'): ProcessorSettings | undefined {
  const [clientId, secretKey, webhookSecret] = NEEDED.map((part) => variables[`${name}_${part}`]);
  if (!clientId || !secretKey || !webhookSecret) return undefined;
  return { apiBase: variables[`${name}_API_BASE`], clientId, secretKey, webhookSecret };
}

/** What each processor needs, all of it. */
const NEEDED = ['CLIENT_ID', 'SECRET_KEY', 'WEBHOOK_SECRET'] as const;

/** Throws where a processor has some of what it needs: it would silently not be there. */
export function assertWholeProcessors(variables: ProcessorVariables): void {
  for (const name of ['STRIPE', 'BRAINTREE'] as const) {
    const missing = NEEDED.map((part) => `${name}_${part}` as const).filter((variable) => !variables[variable]);
    if (missing.length === 0 || missing.length === NEEDED.length) continue;
    throw new Error(`Wrong environment variables: ${missing.join(' and ')} must be set as well, or none of the three.`);
  }
}
