import { type ChangeSet, invoicePlaceholder, isLocalId } from '../../billing/change-set.ts';
import type { NewCharges } from '../../billing/charge-records.ts';
import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { type IdPrefix, newId } from '../../core/ids.ts';

/** The ids of the records that a change set makes, by local id. */
export type SavedIds = ReadonlyMap<string, string>;

/** A change set whose records have their ids in the place of local ones. */
export type SavedChanges = ReturnType<typeof withSavedIds>;

/** Returns the id of a record that a change set makes or names. Throws for a local id that it does not make. */
export function savedId(ids: SavedIds, id: string): string {
  const saved = isLocalId(id) ? ids.get(id) : id;
  if (saved === undefined) throw new Error(`a change set makes no record ${id}`);
  return saved;
}

/** Makes an id for each record that the change set makes. */
export function newIdsOf({ invoices = [], credits = [] }: ChangeSet): Map<string, string> {
  const ids = new Map<string, string>();
  const make = (id: string | null, prefix: IdPrefix) => {
    if (id !== null && isLocalId(id)) ids.set(id, newId(prefix));
  };
  for (const { invoice } of invoices) {
    make(invoice.invoiceId, 'inv');
    for (const { lineId } of invoice.lines) make(lineId, 'line');
  }
  for (const { creditId } of credits) make(creditId, 'credit');
  return ids;
}

/** Returns the change set with the ids of its records in the place of local ones, and a placeholder for the number of each invoice. */
export function withSavedIds(changes: ChangeSet, ids: SavedIds) {
  const { invoices = [], credits = [], creditApplications = [], postings = [], steps = [], events = [] } = changes;
  const { sectionsInvoiced = [], pendingTaken = [], refunds = [], charges = [], reversals = [], audit = [] } = changes;
  const idOf = (id: string) => savedId(ids, id);
  const made = new Set<string>(invoices.map(({ invoice }) => invoice.invoiceId));
  const nameOf = (text: string) => {
    return text.replaceAll(/\{invoice:(new:\d+)\}/g, (text, id: string) => {
      return made.has(id) ? invoicePlaceholder(idOf(id)) : text;
    });
  };
  /** Replaces the local ids of the invoice and the credit that a record names. */
  const named = <T extends object>(one: T): T => ({
    ...one,
    ...('invoiceId' in one && typeof one.invoiceId === 'string' && { invoiceId: idOf(one.invoiceId) }),
    ...('creditId' in one && typeof one.creditId === 'string' && { creditId: idOf(one.creditId) }),
  });
  const lineOf = (line: IssuedInvoice['lines'][number]) => ({
    ...line,
    lineId: line.lineId && idOf(line.lineId),
    creditId: line.creditId && idOf(line.creditId),
    ...(line.givenBackOf !== undefined && { givenBackOf: idOf(line.givenBackOf) }),
    ...(line.creditId !== null && isLocalId(line.creditId) && { description: nameOf(line.description) }),
  });
  return {
    ...changes,
    invoices: invoices.map(({ invoice, counts, ...about }) => {
      const invoiceId = idOf(invoice.invoiceId);
      const invoiceNumber = invoicePlaceholder(invoiceId);
      return {
        ...about,
        invoice: { ...invoice, invoiceId, invoiceNumber, lines: invoice.lines.map(lineOf) },
        counts: counts.map((count) => ({ ...count, lineId: idOf(count.lineId) })),
      };
    }),
    charges: charges.map((one) => withChargeIds(one, (id) => (isLocalId(id) ? idOf(id) : id))),
    reversals: reversals.map((one) => ({ ...one, sourceId: idOf(one.sourceId) })),
    credits: credits.map((credit) => ({
      ...named(credit),
      description: credit.description && nameOf(credit.description),
    })),
    creditApplications: creditApplications.map(named),
    refunds: refunds.map(named),
    sectionsInvoiced: sectionsInvoiced.map(named),
    pendingTaken: pendingTaken.map(named),
    postings: postings.map((one) => ({ ...one, subject: named(one.subject) })),
    steps: steps.map(named),
    events: events.map(named),
    audit: audit.map(named),
  };
}

/** A key may end with the id of its line. */
function withChargeIds({ terms, charges, reversals }: NewCharges, idOf: (id: string) => string): NewCharges {
  return {
    terms: terms.map((one) => ({ ...one, invoiceId: idOf(one.invoiceId) })),
    charges: charges.map(({ invoiceId, lineId, termsOf, key, ...charge }) => ({
      ...charge,
      invoiceId: idOf(invoiceId),
      lineId: lineId && idOf(lineId),
      termsOf: idOf(termsOf),
      key: key.slice(0, key.lastIndexOf('/') + 1) + idOf(key.slice(key.lastIndexOf('/') + 1)),
    })),
    reversals: reversals.map(({ sourceId, parts, ...reversal }) => ({
      ...reversal,
      sourceId: idOf(sourceId),
      parts: parts.map((part) => ({ ...part, invoiceId: idOf(part.invoiceId) })),
    })),
  };
}
