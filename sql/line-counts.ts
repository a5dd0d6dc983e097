import type { LateCharge, UsageCharge } from '../billing/charges.ts';
import { type Decimal, decimal, ZERO } from '../billing/decimal.ts';
import type { Instant } from '../billing/instants.ts';
import type { IssuedInvoice, NewInvoiceLine } from '../billing/invoice.ts';
import { stringifyExactJson } from '../runtime/exact-json.ts';
import type { Transaction } from './postgres.ts';

/**
 * What the quantity of a usage or late_usage line was counted from: events at positions above `countedFrom` (null: all) up
 * to `countedTo`, the metric's time filter read in `timeZone`. A late_usage line changed a period that had been billed for
 * `quantityBefore`; that of a usage line is 0.
 */
export type LineCount = {
  countedFrom: bigint | null;
  countedTo: bigint;
  timeZone: string;
  prepaidUnits: Decimal;
  quantityBefore: Decimal;
};

/** The count of a line that has no id yet: an invoice has one per type, subscription, metric, period and `countedFrom`. */
export type ChargeCount = LineCount & {
  type: 'usage' | 'late_usage';
  subscriptionId: string;
  metricId: string;
  periodStart: Instant;
};

/** Late usage with the position up to which its period had been counted, and the zone it was billed in. */
export type CountedLate = LateCharge & { countedFrom: bigint; timeZone: string };

/** The counts of charges that become lines; `timeZone` is that of the usages, `countedTo` the seal. */
export function countsOf(
  { usages, late }: { usages: readonly UsageCharge[]; late: readonly CountedLate[] },
  { timeZone, countedTo }: { timeZone: string; countedTo: bigint },
): ChargeCount[] {
  const keyOf = ({ subscriptionId, component, periodStart, prepaidUnits }: UsageCharge | LateCharge) => {
    return { subscriptionId, metricId: component.metricId, periodStart, prepaidUnits, countedTo };
  };
  return [
    ...usages.map((charge) => {
      const all = { countedFrom: null, timeZone, quantityBefore: ZERO };
      return { ...keyOf(charge), ...all, type: 'usage' as const };
    }),
    ...late.map((charge) => {
      const { countedFrom, timeZone, before } = charge;
      return { ...keyOf(charge), countedFrom, timeZone, quantityBefore: before.value, type: 'late_usage' as const };
    }),
  ];
}

/** Whether it is the count of that line. Of two lines for late usage of one period the first one was counted first. */
export function isCountOf(count: ChargeCount, line: NewInvoiceLine): boolean {
  const { type, subscriptionId, metricId, periodStart } = count;
  return (
    line.type === type &&
    line.subscriptionId === subscriptionId &&
    line.metricId === metricId &&
    line.periodStart === periodStart
  );
}

/**
 * Keeps what the lines of an invoice were counted from, in the transaction that issues it; counts stand in the order of
 * their lines.
 */
export async function insertLineCounts(
  tx: Transaction,
  accountId: string,
  invoice: IssuedInvoice,
  counts: readonly ChargeCount[],
): Promise<void> {
  if (counts.length === 0) return;
  const lines = [...invoice.lines];
  const rows = counts.map((count) => {
    const at = lines.findIndex((line) => isCountOf(count, line));
    const [line] = at < 0 ? [] : lines.splice(at, 1);
    if (!line?.lineId) throw new Error(`no ${count.type} line of ${count.subscriptionId} for ${count.metricId}`);
    return {
      line_id: line.lineId,
      counted_from: count.countedFrom === null ? null : decimal(count.countedFrom.toString()),
      counted_to: decimal(count.countedTo.toString()),
      timezone: count.timeZone,
      prepaid_units: count.prepaidUnits,
      quantity_before: count.quantityBefore,
    };
  });
  await tx.query(
    `INSERT INTO line_counts (account_id, line_id, counted_from, counted_to, timezone, prepaid_units, quantity_before)
     SELECT $1, c.* FROM jsonb_to_recordset($2) AS c (line_id text, counted_from numeric, counted_to numeric,
       timezone text, prepaid_units numeric, quantity_before numeric)`,
    [accountId, stringifyExactJson(rows)],
  );
}

/** What these lines were counted from, by line id; a line that counts nothing has none. */
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
    countedFrom: row.counted_from === null ? null : BigInt(row.counted_from),
    countedTo: BigInt(row.counted_to),
    timeZone: row.timezone,
    prepaidUnits: decimal(row.prepaid_units),
    quantityBefore: decimal(row.quantity_before),
  };
}
