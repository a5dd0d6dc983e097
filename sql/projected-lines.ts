import { chargedLines } from '../billing/compute-invoice.ts';
import { currencyOf } from '../billing/currencies.ts';
import { roundHalfAwayFromZero } from '../billing/decimal.ts';
import type { DraftPart } from '../billing/draft-parts.ts';
import { localDateAt } from '../billing/instants.ts';
import type { NewInvoiceLine } from '../billing/invoice.ts';
import { type ChargeCount, countsOf, isCountOf } from '../billing/line-counts.ts';
import type { Customer } from '../billing/subscription.ts';
import type { WaitingLines } from '../billing/waiting-lines.ts';
import type { RevenueLine } from './revenue-lines.ts';

/** What is not billed yet: the next boundaries, and what a cancel left for the next invoice. */
type Unbilled = { parts: readonly DraftPart[]; waiting: WaitingLines };

/**
 * The lines that are still to be issued, as the draft has them: rounded as they will be, and counted up to `countedTo`
 * (spec/cost-analysis#revenue: "days not yet billed as projected").
 */
export function projectedLines(customer: Customer, { parts, waiting }: Unbilled, countedTo: bigint): RevenueLine[] {
  const { timeZone } = customer;
  const places = currencyOf(customer.currency).exponent;
  const ofParts = parts.flatMap((part) => {
    const counts = countsOf(part, { timeZone, countedTo });
    const oneTime = new Set(
      (part.addons ?? []).filter(({ kind }) => kind === 'one_time').map(({ addonId }) => addonId),
    );
    const boundary = (part.kind === 'opening' ? part.periodStart : part.periodEnd) ?? 0;
    const issueDate = localDateAt(boundary, timeZone);
    return chargedLines({ ...part, waiting: [] }, places).map((line) => {
      const oneTimeAddonId = line.addonId !== null && oneTime.has(line.addonId) ? line.addonId : null;
      const amount = roundHalfAwayFromZero(line.amount, places);
      return revenueOf({ ...line, amount }, counts, { issueDate, oneTimeAddonId });
    });
  });
  const left = waiting.lines.map((line) => {
    const issueDate = localDateAt(line.periodEnd ?? 0, timeZone);
    return revenueOf(line, waiting.counts, { issueDate, oneTimeAddonId: null });
  });
  return [...ofParts, ...left];
}

function revenueOf(
  line: NewInvoiceLine,
  counts: readonly ChargeCount[],
  more: Pick<RevenueLine, 'issueDate' | 'oneTimeAddonId'>,
): RevenueLine {
  const { type, subscriptionId, planId, version, metricId, periodStart, periodEnd, amount } = line;
  const count = counts.find((one) => isCountOf(one, line)) ?? null;
  return { type, subscriptionId, planId, version, metricId, periodStart, periodEnd, amount, count, ...more };
}
