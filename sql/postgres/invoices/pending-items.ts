import type { OnInvoice, PendingItemCredited } from '../../../billing/change-set.ts';
import type { NewInvoiceLine } from '../../../billing/invoices/invoice.ts';
import type { ReversalPart } from '../../../billing/invoices/line-basis.ts';
import type { PendingItems } from '../../../billing/invoices/pending-items.ts';
import { type ChargeCount, isCountOf } from '../../../billing/metering/line-counts.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import type { Transaction } from '../postgres.ts';
import { heldFromRows, heldToRows, type StoredHeld } from './held-combinations.ts';

/** A line that waits for its invoice, with what its usage was counted from. Numbers in stored JSON come back as decimals, also those that are none in a line. */
export type StoredLine = Omit<NewInvoiceLine, 'version' | 'periodStart' | 'periodEnd' | 'held' | 'reverses'> &
  Record<'version' | 'periodStart' | 'periodEnd', Decimal | null> & {
    count?: StoredCount;
    held?: StoredHeld[];
    reverses?: (Omit<ReversalPart, 'ordinal'> & { ordinal: Decimal })[];
  };

type StoredCount = Omit<ChargeCount, 'countedFrom' | 'countedTo' | 'periodStart' | 'prepaidBefore'> & {
  prepaidBefore?: Decimal;
  countedFrom: Decimal | null;
  countedTo: Decimal;
  periodStart: Decimal;
};

/**
 * Keeps what a call bills for the customer's next invoice, with what usage was counted from; amounts are rounded to the
 * currency already.
 */
export async function insertPendingItems(
  tx: Transaction,
  accountId: string,
  owner: { customerId: string; subscriptionId: string },
  lines: readonly NewInvoiceLine[],
  counts: readonly ChargeCount[],
): Promise<void> {
  for (const line of linesToStored(lines, counts)) {
    await tx.query(
      'INSERT INTO waiting_lines (account_id, customer_id, subscription_id, line) VALUES ($1, $2, $3, $4)',
      [accountId, owner.customerId, owner.subscriptionId, stringifyExactJson(line)],
    );
  }
}

/** What waits for the customer's next invoice, oldest first, locked until the transaction ends where it takes them. */
export async function listPendingItems(
  tx: Transaction,
  accountId: string,
  customerId: string,
  { lock }: { lock: boolean },
): Promise<PendingItems> {
  const answer = await tx.query<WaitingRow>(
    `SELECT customer_id, seq, line FROM waiting_lines WHERE account_id = $1 AND customer_id = $2 AND invoice_id IS NULL
     ORDER BY seq ${lock ? 'FOR UPDATE' : ''}`,
    [accountId, customerId],
  );
  return itemsFromRows(answer.rows);
}

/** What waits for the next invoice of each of these customers, oldest first. */
export async function listPendingItemsOf(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
): Promise<(customerId: string) => PendingItems> {
  const { rows } = await tx.query<WaitingRow>(
    `SELECT customer_id, seq, line FROM waiting_lines WHERE account_id = $1 AND customer_id = ANY($2) AND invoice_id IS NULL
     ORDER BY seq`,
    [accountId, customerIds],
  );
  const rowsOf = Map.groupBy(rows, (row) => row.customer_id);
  return (customerId) => itemsFromRows(rowsOf.get(customerId) ?? []);
}

type WaitingRow = { customer_id: string; seq: string; line: StoredLine };

function itemsFromRows(rows: readonly WaitingRow[]): PendingItems {
  return {
    seqs: rows.map(({ seq }) => seq),
    lines: rows.map(({ line }) => lineFromStored(line)),
    counts: countsFromStored(rows.map(({ line }) => line)),
  };
}

/** Whether anything waits for the customer's next invoice that is reason to make one. */
export async function hasPendingItems(tx: Transaction, accountId: string, customerId: string): Promise<boolean> {
  const { lines } = await listPendingItems(tx, accountId, customerId, { lock: false });
  return lines.some(({ amount }) => !amount.isZero());
}

/** Stores what is credited of lines that wait. */
export async function updatePendingItemsCredited(
  tx: Transaction,
  accountId: string,
  credited: readonly PendingItemCredited[],
): Promise<void> {
  for (const { seq, creditedBefore } of credited) {
    await tx.query(
      `UPDATE waiting_lines SET line = jsonb_set(line::jsonb, '{creditedBefore}', $3::jsonb)::json
       WHERE account_id = $1 AND seq = $2 AND invoice_id IS NULL`,
      [accountId, seq, stringifyExactJson(creditedBefore)],
    );
  }
}

/** Stores that invoices have taken lines. */
export async function updatePendingItemsTaken(
  tx: Transaction,
  accountId: string,
  taken: readonly OnInvoice[],
): Promise<void> {
  if (taken.length === 0) return;
  await tx.query(
    `UPDATE waiting_lines w SET invoice_id = i.invoice_id
     FROM unnest($2::bigint[], $3::text[]) AS i (seq, invoice_id) WHERE w.account_id = $1 AND w.seq = i.seq`,
    [accountId, ...rowsOnInvoices(taken)],
  );
}

/** Returns rows and, for each, its invoice, as two lists. */
export function rowsOnInvoices(taken: readonly OnInvoice[]): [seqs: string[], invoiceIds: string[]] {
  const rows = taken.flatMap(({ seqs, invoiceId }) => seqs.map((seq) => ({ seq, invoiceId })));
  return [rows.map(({ seq }) => seq), rows.map(({ invoiceId }) => invoiceId)];
}

/** The lines are on sections of a consolidated invoice, and wait there. */
export async function deletePendingItems(tx: Transaction, accountId: string, seqs: readonly string[]): Promise<void> {
  if (seqs.length === 0) return;
  await tx.query('DELETE FROM waiting_lines WHERE account_id = $1 AND seq = ANY($2)', [accountId, seqs]);
}

/** Lines with what their usage was counted from, as they are stored. */
export function linesToStored(lines: readonly NewInvoiceLine[], counts: readonly ChargeCount[]) {
  return lines.map(({ held = [], ...line }) => {
    const count = counts.find((one) => isCountOf(one, line));
    const kept = heldToRows(held);
    return { ...line, ...(count && { count: countToStored(count) }), ...(kept && { held: kept }) };
  });
}

/** What the usage of stored lines was counted from. */
export function countsFromStored(lines: readonly StoredLine[]): ChargeCount[] {
  return lines.flatMap(({ count }) => (count ? [countFromStored(count)] : []));
}

function countToStored(count: ChargeCount): StoredCount {
  const { countedFrom, countedTo, periodStart } = count;
  return {
    ...count,
    countedFrom: countedFrom === null ? null : decimal(countedFrom.toString()),
    countedTo: decimal(countedTo.toString()),
    periodStart: decimal(periodStart),
  };
}

function countFromStored(stored: StoredCount): ChargeCount {
  const { countedFrom, countedTo, periodStart, prepaidBefore } = stored;
  return {
    ...stored,
    // What waits since an earlier release has none: then units never changed.
    prepaidBefore: prepaidBefore ?? stored.prepaidUnits,
    countedFrom: countedFrom && BigInt(countedFrom.toFixed()),
    countedTo: BigInt(countedTo.toFixed()),
    periodStart: periodStart.toNumber(),
  };
}

/** A stored line without its count. */
export function lineFromStored({ count: _count, held, reverses, ...stored }: StoredLine): NewInvoiceLine {
  const { version, periodStart, periodEnd } = stored;
  return {
    ...stored,
    ...(reverses && { reverses: reverses.map((part) => ({ ...part, ordinal: part.ordinal.toNumber() })) }),
    ...(held && { held: heldFromRows(held) }),
    version: version?.toNumber() ?? null,
    periodStart: periodStart?.toNumber() ?? null,
    periodEnd: periodEnd?.toNumber() ?? null,
  };
}
