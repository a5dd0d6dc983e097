import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { conflict } from '../../core/domain-error.ts';
import { loadCustomerHistory } from '../../sql/postgres/customers/customers.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';

/** A customer has one currency at a time (spec/customers#currency). @throws DomainError `conflict` where it may no longer change. */
export async function assertCurrencyMayChange(tx: Transaction, accountId: string, { customerId, currency }: Customer) {
  const { billed, live } = await loadCustomerHistory(tx, accountId, customerId);
  if (billed) throw conflict(`The customer has been invoiced in ${currency}, its currency stays.`);
  if (live) throw conflict(`The customer has a live subscription in ${currency}.`);
}
