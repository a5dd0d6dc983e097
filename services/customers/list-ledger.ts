import { notFound } from '../../core/domain-error.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import { listLedgerTransactions } from '../../sql/postgres/ledger/ledger.ts';
import type { PageWindow } from '../../sql/postgres/page-window.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import type { CustomerRef } from '../references.ts';

/** What was posted for a customer, newest first. @throws DomainError `not_found` for a customer that does not exist */
export async function listLedger(tx: Transaction, { accountId, customerId }: CustomerRef, window: PageWindow) {
  if (!(await findCustomer(tx, accountId, customerId))) throw notFound(`customer ${customerId}`);
  return listLedgerTransactions(tx, accountId, customerId, window);
}
