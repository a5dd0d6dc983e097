import type { ChangeSet } from '../../billing/change-set.ts';
import { payersOfParts } from '../../billing/decide/parts-credited.ts';
import type { DowngradePart } from '../../billing/subscriptions/cancel.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { recordCredit } from '../billing/record-reversals.ts';
import { type SavedIds, savedId } from '../billing/saved-ids.ts';

/** The change set that credited the parts, in their order, once it is saved. `keys` name the charges that are given back first. */
type Credited = { changes: ChangeSet; ids: SavedIds; keys: readonly string[] };

/** Counts what credits give back against the charges of their invoices (spec/credits#given-back-once). */
export async function recordPartsCredited(
  tx: Transaction,
  accountId: string,
  customer: Customer,
  parts: readonly DowngradePart[],
  { changes: { credits = [] }, ids, keys }: Credited,
): Promise<void> {
  const customerIds = [customer.customerId, ...payersOfParts(customer, parts)];
  const { currency } = customer;
  for (const [i, part] of parts.entries()) {
    const { invoiceId } = part;
    const creditId = credits[i]?.creditId;
    if (invoiceId === null || creditId === undefined) continue;
    await recordCredit(tx, accountId, savedId(ids, creditId), { invoiceId, currency, customerIds }, { ...part, keys });
  }
}
