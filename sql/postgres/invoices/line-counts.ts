import type { LineCount } from '../../../billing/metering/line-counts.ts';
import type { EventPrices } from '../../../billing/pricing/percentage.ts';
import { decimal } from '../../../core/decimal.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import type { Transaction } from '../postgres.ts';

/** Keeps what the lines of invoices were counted from, in the transaction that issues them. */
export async function insertLineCounts(
  tx: Transaction,
  accountId: string,
  counts: readonly (LineCount & { lineId: string })[],
): Promise<void> {
  if (counts.length === 0) return;
  await tx.query(
    `INSERT INTO line_counts (account_id, line_id, counted_from, counted_to, timezone, prepaid_units, prepaid_before,
       quantity_before, by_event, by_event_before)
     SELECT $1, c.* FROM jsonb_to_recordset($2) AS c (line_id text, counted_from numeric, counted_to numeric,
       timezone text, prepaid_units numeric, prepaid_before numeric, quantity_before numeric, by_event jsonb,
       by_event_before jsonb)`,
    [accountId, stringifyExactJson(counts.map(lineCountToRow))],
  );
}

function lineCountToRow(count: LineCount & { lineId: string }) {
  return {
    line_id: count.lineId,
    counted_from: count.countedFrom === null ? null : decimal(count.countedFrom.toString()),
    counted_to: decimal(count.countedTo.toString()),
    timezone: count.timeZone,
    prepaid_units: count.prepaidUnits,
    prepaid_before: count.prepaidBefore,
    quantity_before: count.quantityBefore,
    by_event: count.byEvent ?? null,
    by_event_before: count.byEventBefore ?? null,
  };
}

/** What these lines were counted from, by line id; a line that counts nothing has none. */
export async function findLineCounts(
  tx: Transaction,
  accountId: string,
  lineIds: string[],
): Promise<Map<string, LineCount>> {
  const { rows } = await tx.query<LineCountRow>(
    `SELECT line_id, counted_from, counted_to, timezone, prepaid_units, prepaid_before, quantity_before, by_event,
       by_event_before
     FROM line_counts WHERE account_id = $1 AND line_id = ANY($2)`,
    [accountId, lineIds],
  );
  return new Map(rows.map((row) => [row.line_id, lineCountFromRow(row)]));
}

type LineCountRow = {
  line_id: string;
  counted_from: string | null;
  counted_to: string;
  timezone: string;
  prepaid_units: string;
  prepaid_before: string | null;
  quantity_before: string;
  by_event: EventPrices | null;
  by_event_before: EventPrices | null;
};

function lineCountFromRow(row: LineCountRow): LineCount {
  return {
    countedFrom: row.counted_from === null ? null : BigInt(row.counted_from),
    countedTo: BigInt(row.counted_to),
    timeZone: row.timezone,
    prepaidUnits: decimal(row.prepaid_units),
    prepaidBefore: decimal(row.prepaid_before ?? row.prepaid_units),
    quantityBefore: decimal(row.quantity_before),
    ...(row.by_event && { byEvent: row.by_event }),
    ...(row.by_event_before && { byEventBefore: row.by_event_before }),
  };
}
