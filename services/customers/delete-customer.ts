import { notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import {
  findCustomer,
  lockCustomerForUpdate,
  deleteCustomer as saveDeletion,
} from '../../sql/postgres/customers/customers.ts';
import { CUSTOMER_DELETED, insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import { assertClockStands } from '../../sql/postgres/subscriptions/test-clocks.ts';
import type { CustomerRef } from '../references.ts';
import { endAllSubscriptions } from '../subscriptions/end-subscriptions.ts';
import type { Stores } from '../usage/answered-usage.ts';

/**
 * Deletes a customer: its subscriptions end without an invoice, its personal data goes; its usage is erased by a workflow
 * (spec/customers#deletion).
 * @throws DomainError `not_found`; `conflict` while its test clock advances.
 */
export async function deleteCustomer(
  { tx, usage }: Stores,
  { accountId, customerId }: CustomerRef,
  now: Instant,
): Promise<void> {
  const known = await findCustomer(tx, accountId, customerId);
  if (!known) throw notFound(`customer ${customerId}`);
  const at = (await assertClockStands(tx, accountId, known.testClockId)) ?? now;
  if (!(await lockCustomerForUpdate(tx, accountId, customerId))) throw notFound(`customer ${customerId}`);
  await endAllSubscriptions({ tx, usage }, accountId, customerId, at);
  await saveDeletion(tx, accountId, customerId, at);
  const data = { customer_id: customerId };
  await insertOutboxEvent(tx, { accountId, type: CUSTOMER_DELETED, subject: `customer/${customerId}`, data });
}
