import { notFound } from '../../core/domain-error.ts';
import { isMetricOfCustomer } from '../../sql/postgres/customers/portal-links.ts';
import { findInvoiceOwner } from '../../sql/postgres/invoices/invoices.ts';
import { inReading, type Pool } from '../../sql/postgres/postgres.ts';
import type { CustomerRef } from '../references.ts';

type Sources = { postgres: Pool };

/** @throws DomainError `not_found` where an invoice, named by its id or its number, is not the customer's, or there is none */
export async function assertOwnInvoice({ postgres }: Sources, ref: CustomerRef, idOrNumber: string): Promise<void> {
  const { accountId, customerId } = ref;
  const owner = await inReading(postgres, accountId, (tx) => findInvoiceOwner(tx, accountId, idOrNumber));
  if (owner?.customerId !== customerId) throw notFound(`invoice ${idOrNumber}`);
}

/** @throws DomainError `not_found` where no plan that the customer has, or had, names the metric */
export async function assertOwnMetric({ postgres }: Sources, ref: CustomerRef, metricId: string): Promise<void> {
  const { accountId, customerId } = ref;
  const isOwn = await inReading(postgres, accountId, (tx) => isMetricOfCustomer(tx, accountId, customerId, metricId));
  if (!isOwn) throw notFound(`metric ${metricId}`);
}
