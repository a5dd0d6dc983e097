import type { PropertyTexts } from '../../../billing/pricing/price-book.ts';
import type { InvoiceStatus } from '../../../billing/subscriptions/states.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { Transaction } from '../postgres.ts';

/** A line of an issued invoice that may have counted an event, and the zone in which it read its metric's time filter. */
export type BilledLine = {
  invoiceId: string;
  invoiceNumber: string;
  status: InvoiceStatus;
  lineId: string;
  type: 'usage' | 'late_usage';
  metricId: string;
  subscriptionId: string;
  amount: Decimal;
  group: PropertyTexts | null;
  priceId: string | null;
  periodEnd: Instant;
  timeZone: string;
};

type BilledLineRow = {
  invoice_id: string;
  invoice_number: string;
  status: InvoiceStatus;
  line_id: string;
  type: BilledLine['type'];
  metric_id: string;
  subscription_id: string;
  amount: string;
  price_group: PropertyTexts | null;
  price_id: string | null;
  period_end: Instant;
  timezone: string;
};

/**
 * The lines of a customer whose periods have the instant `at` and whose counts reach over `position`, oldest invoice first; none that counted
 * no events, as that of a price book of which no row was used.
 */
export async function findLinesOver(
  tx: Transaction,
  { accountId, customerId }: { accountId: string; customerId: string },
  { at, position }: { at: Instant; position: bigint },
): Promise<BilledLine[]> {
  const { rows } = await tx.query<BilledLineRow>(
    `SELECT i.invoice_id, i.invoice_number, i.status, l.line_id, l.type, l.metric_id, l.subscription_id, l.amount, l.period_end,
       l.price_group, l.price_id, n.timezone
     FROM subscriptions s
       JOIN invoice_lines l ON l.account_id = s.account_id AND l.subscription_id = s.subscription_id
         AND l.type IN ('usage', 'late_usage')
         AND NOT (l.type = 'usage' AND l.events_count = 0) AND l.period_start <= $3 AND l.period_end > $3
       JOIN invoices i ON i.account_id = l.account_id AND i.invoice_id = l.invoice_id
       JOIN line_counts n ON n.account_id = l.account_id AND n.line_id = l.line_id
     WHERE s.account_id = $1 AND s.customer_id = $2
       AND n.counted_to >= $4 AND (n.counted_from IS NULL OR n.counted_from < $4)
     ORDER BY i.seq, l.ordinal`,
    [accountId, customerId, isoFromInstant(at), position.toString()],
  );
  return rows.map((row) => ({
    invoiceId: row.invoice_id,
    invoiceNumber: row.invoice_number,
    status: row.status,
    lineId: row.line_id,
    type: row.type,
    metricId: row.metric_id,
    subscriptionId: row.subscription_id,
    amount: decimal(row.amount),
    group: row.price_group,
    priceId: row.price_id,
    periodEnd: row.period_end,
    timeZone: row.timezone,
  }));
}

/** A subscription that ran at an instant, or will (`isAhead`: its period of then has not begun), and its plan. */
export type RunningSubscription = { subscriptionId: string; planId: string; version: number; isAhead: boolean };

/** The subscriptions of a customer of which a period has the instant `at`, before they ended, and those that go on until then. */
export async function findRunningAt(
  tx: Transaction,
  { accountId, customerId }: { accountId: string; customerId: string },
  at: Instant,
): Promise<RunningSubscription[]> {
  type Row = { subscription_id: string; plan_id: string; version: number; is_ahead: boolean };
  const { rows } = await tx.query<Row>(
    `SELECT s.subscription_id, s.plan_id, coalesce(d.version, s.version) AS version, d.ends_at <= $3 AS is_ahead FROM subscriptions s
       JOIN periods d ON d.account_id = s.account_id AND d.subscription_id = s.subscription_id
         AND d.starts_at <= $3
         AND (d.ends_at > $3 OR (d.closed_at IS NULL AND s.status IN ('active', 'paused')))
     WHERE s.account_id = $1 AND s.customer_id = $2 AND (s.canceled_at IS NULL OR s.canceled_at > $3)
     ORDER BY s.seq`,
    [accountId, customerId, isoFromInstant(at)],
  );
  return rows.map((row) => ({
    subscriptionId: row.subscription_id,
    planId: row.plan_id,
    version: row.version,
    isAhead: row.is_ahead,
  }));
}
