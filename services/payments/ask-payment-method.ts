import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceDependencies } from '../dependencies.ts';

/** A customer is saved without knowing, rather than left to wait longer than this for a processor. */
const ASK_LIMIT_MS = 3_000;

/**
 * Whether a processor has a payment method of this payer; false where there is no such processor, connection or payer.
 * Undefined where the processor does not say: a good request is not refused for that (spec/api#errors).
 */
export async function askPaymentMethod(
  { connections, log }: Pick<ServiceDependencies, 'connections' | 'log'>,
  accountId: string,
  { provider, payer }: { provider: string | null; payer: string | null },
): Promise<boolean | undefined> {
  if (provider === null || payer === null) return false;
  const ask = async () => {
    const connected = await connections.find(accountId, provider);
    if (!connected) return false;
    return (await connected.processor.findPaymentMethod(connected.grant, payer)) !== null;
  };
  return Promise.race([ask(), sleep(ASK_LIMIT_MS, undefined, { ref: false })]).catch((error: unknown) => {
    log.warn(
      { err: error, accountId, provider },
      'a payment processor does not say whether a payment method is on file',
    );
    return undefined;
  });
}
