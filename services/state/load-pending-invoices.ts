import type { PendingInvoice } from '../../billing/invoices/pending-invoice.ts';
import type { Subscription } from '../../billing/subscriptions/subscription.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listPendingPeriods } from '../../sql/postgres/subscriptions/pending-invoices.ts';
import { listFirstPeriods } from '../../sql/postgres/subscriptions/periods.ts';
import { findSubscriptions } from '../../sql/postgres/subscriptions/subscriptions.ts';

/** The pending invoices of these customers, in the order in which they fall due. `known`: subscriptions that have been read already. */
export async function loadPendingInvoices(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
  known: readonly Subscription[] = [],
): Promise<PendingInvoice[]> {
  const pending = await listPendingPeriods(tx, accountId, customerIds);
  if (pending.length === 0) return [];
  const byId = new Map(known.map((one) => [one.subscriptionId, one]));
  const owners = await findMissing(
    tx,
    accountId,
    byId,
    pending.map(({ subscriptionId }) => subscriptionId),
  );
  const replacedAtEnd = pending.flatMap(({ subscriptionId, next }) => {
    return next === null ? (owners.get(subscriptionId)?.replacedBy ?? []) : [];
  });
  const successors = await findMissing(tx, accountId, owners, replacedAtEnd);
  const firstPeriods = replacedAtEnd.length === 0 ? new Map() : await listFirstPeriods(tx, accountId, replacedAtEnd);
  return pending.map(({ subscriptionId, ...one }) => {
    const owner = owners.get(subscriptionId);
    if (!owner) throw new Error(`subscription ${subscriptionId} is missing`);
    const successor = one.next === null && owner.replacedBy !== null ? successors.get(owner.replacedBy) : undefined;
    const currentPeriod = successor && firstPeriods.get(successor.subscriptionId);
    return { ...one, owner, successor: successor && currentPeriod ? { ...successor, currentPeriod } : null };
  });
}

/** `known` and those of `subscriptionIds` that are not in it. */
async function findMissing(
  tx: Transaction,
  accountId: string,
  known: ReadonlyMap<string, Subscription>,
  subscriptionIds: readonly string[],
): Promise<Map<string, Subscription>> {
  const missing = subscriptionIds.filter((id) => !known.has(id));
  const found = await findSubscriptions(tx, accountId, missing);
  return new Map([...known, ...found.map((one) => [one.subscriptionId, one] as const)]);
}
