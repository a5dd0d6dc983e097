import { notFound } from '../../core/domain-error.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import { listPortalLinks as list } from '../../sql/postgres/customers/portal-links.ts';
import type { PageWindow } from '../../sql/postgres/page-window.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import type { CustomerRef } from '../references.ts';

/** One page of a customer's links, newest first. @throws DomainError `not_found` */
export async function listPortalLinks(tx: Transaction, { accountId, customerId }: CustomerRef, window: PageWindow) {
  if (!(await findCustomer(tx, accountId, customerId))) throw notFound(`customer ${customerId}`);
  return list(tx, accountId, customerId, window);
}
