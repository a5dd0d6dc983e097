import { decideCredit } from '../../billing/decide/credits.ts';
import { postCreditGranted } from '../../billing/ledger/ledger.ts';
import { currencyOf } from '../../core/currencies.ts';
import { conflict, invalid, notFound } from '../../core/domain-error.ts';
import { type Instant, type LocalDate, localDateAt } from '../../core/instants.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { assertClockReady } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { type CreditCreate, creditToWire } from '../../wire/credits.ts';
import { created } from '../audit/audited.ts';
import { saveChanges } from '../billing/save-changes.ts';
import { savedId } from '../billing/saved-ids.ts';

/**
 * Gives a customer credit.
 * @throws DomainError `not_found`, `invalid`; `conflict` while the customer's test clock advances, and where another pays for it.
 */
export async function createCredit(tx: Transaction, accountId: string, wanted: CreditCreate, now: Instant) {
  const customer = await findCustomer(tx, accountId, wanted.customer_id);
  if (!customer) throw notFound(`customer ${wanted.customer_id}`);
  const { customerId, currency, timeZone, testClockId, billedTo } = customer;
  if (billedTo !== null) throw conflict(`The customer is billed to ${billedTo}: give that one the credit.`);
  checkCredit(wanted, currency, localDateAt(customer.clockTime ?? now, timeZone));
  const at = (await assertClockReady(tx, accountId, testClockId)) ?? now;
  const { amount, reason, description, expires_at: expiresAt } = wanted;
  const given = { customerId, amount, currency, reason, description, expiresAt, posting: postCreditGranted(amount) };
  const { credit, changes } = decideCredit(given, { at, timeZone });
  const ids = await saveChanges(tx, accountId, changes);
  return created(creditToWire({ ...credit, creditId: savedId(ids, credit.creditId) }, credit.customerToday));
}

/** @throws DomainError `invalid` for money finer than its currency, or an expiry before the customer's `today`. */
function checkCredit(wanted: CreditCreate, currency: string, today: LocalDate) {
  const { exponent } = currencyOf(currency);
  const tooFine = (wanted.amount.decimalPlaces() ?? 0) > exponent;
  const past = wanted.expires_at !== null && wanted.expires_at < today;
  if (!tooFine && !past) return;
  throw invalid({
    ...(tooFine && { amount: [`Must have at most ${exponent} decimals in ${currency}.`] }),
    ...(past && { expires_at: [`Must not be in the past; today is ${today}.`] }),
  });
}
