import type { InvoiceLine, InvoiceSection } from '../../../billing/invoices/invoice.ts';
import type { DiscountBasis } from '../../../billing/invoices/line-basis.ts';
import type { HeldUsage } from '../../../billing/pricing/held-usage.ts';
import type { Instant } from '../../../core/instants.ts';
import { firstRow, type Transaction } from '../postgres.ts';
import { heldFromRows, type StoredHeld } from './held-combinations.ts';
import { CHARGE_OF_LINE, type LineRow, lineFromRow, REVERSED_AMOUNT } from './invoice-rows.ts';
import { SECTIONS_OF_INVOICE, type SectionOfInvoiceRow, sectionFromRow } from './invoice-sections.ts';

/** Entries that are read at once: a few hundred kilobytes. */
const AT_ONCE = 500;

/** Bytes of the names of an entry's fields in an answer. */
const NAMES_OF_LINE = 400;
const BYTES_OF_SECTION = 350;

/** Returns about how many bytes an invoice, by its id, takes in an answer with all of its lines, sections and held usage. */
export async function sumInvoiceBytes(tx: Transaction, accountId: string, invoiceId: string): Promise<number> {
  const answer = await tx.query<{ bytes: string }>(
    `SELECT coalesce(octet_length(i.held::text), 0)
       + (SELECT coalesce(sum(octet_length(l::text) + ${NAMES_OF_LINE}), 0) FROM invoice_lines l
          WHERE l.account_id = i.account_id AND l.invoice_id = i.invoice_id)
       + (SELECT count(*) * ${BYTES_OF_SECTION} FROM invoice_sections x WHERE x.account_id = i.account_id AND x.invoice_id = i.invoice_id)
       AS bytes FROM invoices i WHERE i.account_id = $1 AND i.invoice_id = $2`,
    [accountId, invoiceId],
  );
  return Number(firstRow(answer)?.bytes ?? 0);
}

/** A line of an invoice, both by their ids; undefined if the invoice has no such line. */
export async function findInvoiceLine(
  tx: Transaction,
  accountId: string,
  invoiceId: string,
  lineId: string,
): Promise<InvoiceLine | undefined> {
  const answer = await tx.query<{ line: LineRow }>(
    `SELECT to_jsonb(l) AS line FROM (SELECT l.*, ${REVERSED_AMOUNT} FROM invoice_lines l ${CHARGE_OF_LINE}
       WHERE l.account_id = $1 AND l.invoice_id = $2 AND l.line_id = $3) l`,
    [accountId, invoiceId, lineId],
  );
  const row = firstRow(answer);
  return row && lineFromRow(row.line);
}

/** All lines of an invoice, by its id, in their order, some hundred at a time, each as `toEntry` makes of it. */
export async function* listLinesInParts<T>(
  tx: Transaction,
  accountId: string,
  invoiceId: string,
  toEntry: (line: InvoiceLine) => T,
): AsyncGenerator<T[]> {
  for (let after = -1; ; ) {
    const { rows } = await tx.query<{ line: LineRow; ordinal: number }>(
      `SELECT to_jsonb(l) AS line, l.ordinal FROM (SELECT l.*, ${REVERSED_AMOUNT} FROM invoice_lines l ${CHARGE_OF_LINE}
         WHERE l.account_id = $1 AND l.invoice_id = $2 AND l.ordinal > $3 ORDER BY l.ordinal LIMIT ${AT_ONCE}) l ORDER BY l.ordinal`,
      [accountId, invoiceId, after],
    );
    yield rows.map(({ line }) => toEntry(lineFromRow(line)));
    const last = rows.at(-1);
    if (!last || rows.length < AT_ONCE) return;
    after = last.ordinal;
  }
}

/** A discount line of an issued invoice: of whom it is, for when, and of which discount. */
export type DiscountLine = Pick<InvoiceLine, 'customerId' | 'subscriptionId' | 'periodStart' | 'periodEnd'> & {
  basis: Pick<DiscountBasis, 'of' | 'discountId'>;
};

/** The discount lines of an invoice, by its id, and the sections that they may be on: those of their periods. */
export async function listDiscountLines(
  tx: Transaction,
  accountId: string,
  invoiceId: string,
): Promise<{ lines: DiscountLine[]; sections: InvoiceSection[] }> {
  const ofInvoice = [accountId, invoiceId];
  const discounts = "l.account_id = $1 AND l.invoice_id = $2 AND l.type = 'discount'";
  const [lines, sections] = await Promise.all([
    tx.query<DiscountLineRow>(
      `SELECT l.customer_id, l.subscription_id, l.period_start, l.period_end, l.basis ->> 'discountId' AS discount_id
       FROM invoice_lines l WHERE ${discounts} AND l.basis ->> 'of' = 'discount' ORDER BY l.ordinal`,
      ofInvoice,
    ),
    tx.query<{ section: SectionOfInvoiceRow }>(
      `SELECT jsonb_build_object('customer_id', x.customer_id, 'subscription_id', x.subscription_id, 'kind', x.kind,
         'period_start', x.period_start, 'period_end', x.period_end, 'subtotal', x.subtotal) AS section
       FROM invoices i JOIN invoice_sections x USING (account_id, invoice_id)
       WHERE i.account_id = $1 AND i.invoice_id = $2 AND i.subscription_id IS NULL
         AND (x.period_start, x.period_end) IN (SELECT l.period_start, l.period_end FROM invoice_lines l WHERE ${discounts})`,
      ofInvoice,
    ),
  ]);
  return {
    lines: lines.rows.map((row) => ({
      ...(row.customer_id !== null && { customerId: row.customer_id }),
      ...{ subscriptionId: row.subscription_id, periodStart: row.period_start, periodEnd: row.period_end },
      basis: { of: 'discount', discountId: row.discount_id },
    })),
    sections: sections.rows.map(({ section }) => sectionFromRow(section)),
  };
}

type DiscountLineRow = {
  customer_id: string | null;
  subscription_id: string | null;
  period_start: Instant | null;
  period_end: Instant | null;
  discount_id: string;
};

/** As {@link listLinesInParts}, its sections. */
export function listSectionsInParts<T>(
  tx: Transaction,
  accountId: string,
  invoiceId: string,
  toEntry: (section: InvoiceSection) => T,
): AsyncGenerator<T[]> {
  return entriesInParts(tx, { accountId, invoiceId, entries: SECTIONS_OF_INVOICE }, (rows: SectionOfInvoiceRow[]) =>
    rows.map((row) => toEntry(sectionFromRow(row))),
  );
}

/** As {@link listLinesInParts}, the usage that it holds. */
export function listHeldInParts<T>(
  tx: Transaction,
  accountId: string,
  invoiceId: string,
  toEntry: (held: HeldUsage) => T,
): AsyncGenerator<T[]> {
  return entriesInParts(tx, { accountId, invoiceId, entries: "coalesce(i.held, '[]')" }, (rows: StoredHeld[]) =>
    heldFromRows(rows).map(toEntry),
  );
}

/** The entries of a JSON array that SQL makes of invoice `i`. */
async function* entriesInParts<Row, T>(
  tx: Transaction,
  { accountId, invoiceId, entries }: { accountId: string; invoiceId: string; entries: string },
  fromRows: (rows: Row[]) => T[],
): AsyncGenerator<T[]> {
  for (let offset = 0; ; offset += AT_ONCE) {
    const { rows } = await tx.query<{ entry: Row }>(
      `SELECT e.entry FROM invoices i CROSS JOIN LATERAL jsonb_array_elements(${entries}) WITH ORDINALITY AS e (entry, place)
       WHERE i.account_id = $1 AND i.invoice_id = $2 ORDER BY e.place OFFSET $3 LIMIT ${AT_ONCE}`,
      [accountId, invoiceId, offset],
    );
    yield fromRows(rows.map(({ entry }) => entry));
    if (rows.length < AT_ONCE) return;
  }
}
