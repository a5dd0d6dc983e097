import type { LimitedAmount } from '../../billing/pricing/charges.ts';
import { keyedPeriodsIn, periodIdIn } from '../../billing/settle/keyed-periods.ts';
import type { LateRecords } from '../../billing/settle/late-corrections.ts';
import type { Instant } from '../../core/instants.ts';
import { listInvoicesToSettle } from '../../sql/postgres/charges/standing-charges.ts';
import { lockInvoices } from '../../sql/postgres/invoices/invoices.ts';
import { listLimitedAmounts } from '../../sql/postgres/invoices/limited-amounts.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { loadCharges } from './load-charges.ts';
import { recordEarlierInvoices } from './record-earlier-invoices.ts';
import { loadKeyedPeriodsOf } from './record-invoices.ts';

/** Usage of a window that was billed, with what limits count of its period. */
export type LateWindow = {
  subscriptionId: string;
  periodStart: Instant;
  periodEnd: Instant;
  limited?: readonly Pick<LimitedAmount, 'subscriptionId' | 'startsAt' | 'endsAt'>[];
};

/** Whose late usage: the customer's of windows of closed periods. `isReadOnly`: for a draft, which neither locks nor records anything. */
export type LateSought = {
  customerIds: readonly string[];
  currency: string;
  windows: readonly LateWindow[];
  isReadOnly?: boolean;
};

/**
 * Loads what late usage is settled by (spec/reversals#late-corrections), and locks the invoices that may be taken back. The number of statements does not depend on
 * the number of windows.
 */
export async function loadLateRecords(
  tx: Transaction,
  accountId: string,
  { customerIds, currency, windows, isReadOnly = false }: LateSought,
): Promise<LateRecords> {
  const limited = windows.flatMap((window) => window.limited ?? []);
  const spans = limited.map(({ subscriptionId, startsAt: periodStart, endsAt: periodEnd }) => {
    return { subscriptionId, periodStart, periodEnd };
  });
  const periods = await loadKeyedPeriodsOf(tx, accountId, [...windows, ...spans]);
  const { find } = keyedPeriodsIn(periods);
  const found = windows.flatMap((window) => find({ ...window, type: 'usage' }) ?? []);
  const periodIds = [...new Set(found.map(periodIdIn))];
  if (!isReadOnly) {
    await recordEarlierInvoices(tx, accountId, customerIds);
    await lockInvoices(tx, accountId, await listInvoicesToSettle(tx, accountId, periodIds));
  }
  const standing = await loadCharges(tx, accountId, { customerIds, periodIds, currency, isReadOnly });
  const since = Math.min(...windows.map(({ periodStart }) => periodStart));
  const holders = [...new Set([...windows, ...limited].map(({ subscriptionId }) => subscriptionId))];
  const limits = limited.length === 0 ? [] : await listLimitedAmounts(tx, accountId, holders, since);
  return { standing, periods, limits };
}
