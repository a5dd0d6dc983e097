import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';

/** Who is billed for what a customer uses: by its tax, credits and terms (spec/customers#one-payer). */
export async function loadPayer(tx: Transaction, accountId: string, customer: Customer): Promise<Customer> {
  return customer.billedTo === null ? customer : loadCustomer(tx, accountId, customer.billedTo);
}
