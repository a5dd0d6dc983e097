import { PAYMENT_PROVIDERS } from '../../billing/payments/payment-providers.ts';
import { type PageWindow, pageOf } from '../../sql/postgres/page-window.ts';
import { listConnections } from '../../sql/postgres/payments/processor-connections.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { paymentProviderToWire } from '../../wire/payment-providers.ts';

/** One page of the payment processors there are, and whether the account has connected them. */
export async function listProcessors(tx: Transaction, accountId: string, { limit, offset }: PageWindow) {
  const connections = await listConnections(tx, accountId);
  const all = PAYMENT_PROVIDERS.map((name) =>
    paymentProviderToWire(
      name,
      connections.find(({ provider }) => provider === name),
    ),
  );
  return pageOf(all.slice(offset, offset + limit + 1), { limit, offset }, async () => all.length);
}
