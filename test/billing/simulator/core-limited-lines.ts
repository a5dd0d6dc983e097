import type { IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import type { LimitedLines } from '../../../billing/pricing/limits.ts';
import type { Instant } from '../../../core/instants.ts';

const LIMITED_TYPES: readonly string[] = ['true_up', 'usage', 'late_usage', 'prepaid_units', 'proration'];

/** Returns the lines that limits count, as `listLimitedLines` finds them. */
export function limitedLinesOf(
  invoices: readonly IssuedInvoice[],
  begunAt: (subscriptionId: string) => Instant,
): LimitedLines[] {
  const lines = invoices.flatMap((invoice) => invoice.lines);
  return lines.flatMap(({ type, subscriptionId, metricId, periodStart, amount }) => {
    if (subscriptionId === null || periodStart === null) return [];
    const isTrueUp = type === 'true_up' && metricId === null;
    const isOfMetric = metricId !== null && LIMITED_TYPES.includes(type);
    const line = { subscriptionId, begunAt: begunAt(subscriptionId), periodStart, isTrueUp, amount };
    return isTrueUp || isOfMetric ? [line] : [];
  });
}
