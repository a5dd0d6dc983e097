import type { AddonKind } from '../../../billing/catalog/addons.ts';
import type { LineType } from '../../../billing/invoices/invoice.ts';
import type { LineCount } from '../../../billing/metering/line-counts.ts';
import type { PropertyTexts } from '../../../billing/pricing/price-book.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant, type LocalDate } from '../../../core/instants.ts';
import { PAYERS_OF_CUSTOMER } from '../customers/billed-to.ts';
import type { Transaction } from '../postgres.ts';
import { findLineCounts } from './line-counts.ts';

/** A line as revenue: what it brings in, and what says on which days. */
export type RevenueLine = {
  type: LineType;
  subscriptionId: string | null;
  planId: string | null;
  version: number | null;
  metricId: string | null;
  /** The add-on that is charged once by it. */
  oneTimeAddonId: string | null;
  periodStart: Instant | null;
  periodEnd: Instant | null;
  /** As it stands on the invoice, and what discounts take off it. */
  amount: Decimal;
  off: Decimal;
  /** The day of what has no period: the customer's date of issue. */
  issueDate: LocalDate;
  /** What usage was counted from. */
  count: LineCount | null;
  /** Of which combination, and by which row, where a price book priced it. */
  group?: PropertyTexts;
  priceId?: string;
};

/** Days of an analysis, both inclusive, and the instants they span. */
export type DaySpan = { startDate: LocalDate; endDate: LocalDate; start: Instant; end: Instant };

type RevenueLineRow = {
  line_id: string;
  type: LineType;
  subscription_id: string | null;
  plan_id: string | null;
  version: number | null;
  metric_id: string | null;
  addon_id: string | null;
  addon_kind: AddonKind | null;
  period_start: Instant | null;
  period_end: Instant | null;
  amount: string;
  discount_amount: string;
  issue_date: LocalDate;
  price_group: PropertyTexts | null;
  price_id: string | null;
};

/**
 * The lines of a customer, on its own invoices or its payer's, that bring something in on these days: those whose period touches them, and those
 * issued on them. Voided invoices bring nothing in; credits are how an invoice is paid, and discounts are told by the lines that they lower.
 */
export async function listRevenueLines(
  tx: Transaction,
  accountId: string,
  customerId: string,
  { startDate, endDate, start, end }: DaySpan,
): Promise<RevenueLine[]> {
  const { rows } = await tx.query<RevenueLineRow>(
    `SELECT l.line_id, l.type, l.subscription_id, l.plan_id, l.version, l.metric_id, l.addon_id, a.kind AS addon_kind,
       l.period_start, l.period_end, l.amount, l.discount_amount, i.issue_date, l.price_group, l.price_id
     FROM invoices i JOIN invoice_lines l USING (account_id, invoice_id) LEFT JOIN addons a USING (account_id, addon_id)
     WHERE i.account_id = $1 AND i.customer_id = ANY (${PAYERS_OF_CUSTOMER}) AND coalesce(l.customer_id, i.customer_id) = $2
       AND i.status <> 'void' AND l.type NOT IN ('credit', 'discount')
       AND (l.period_start < $6 AND l.period_end > $5 OR i.issue_date BETWEEN $3 AND $4)
     ORDER BY i.seq, l.ordinal`,
    [accountId, customerId, startDate, endDate, isoFromInstant(start), isoFromInstant(end)],
  );
  const ids = rows.map((row) => row.line_id);
  const counts = await findLineCounts(tx, accountId, ids);
  return rows.map((row) => ({
    type: row.type,
    subscriptionId: row.subscription_id,
    planId: row.plan_id,
    version: row.version,
    metricId: row.metric_id,
    oneTimeAddonId: row.addon_kind === 'one_time' ? row.addon_id : null,
    periodStart: row.period_start,
    periodEnd: row.period_end,
    amount: decimal(row.amount),
    off: decimal(row.discount_amount),
    issueDate: row.issue_date,
    count: counts.get(row.line_id) ?? null,
    ...(row.price_group && { group: row.price_group }),
    ...(row.price_id !== null && { priceId: row.price_id }),
  }));
}
