import type { LateCharge, UsageCharge } from '../billing/charges.ts';
import { type Decimal, decimal, ZERO } from '../billing/decimal.ts';
import type { InvoiceLine, IssuedInvoice } from '../billing/invoice.ts';
import { stringifyExactJson } from '../runtime/exact-json.ts';
import type { Transaction } from './postgres.ts';

/**
 * What the quantity of a usage or late_usage line was counted from: events at positions above `countedFrom` (null: all) up
 * to `countedTo`, the metric's time filter read in `timeZone`. A late_usage line changed a period that had been billed for
 * `quantityBefore`; that of a usage line is 0.
 */
export type LineCount = {
  lineId: string;
  countedFrom: bigint | null;
  countedTo: bigint;
  timeZone: string;
  prepaidUnits: Decimal;
  quantityBefore: Decimal;
};

/** Late usage with the position up to which its period had been counted, and the zone it was billed in. */
export type CountedLate = LateCharge & { countedFrom: bigint; timeZone: string };

type Counted = {
  usages: readonly UsageCharge[];
  late: readonly CountedLate[];
  /** The zone of the usages. */
  timeZone: string;
  /** The seal. */
  countedTo: bigint;
};

/** Keeps what the lines of an invoice were counted from, in the transaction that issues it. */
export async function insertLineCounts(
  tx: Transaction,
  accountId: string,
  invoice: IssuedInvoice,
  { usages, late, timeZone, countedTo }: Counted,
): Promise<void> {
  const rows = [
    ...usages.map((charge) => {
      const line = lineOf(invoice, 'usage', charge);
      return rowOf(line, { countedFrom: null, timeZone, prepaidUnits: charge.prepaidUnits, quantityBefore: ZERO });
    }),
    ...late.map((charge) => {
      const { countedFrom, timeZone, prepaidUnits, before } = charge;
      const line = lineOf(invoice, 'late_usage', charge);
      return rowOf(line, { countedFrom, timeZone, prepaidUnits, quantityBefore: before.value });
    }),
  ];
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO line_counts (account_id, counted_to, line_id, counted_from, timezone, prepaid_units, quantity_before)
     SELECT $1, $2, c.* FROM jsonb_to_recordset($3)
       AS c (line_id text, counted_from numeric, timezone text, prepaid_units numeric, quantity_before numeric)`,
    [accountId, countedTo.toString(), stringifyExactJson(rows)],
  );
}

/** What these lines were counted from; a line that counts nothing has none. */
export async function findLineCounts(
  tx: Transaction,
  accountId: string,
  lineIds: string[],
): Promise<Map<string, LineCount>> {
  const { rows } = await tx.query<LineCountRow>(
    'SELECT * FROM line_counts WHERE account_id = $1 AND line_id = ANY($2)',
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
  quantity_before: string;
};

function lineCountFromRow(row: LineCountRow): LineCount {
  return {
    lineId: row.line_id,
    countedFrom: row.counted_from === null ? null : BigInt(row.counted_from),
    countedTo: BigInt(row.counted_to),
    timeZone: row.timezone,
    prepaidUnits: decimal(row.prepaid_units),
    quantityBefore: decimal(row.quantity_before),
  };
}

function rowOf(lineId: string, count: Omit<LineCount, 'lineId' | 'countedTo'>) {
  return {
    line_id: lineId,
    counted_from: count.countedFrom === null ? null : decimal(count.countedFrom.toString()),
    timezone: count.timeZone,
    prepaid_units: count.prepaidUnits,
    quantity_before: count.quantityBefore,
  };
}

/** The line that a charge became: an invoice has one per subscription, metric and period. */
function lineOf(invoice: IssuedInvoice, type: InvoiceLine['type'], charge: UsageCharge | LateCharge): string {
  const { subscriptionId, component, periodStart } = charge;
  const line = invoice.lines.find(
    (one) =>
      one.type === type &&
      one.subscriptionId === subscriptionId &&
      one.metricId === component.metricId &&
      one.periodStart === periodStart,
  );
  if (!line?.lineId) throw new Error(`no ${type} line of ${subscriptionId} for metric ${component.metricId}`);
  return line.lineId;
}
