import type { HeldUsage } from '../../../billing/pricing/held-usage.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';

/** What waits for a price as JSON has it: instants and the last row are numbers, which come back as decimals. */
export type HeldRow = Pick<HeldUsage, 'subscriptionId' | 'planId' | 'metricId' | 'group' | 'quantity' | 'eventsCount'> &
  Record<'version' | 'firstEventAt' | 'periodStart' | 'periodEnd' | 'windowStart' | 'rowsKnown', Decimal>;

/** What an invoice, a section or a line that waits holds, as it is stored; null for nothing. */
export function heldToRows(all: readonly HeldUsage[]) {
  if (all.length === 0) return null;
  return all.map(({ rowsKnown, ...held }) => ({ ...held, rowsKnown: decimal(rowsKnown.toString()) }));
}

/** What was stored by {@link heldToRows}. */
export function heldFromRows(rows: readonly HeldRow[] | null): HeldUsage[] {
  return (rows ?? []).map(({ version, firstEventAt, periodStart, periodEnd, windowStart, rowsKnown, ...held }) => ({
    ...held,
    version: version.toNumber(),
    firstEventAt: firstEventAt.toNumber(),
    periodStart: periodStart.toNumber(),
    periodEnd: periodEnd.toNumber(),
    windowStart: windowStart.toNumber(),
    rowsKnown: BigInt(rowsKnown.toFixed()),
  }));
}
