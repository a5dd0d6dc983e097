import { conflict, notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { updateAuditErased } from '../../sql/postgres/accounts/audit-entries.ts';
import { updateBilledTo } from '../../sql/postgres/customers/billed-to.ts';
import {
  findCustomer,
  lockCustomerForUpdate,
  deleteCustomer as saveDeletion,
} from '../../sql/postgres/customers/customers.ts';
import { deleteCustomerDocuments } from '../../sql/postgres/invoices/invoice-documents.ts';
import { CUSTOMER_DELETED, insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import { assertClockStands } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { customerToWire } from '../../wire/customers.ts';
import { type Audited, deleted } from '../audit/audited.ts';
import { ERASED, erasedRecord, PERSONAL_FIELDS } from '../audit/personal-fields.ts';
import type { CustomerRef } from '../references.ts';
import { endAllSubscriptions, lockAllSubscriptions } from '../subscriptions/end-subscriptions.ts';
import type { Stores } from '../usage/answered-usage.ts';
import { NO_BILLING } from './customer-records.ts';

/**
 * Deletes a customer: its subscriptions end without an invoice, its personal data goes; its usage is erased by a workflow
 * (spec/customers#deletion).
 * @throws DomainError `not_found`; `conflict` while its test clock advances, and while others are billed to it.
 */
export async function deleteCustomer(
  { tx, usage }: Stores,
  { accountId, customerId }: CustomerRef,
  now: Instant,
): Promise<Audited<void>> {
  const known = await findCustomer(tx, accountId, customerId);
  if (!known) throw notFound(`customer ${customerId}`);
  const at = (await assertClockStands(tx, accountId, known.testClockId)) ?? now;
  await lockAllSubscriptions(tx, accountId, customerId);
  const customer = await lockCustomerForUpdate(tx, accountId, customerId);
  if (!customer) throw notFound(`customer ${customerId}`);
  if (customer.isPayer) throw conflict(`Others are billed to customer ${customerId}; bill them to another first.`);
  await updateBilledTo(tx, accountId, customerId, null);
  await endAllSubscriptions({ tx, usage }, accountId, customerId, at);
  await saveDeletion(tx, accountId, customerId, at);
  await deleteCustomerDocuments(tx, accountId, customerId);
  await updateAuditErased(tx, accountId, customerId, { fields: PERSONAL_FIELDS, mark: ERASED });
  const data = { customer_id: customerId };
  await insertOutboxEvent(tx, { accountId, type: CUSTOMER_DELETED, subject: `customer/${customerId}`, data });
  return deleted(erasedRecord(customerToWire(customer, NO_BILLING)));
}
