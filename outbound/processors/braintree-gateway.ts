import braintree, { type BraintreeGateway } from 'braintree';
import { tunnelAgent } from '../proxy.ts';
import { CALL_LIMIT_MS, ProcessorError, type ProcessorFailure, type ProcessorSettings } from './processor.ts';

export type Gateway = BraintreeGateway;

type Credentials = { clientId: string; clientSecret: string } | { accessToken: string };

/** The SDK acting for us (OAuth) or for an account. Whether it is sandbox or production is said in the credentials. */
export function createGateway(
  { apiBase, proxy }: Pick<ProcessorSettings, 'apiBase' | 'proxy'>,
  credentials: Credentials,
): Gateway {
  const gateway = new braintree.BraintreeGateway(credentials as ConstructorParameters<typeof BraintreeGateway>[0]);
  gateway.config.timeout = CALL_LIMIT_MS;
  if (apiBase !== undefined) gateway.config.environment = environmentAt(apiBase);
  if (proxy) {
    const { protocol } = new URL(apiBase ?? 'https://braintree');
    gateway.config.customHttpAgent = tunnelAgent(protocol, { proxy });
  }
  return gateway;
}

/**
 * The SDK as it checks notifications: by a key pair, `BRAINTREE_WEBHOOK_SECRET=<public key>:<private key>`.
 * @throws Error for a secret of another form.
 */
export function verifyingGateway({ webhookSecret }: Pick<ProcessorSettings, 'webhookSecret'>): Gateway {
  const [publicKey, privateKey] = webhookSecret.split(':');
  if (!publicKey || !privateKey) throw new Error('BRAINTREE_WEBHOOK_SECRET must be <public key>:<private key>');
  const { Sandbox: environment } = braintree.Environment;
  return new braintree.BraintreeGateway({ environment, merchantId: 'any', publicKey, privateKey });
}

/** What the SDK knows of an environment, for an address that is none of its own. */
function environmentAt(apiBase: string) {
  const { hostname: server, port, protocol, origin } = new URL(apiBase);
  const ssl = protocol === 'https:';
  return { server, port: port || (ssl ? '443' : '80'), ssl, baseUrl: () => origin };
}

const NOT_FOUND = 'notFoundError';

/** Errors of the SDK by what they say; all others, such as its "Request timed out", mean that nothing is known. */
const FAILURES: Record<string, ProcessorFailure> = {
  authenticationError: 'revoked',
  authorizationError: 'revoked',
  [NOT_FOUND]: 'refused',
  invalidKeysError: 'refused',
};

/** What a failed call means to whoever called the port. */
export function failureFromBraintree(error: unknown): ProcessorError {
  if (error instanceof ProcessorError) return error;
  if (!(error instanceof Error)) throw error;
  return new ProcessorError(FAILURES[error.name] ?? 'away', `Braintree: ${error.message || error.name}`);
}

/** Whether the SDK found a notification not to be signed as it should be, rather than not to be what it knows. */
export function isInvalidSignature(error: unknown): boolean {
  return error instanceof Error && error.name === 'invalidSignatureError';
}

/** Null for what Braintree does not have. */
export async function orNull<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error && error.name === NOT_FOUND) return null;
    throw error;
  }
}
