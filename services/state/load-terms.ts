import type { OwnTerms } from '../../billing/state/billing-rules.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listChargeableAddonsOf } from '../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { listOwnPrepaidUnitsOf } from '../../sql/postgres/subscriptions/prepaid-units.ts';

/** Loads the prepaid units and add-ons of subscriptions, by subscription. Subscriptions without any have no entry. */
export async function loadTerms(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
): Promise<Record<string, OwnTerms>> {
  const ids = [...subscriptionIds];
  const [units, addons] = await Promise.all([
    listOwnPrepaidUnitsOf(tx, accountId, ids),
    listChargeableAddonsOf(tx, accountId, ids),
  ]);
  const found = [...new Set([...units.keys(), ...addons.keys()])];
  return Object.fromEntries(
    found.map((id) => [id, { prepaidUnits: units.get(id) ?? [], addons: addons.get(id) ?? [] }]),
  );
}
