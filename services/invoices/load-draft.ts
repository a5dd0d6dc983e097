import { nameAgreed } from '../../billing/invoices/agreed-lines.ts';
import { type ComputedInvoice, computeInvoices } from '../../billing/invoices/compute-invoice.ts';
import { type DraftPart, draftParts } from '../../billing/invoices/draft-parts.ts';
import type { CustomerSnapshot } from '../../billing/snapshot/customer-snapshot.ts';
import { notFound } from '../../core/domain-error.ts';
import { type LocalDate, localDateAt } from '../../core/instants.ts';
import { loadCustomerSnapshot, type ReadRecords, type SnapshotQuestion } from '../snapshot/load-customer-snapshot.ts';
import { answerUsages } from '../usage/answer-usage.ts';
import type { InvoiceSources } from './load-invoice-inputs.ts';

/** A customer's draft: what made it, in order of issue, and its invoices, one for each part, computed as they are taken. */
export type Draft = {
  snapshot: CustomerSnapshot;
  /** The customer's date. */
  today: LocalDate;
  parts: DraftPart[];
  invoices: Iterable<ComputedInvoice>;
};

/**
 * What the next boundaries would invoice now, computed as the final invoices are (spec/invoices#draft); with `readRecords`, by the records
 * as these are at the end of a change that is undone. @throws DomainError `not_found`
 */
export async function loadDraft(
  sources: InvoiceSources,
  question: SnapshotQuestion,
  readRecords?: ReadRecords,
): Promise<Draft> {
  const snapshot = await loadCustomerSnapshot(sources, question, readRecords);
  if (!snapshot) throw notFound(`customer ${question.customerId}`);
  const { customer, credits, at } = snapshot;
  const today = localDateAt(at, customer.timeZone);
  const made = (await answerUsages(sources, question, draftParts(snapshot))).flat();
  const parts = made.toSorted((a, b) => a.dueAt - b.dueAt);
  const { currency, taxRate } = customer;
  const computed = computeInvoices({ currency, taxRate, today, credits, parts });
  return { snapshot, today, parts, invoices: named(computed, snapshot.rules.planOf) };
}

function* named(
  invoices: Iterable<ComputedInvoice>,
  planOf: CustomerSnapshot['rules']['planOf'],
): Generator<ComputedInvoice> {
  for (const invoice of invoices) yield nameAgreed(invoice, planOf);
}
