import type { LimitedLines } from '../../../billing/pricing/limits.ts';
import type { KeptAmount } from '../../../billing/state/billing-rules.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import type { Transaction } from '../postgres.ts';
import { linesOnSections } from './invoice-sections.ts';

type LimitedAmountRow = {
  subscription_id: string;
  starts_at: Instant;
  ends_at: Instant;
  metric_id: string;
  charged: string;
  minimum_amount: string | null;
  maximum_amount: string | null;
};

/** Keeps what the limited parts of periods come to, in the place of what was kept of them. */
export async function upsertLimitedAmounts(
  tx: Transaction,
  accountId: string,
  amounts: readonly KeptAmount[],
): Promise<void> {
  if (amounts.length === 0) return;
  const rows = amounts.map(({ subscriptionId, startsAt, endsAt, metricId, charged, limits }) => ({
    subscription_id: subscriptionId,
    starts_at: isoFromInstant(startsAt),
    ends_at: isoFromInstant(endsAt),
    metric_id: metricId ?? '',
    charged,
    minimum_amount: limits.minimumAmount,
    maximum_amount: limits.maximumAmount,
  }));
  await tx.query(
    `INSERT INTO limited_amounts (account_id, subscription_id, starts_at, ends_at, metric_id, charged, minimum_amount, maximum_amount)
     SELECT $1, a.* FROM jsonb_to_recordset($2) AS a (subscription_id text, starts_at timestamptz, ends_at timestamptz,
       metric_id text, charged numeric, minimum_amount numeric, maximum_amount numeric)
     ON CONFLICT (account_id, subscription_id, starts_at, metric_id)
       DO UPDATE SET charged = excluded.charged, ends_at = excluded.ends_at,
         minimum_amount = excluded.minimum_amount, maximum_amount = excluded.maximum_amount`,
    [accountId, stringifyExactJson(rows)],
  );
}

/** What is kept of these subscriptions' periods that end after `since`. */
export async function listLimitedAmounts(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
  since: Instant,
): Promise<KeptAmount[]> {
  if (subscriptionIds.length === 0) return [];
  const { rows } = await tx.query<LimitedAmountRow>(
    `SELECT subscription_id, starts_at, ends_at, metric_id, charged, minimum_amount, maximum_amount FROM limited_amounts
     WHERE account_id = $1 AND subscription_id = ANY($2) AND ends_at > $3`,
    [accountId, subscriptionIds, isoFromInstant(since)],
  );
  return rows.map((row) => ({
    subscriptionId: row.subscription_id,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    metricId: row.metric_id === '' ? null : row.metric_id,
    charged: decimal(row.charged),
    limits: { minimumAmount: numberOf(row.minimum_amount), maximumAmount: numberOf(row.maximum_amount) },
  }));
}

/** What these subscriptions have charged, on invoices and on sections that wait for one. */
const CHARGED_LINES = `(
  SELECT subscription_id, type, metric_id, period_start, amount FROM invoice_lines
  WHERE account_id = $1 AND subscription_id = ANY($2) AND type IN ('usage', 'late_usage', 'prepaid_units', 'proration', 'true_up')
  UNION ALL
  SELECT subscription_id, type, metric_id, period_start, amount
  FROM (${linesOnSections('SELECT customer_id FROM subscriptions WHERE account_id = $1 AND subscription_id = ANY($2)')}) waiting
  WHERE subscription_id = ANY($2))`;

/** The lines of prepaid units, usage and true-ups of these subscriptions for periods, or of lives, that begin at `since` or later. */
export async function listLimitedLines(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
  since: Instant,
): Promise<LimitedLines[]> {
  if (subscriptionIds.length === 0) return [];
  const { rows } = await tx.query<{
    subscription_id: string;
    begun_at: Instant;
    period_start: Instant;
    is_true_up: boolean;
    amount: string;
  }>(
    `SELECT l.subscription_id, p.starts_at AS begun_at, l.period_start, l.type = 'true_up' AND l.metric_id IS NULL AS is_true_up,
       sum(l.amount) AS amount
     FROM ${CHARGED_LINES} l
       JOIN periods p ON p.account_id = $1 AND p.subscription_id = l.subscription_id AND p.period_index = 0
     WHERE (l.period_start >= $3 OR p.starts_at >= $3)
       AND (l.type = 'true_up' OR l.metric_id IS NOT NULL AND l.type IN ('usage', 'late_usage', 'prepaid_units', 'proration'))
     GROUP BY 1, 2, 3, 4`,
    [accountId, subscriptionIds, isoFromInstant(since)],
  );
  return rows.map((row) => ({
    subscriptionId: row.subscription_id,
    begunAt: row.begun_at,
    periodStart: row.period_start,
    isTrueUp: row.is_true_up,
    amount: decimal(row.amount),
  }));
}

function numberOf(text: string | null): Decimal | null {
  return text === null ? null : decimal(text);
}
