import type { ConnectedProcessor } from '../../outbound/processors/connections.ts';
import { deleteConnection } from '../../sql/postgres/payments/processor-connections.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import { paymentProviderToWire } from '../../wire/payment-providers.ts';
import { changed } from '../audit/audited.ts';
import { BY_SYSTEM } from '../audit/origin.ts';
import { saveAuditEntry } from '../audit/save-audit-entry.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import { findProcessor } from './list-processors.ts';

/** Forgets a grant that its processor says was taken back; one that has taken its place stays. */
export async function dropConnection(
  { postgres, log }: Pick<ServiceDependencies, 'postgres' | 'log'>,
  accountId: string,
  { processor: { name }, grant: { externalAccountId } }: ConnectedProcessor,
): Promise<void> {
  log.warn({ accountId, provider: name }, 'a payment processor was disconnected from its side');
  await inTransaction(postgres, accountId, async (tx) => {
    const before = await findProcessor(tx, accountId, name);
    if (!(await deleteConnection(tx, accountId, { provider: name, externalAccountId }))) return;
    const deed = { accountId, action: 'payment_provider.disconnected', origin: BY_SYSTEM } as const;
    saveAuditEntry(tx, deed, changed(before, paymentProviderToWire(name, undefined)));
  });
}
