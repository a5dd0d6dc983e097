import { assertMayPay } from '../../billing/accounts/payers.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { lockCustomerForUpdate } from '../../sql/postgres/customers/customers.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';

/**
 * Checks whether the customer that one is to be billed to may pay for it, and keeps that as it is until the transaction ends.
 * @throws DomainError as `assertMayPay`
 */
export async function checkPayer(tx: Transaction, accountId: string, customer: Customer): Promise<void> {
  const { billedTo, customerId } = customer;
  if (billedTo === null) return;
  const payer = billedTo === customerId ? undefined : await lockCustomerForUpdate(tx, accountId, billedTo);
  assertMayPay(payer, customer, billedTo);
}
