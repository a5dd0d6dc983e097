import type { PaymentProvider } from '../../billing/payments/payment-providers.ts';
import { conflict } from '../../core/domain-error.ts';
import { deleteConnection } from '../../sql/postgres/payments/processor-connections.ts';
import { paymentProviderToWire } from '../../wire/payment-providers.ts';
import { changed } from '../audit/audited.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import type { Transactions } from '../transactions.ts';
import { findProcessor } from './list-processors.ts';

/** Forgets a processor's tokens, and gives the grant back to it. @throws DomainError `conflict` where it is not connected */
export async function disconnectProcessor(
  { write }: Pick<Transactions, 'write'>,
  { connections, log }: Pick<ServiceDependencies, 'connections' | 'log'>,
  accountId: string,
  name: PaymentProvider,
) {
  const connected = await connections.find(accountId, name);
  const disconnected = await write(async (tx) => {
    const before = await findProcessor(tx, accountId, name);
    if (!(await deleteConnection(tx, accountId, { provider: name }))) throw conflict(`${name} is not connected.`);
    return changed(before, paymentProviderToWire(name, undefined));
  });
  // We hold no token any more, whether or not the processor could be told.
  await connected?.processor
    .revokeGrant(connected.grant)
    .catch((error: unknown) => log.warn({ error, provider: name }, 'the processor was not told of the disconnect'));
  return disconnected;
}
