import { updateCredit as withChanges } from '../../billing/credits/credits.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { type CreditUpdate, creditToWire } from '../../wire/credits.ts';
import { changed } from '../audit/audited.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { lockCreditForChange } from '../lock-for-change.ts';
import type { CreditRef } from '../references.ts';

/**
 * Changes the expiry or the description of a credit.
 * @throws DomainError `not_found`, `invalid`; `conflict` unless it is active, and while its customer's test clock advances.
 */
export async function updateCredit(
  tx: Transaction,
  { accountId, creditId }: CreditRef,
  wanted: CreditUpdate,
  now: Instant,
) {
  const { credit, today } = await lockCreditForChange(tx, accountId, creditId, now);
  const updated = withChanges(credit, { expiresAt: wanted.expires_at, description: wanted.description }, today);
  await saveChanges(tx, accountId, { creditsChanged: [updated] });
  return changed(creditToWire(credit, today), creditToWire(updated, today));
}
