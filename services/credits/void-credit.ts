import { voidCredit as voided } from '../../billing/credits/credits.ts';
import { postCreditVoided } from '../../billing/ledger/ledger.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { creditToWire } from '../../wire/credits.ts';
import { changed } from '../audit/audited.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { lockCreditForChange } from '../lock-for-change.ts';
import type { CreditRef } from '../references.ts';

/**
 * Voids what is left of a credit.
 * @throws DomainError `not_found`; `conflict` unless it is active, and while its customer's test clock advances.
 */
export async function voidCredit(tx: Transaction, { accountId, creditId }: CreditRef, now: Instant) {
  const { credit, at, today } = await lockCreditForChange(tx, accountId, creditId, now);
  const { customerId, currency } = credit;
  const without = voided(credit, at, today);
  const subject = { customerId, currency, at, creditId };
  const postings = [{ subject, posting: postCreditVoided(credit.amountRemaining) }];
  await saveChanges(tx, accountId, { creditsChanged: [without], postings });
  return changed(creditToWire(credit, today), creditToWire(without, today));
}
