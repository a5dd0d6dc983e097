/** How a payment processor is reached. */
type ProcessorSettings = Record<'clientId' | 'secretKey' | 'webhookSecret', string> & { apiBase: string | undefined };
type ProcessorVariable = `${'STRIPE' | 'BRAINTREE'}_${'API_BASE' | 'CLIENT_ID' | 'SECRET_KEY' | 'WEBHOOK_SECRET'}`;

/** Of the environment, or of PROCESSORS_FILE. */
type ProcessorVariables = Partial<Record<ProcessorVariable, string | undefined>>;

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
