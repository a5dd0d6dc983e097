import type { Instant } from '../../core/instants.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Processors } from './configured.ts';
import { type Grant, type PaymentProcessor, ProcessorError } from './processor.ts';

/** Where grants are kept; `sql/postgres/payments/processor-connections.ts` keeps them in the records, encrypted. */
export type GrantStore = {
  find(accountId: string, provider: string): Promise<Grant | undefined>;
  /**
   * Replaces the grant by what `renew` makes of the one that is stored, and answers what is stored then; undefined at once where
   * somebody else is at it, or too many are.
   */
  renew(accountId: string, provider: string, renew: (grant: Grant) => Promise<Grant>): Promise<Grant | undefined>;
};

/** A processor, and by whose grant it is called. */
export type ConnectedProcessor = { processor: PaymentProcessor; grant: Grant };

/** Which processors an account has connected. */
export type Connections = {
  /** The account's connection to a processor by name; undefined where it has none, or the processor is not configured. */
  find(accountId: string, provider: string | null): Promise<ConnectedProcessor | undefined>;
};

/**
 * A grant is renewed this long before its access token ends: half of the life of Braintree's. Renewing may fail for hours, and
 * the grant is used as it is meanwhile.
 */
const RENEW_AHEAD_MS = 12 * 3_600_000;

export function createConnections(processors: Processors, store: GrantStore, clock: Clock): Connections {
  const endsBefore = ({ expiresAt }: Grant, at: Instant) => expiresAt !== null && expiresAt <= at;
  const isOld = (grant: Grant) => endsBefore(grant, clock.now() + RENEW_AHEAD_MS);
  const hasEnded = (grant: Grant) => endsBefore(grant, clock.now());

  /** Renewing ends the grant before it (Braintree), so one does it at a time, and looks first whether it is done. */
  async function renewed(accountId: string, processor: PaymentProcessor, grant: Grant): Promise<Usable> {
    const renew = async (stored: Grant) =>
      isOld(stored) ? ((await processor.refreshGrant(stored)) ?? stored) : stored;
    try {
      const now = await store.renew(accountId, processor.name, renew);
      return now ? { grant: now, isLast: hasEnded(now) } : { grant, isLast: false };
    } catch (error) {
      if (error instanceof ProcessorError) return { grant, isLast: error.failure !== 'away' };
      throw error;
    }
  }

  return {
    async find(accountId, provider) {
      const processor = provider === null ? undefined : await processors.get(provider);
      const stored = processor && (await store.find(accountId, processor.name));
      if (!processor || !stored) return undefined;
      const { grant, isLast } = isOld(stored)
        ? await renewed(accountId, processor, stored)
        : { grant: stored, isLast: false };
      const isBelieved = async (used: Grant) =>
        (isLast || !hasEnded(used)) && (await store.find(accountId, processor.name))?.accessToken === used.accessToken;
      return { processor: doubting(processor, isBelieved), grant };
    },
  };
}

/** A grant, and whether the processor gives no other in its place. */
type Usable = { grant: Grant; isLast: boolean };

/**
 * The processor, whose "revoked" counts only for a grant that is stored and has not just come to its end: another one was
 * renewed under way or soon will be, so it is to be asked again.
 */
function doubting(processor: PaymentProcessor, isBelieved: (grant: Grant) => Promise<boolean>): PaymentProcessor {
  const checked =
    <Args extends unknown[], T>(call: (grant: Grant, ...args: Args) => Promise<T>) =>
    async (grant: Grant, ...args: Args): Promise<T> => {
      try {
        return await call(grant, ...args);
      } catch (error) {
        const isRevoked = error instanceof ProcessorError && error.failure === 'revoked';
        if (!isRevoked || (await isBelieved(grant))) throw error;
        throw new ProcessorError('away', 'The credentials have ended, or were renewed meanwhile.');
      }
    };
  return {
    ...processor,
    findPaymentMethod: checked(processor.findPaymentMethod),
    charge: checked(processor.charge),
    findCharge: checked(processor.findCharge),
    cancelCharge: checked(processor.cancelCharge),
    refund: checked(processor.refund),
    findRefund: checked(processor.findRefund),
  };
}
