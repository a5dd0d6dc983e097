import { type ApplicableDiscount, applyDiscounts, discountsAfter } from '../../billing/discounts/discounts.ts';
import { chargedLines } from '../../billing/invoices/compute-invoice.ts';
import type { DraftPart } from '../../billing/invoices/draft-parts.ts';
import type { NewInvoiceLine } from '../../billing/invoices/invoice.ts';
import type { PendingItems } from '../../billing/invoices/pending-items.ts';
import type { CountedLate } from '../../billing/metering/late-usage.ts';
import { type ChargeCount, countsByLine, countsOf } from '../../billing/metering/line-counts.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { currencyOf } from '../../core/currencies.ts';
import { roundHalfAwayFromZero, ZERO } from '../../core/decimal.ts';
import { localDateAt } from '../../core/instants.ts';
import type { RevenueLine } from '../../sql/postgres/invoices/revenue-lines.ts';

/** What is not billed yet: the next boundaries, what a cancel left for the next invoice, and the discounts that lower them. */
type Unbilled = { parts: readonly DraftPart[]; pending: PendingItems; discounts: readonly ApplicableDiscount[] };

/**
 * The lines that are still to be issued, as the draft has them: rounded as they will be, and counted up to `countedTo`
 * (spec/cost-analysis#revenue: "days not yet billed as projected").
 */
export function projectedLines(
  customer: Customer,
  { parts, pending, discounts }: Unbilled,
  countedTo: bigint,
): RevenueLine[] {
  const { timeZone } = customer;
  const places = currencyOf(customer.currency).exponent;
  let applicable = discounts;
  const ofParts = withoutRepeats(parts).flatMap((part) => {
    const countOf = countsByLine(countsOf(part, countedTo));
    const oneTime = new Set(
      (part.addons ?? []).filter(({ kind }) => kind === 'one_time').map(({ addonId }) => addonId),
    );
    const boundary = (part.kind === 'opening' ? part.periodStart : part.periodEnd) ?? 0;
    const issueDate = localDateAt(boundary, timeZone);
    const rounded = (one: NewInvoiceLine) => ({ ...one, amount: roundHalfAwayFromZero(one.amount, places) });
    const own = chargedLines({ ...part, pending: part.left }, places).map(rounded);
    const waiting = part.pending.filter((line) => !part.left.includes(line));
    const off = applyDiscounts([...own, ...waiting], applicable, { ...part, currency: customer.currency, places });
    applicable = discountsAfter(applicable, { ...part, used: off.used });
    const revenueOfLine = (line: NewInvoiceLine, count?: ChargeCount) => {
      const oneTimeAddonId = line.addonId !== null && oneTime.has(line.addonId) ? line.addonId : null;
      return revenueOf(line, count ?? null, { issueDate, oneTimeAddonId });
    };
    const [ours, others] = [off.charged.slice(0, own.length), off.charged.slice(own.length)];
    return [
      ...ours.map((line, i) => revenueOfLine(line, countOf(own[i] ?? line))),
      // What waits is told below; here is what this part's discounts take off it.
      ...others.flatMap((line) => (line.discountAmount ? [{ ...revenueOfLine(line), amount: ZERO }] : [])),
    ];
  });
  const countOf = countsByLine(pending.counts);
  const left = pending.lines.map((line) => {
    const issueDate = localDateAt(line.periodEnd ?? 0, timeZone);
    return revenueOf(line, countOf(line), { issueDate, oneTimeAddonId: null });
  });
  return [...ofParts, ...left];
}

/**
 * The parts without what a part with a condition has of others: what waits, and late usage of ended subscriptions, are on the first invoice
 * to be made, whichever that will be.
 */
function withoutRepeats(parts: readonly DraftPart[]): DraftPart[] {
  const seen = new Set<string>();
  let isPendingSeen = false;
  return parts.map((part) => {
    const all: readonly CountedLate[] = part.late;
    const late = all.filter(({ subscriptionId, periodStart, component: { metricId }, group = null }) => {
      const key = JSON.stringify([subscriptionId, metricId, periodStart, group?.texts, group?.priceId]);
      const isNew = seen.size < seen.add(key).size;
      return isNew || part.condition === null;
    });
    const pending = isPendingSeen && part.condition !== null ? [] : part.pending;
    isPendingSeen ||= part.pending.length > 0;
    return { ...part, late, pending };
  });
}

function revenueOf(
  line: NewInvoiceLine,
  count: ChargeCount | null = null,
  more: Pick<RevenueLine, 'issueDate' | 'oneTimeAddonId'>,
): RevenueLine {
  const { type, subscriptionId, planId, version, metricId, periodStart, periodEnd, amount, group, priceId } = line;
  const ofRow = { ...(group && { group }), ...(priceId !== undefined && { priceId }) };
  const { discountAmount: off = ZERO } = line;
  const ofLine = { type, subscriptionId, planId, version, metricId, periodStart, periodEnd, amount, off, count };
  return { ...ofLine, ...ofRow, ...more };
}
