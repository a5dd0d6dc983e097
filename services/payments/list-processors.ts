import { PAYMENT_PROVIDERS, type PaymentProvider } from '../../billing/payments/payment-providers.ts';
import { type PageWindow, pageOfAll } from '../../sql/postgres/page-window.ts';
import { listConnections } from '../../sql/postgres/payments/processor-connections.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { paymentProviderToWire } from '../../wire/payment-providers.ts';

/** One page of the payment processors there are, and whether the account has connected them. */
export async function listProcessors(tx: Transaction, accountId: string, window: PageWindow) {
  const connections = await listConnections(tx, accountId);
  const all = PAYMENT_PROVIDERS.map((name) => recordOf(name, connections));
  return pageOfAll(all, ({ provider }) => provider, window);
}

/** A payment processor, and whether the account has connected it. */
export async function findProcessor(tx: Transaction, accountId: string, name: PaymentProvider) {
  return recordOf(name, await listConnections(tx, accountId));
}

function recordOf(name: PaymentProvider, connections: Awaited<ReturnType<typeof listConnections>>) {
  return paymentProviderToWire(
    name,
    connections.find(({ provider }) => provider === name),
  );
}
