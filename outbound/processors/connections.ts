import type { Instant } from '../../billing/instants.ts';
import type { Processors } from './configured.ts';
import type { Grant, PaymentProcessor } from './processor.ts';

/** Where grants are kept; `sql/processor-connections.ts` keeps them in the books, encrypted. */
export type GrantStore = {
  find(accountId: string, provider: string): Promise<Grant | undefined>;
  /** Replaces the tokens of a connection that is still to the same external account. */
  updateTokens(accountId: string, provider: string, grant: Grant): Promise<void>;
  remove(accountId: string, provider: string, externalAccountId: string): Promise<void>;
};

/** A processor, and by whose grant it is called. */
export type ConnectedProcessor = { processor: PaymentProcessor; grant: Grant };

/** Which processors an account has connected. */
export type Connections = {
  /** The account's connection to a processor by name; undefined where it has none, or the processor is not configured. */
  find(accountId: string, provider: string | null): Promise<ConnectedProcessor | undefined>;
  /** Forgets a grant that the processor says was taken back. */
  drop(accountId: string, connected: ConnectedProcessor): Promise<void>;
};

/** An access token is replaced when it ends within this, so that no order is sent with one that ends on its way. */
const REFRESH_AHEAD_MS = 30 * 60_000;

export function createConnections(processors: Processors, store: GrantStore, clock: { now(): Instant }): Connections {
  return {
    async find(accountId, provider) {
      const processor = provider === null ? undefined : processors.get(provider);
      const grant = processor && (await store.find(accountId, processor.name));
      if (!processor || !grant) return undefined;
      if (grant.expiresAt === null || grant.expiresAt > clock.now() + REFRESH_AHEAD_MS) return { processor, grant };
      const fresh = await processor.refreshGrant(grant);
      if (fresh) await store.updateTokens(accountId, processor.name, fresh);
      return { processor, grant: fresh ?? grant };
    },
    drop: (accountId, { processor, grant }) => store.remove(accountId, processor.name, grant.externalAccountId),
  };
}
