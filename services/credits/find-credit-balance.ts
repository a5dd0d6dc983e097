import { notFound } from '../../core/domain-error.ts';
import { sumCreditsLeft } from '../../sql/postgres/credits/credits.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import type { CustomerRef } from '../references.ts';

/** What is left of a customer's active credits, by currency. @throws DomainError `not_found` for a customer that does not exist */
export async function findCreditBalance(tx: Transaction, { accountId, customerId }: CustomerRef) {
  if (!(await findCustomer(tx, accountId, customerId))) throw notFound(`customer ${customerId}`);
  return sumCreditsLeft(tx, accountId, customerId);
}
