import type { BilledUsage } from '../../../billing/metering/late-usage.ts';
import type { UsageCharge } from '../../../billing/pricing/charges.ts';
import { decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import type { Transaction } from '../postgres.ts';

type BilledUsageRow = {
  subscription_id: string;
  metric_id: string;
  starts_at: Instant;
  ends_at: Instant;
  plan_id: string;
  version: number;
  timezone: string;
  prepaid_units: string;
  quantity: string;
  events_count: string;
  charged_rate: string | null;
};

/** Keeps what the usage lines of an invoice bill, in the transaction that issues it. */
export async function insertBilledUsage(
  tx: Transaction,
  accountId: string,
  charges: readonly UsageCharge[],
): Promise<void> {
  if (charges.length === 0) return;
  const rows = charges.map((charge) => ({
    timezone: charge.timeZone,
    subscription_id: charge.subscriptionId,
    metric_id: charge.component.metricId,
    starts_at: isoFromInstant(charge.periodStart),
    ends_at: isoFromInstant(charge.periodEnd),
    plan_id: charge.planId,
    version: charge.version,
    prepaid_units: charge.prepaidUnits,
    quantity: charge.quantity,
    events_count: charge.eventsCount,
  }));
  await tx.query(
    `INSERT INTO billed_usage (account_id, timezone, subscription_id, metric_id, starts_at, ends_at, plan_id, version,
       prepaid_units, quantity, events_count)
     SELECT $1, b.* FROM jsonb_to_recordset($2) AS b (timezone text, subscription_id text, metric_id text, starts_at timestamptz,
       ends_at timestamptz, plan_id text, version integer, prepaid_units numeric, quantity numeric, events_count numeric)`,
    [accountId, stringifyExactJson(rows)],
  );
}

/** A closed interval of a subscription's life. */
type Span = { subscriptionId: string; from: Instant; to: Instant };

/**
 * What subscriptions were billed for in periods that their spans touch: span by span, oldest first. A first period that
 * switches have split comes with all its parts, which share their prepaid units.
 */
export async function listBilledUsage(
  tx: Transaction,
  accountId: string,
  spans: readonly Span[],
): Promise<BilledUsage[]> {
  if (spans.length === 0) return [];
  const answer = await tx.query<BilledUsageRow>(
    `SELECT b.subscription_id, b.metric_id, b.starts_at, b.ends_at, b.plan_id, b.version,
       b.timezone, b.prepaid_units, b.quantity, b.events_count,
       (SELECT i.tax_rate FROM invoice_lines l JOIN invoices i USING (account_id, invoice_id)
       WHERE l.account_id = $1 AND l.subscription_id = b.subscription_id AND l.type = 'usage'
         AND l.metric_id = b.metric_id AND l.period_start = b.starts_at ORDER BY i.seq LIMIT 1) AS charged_rate
     FROM unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) WITH ORDINALITY
       AS span (subscription_id, first, last, n)
     LEFT JOIN periods d ON d.account_id = $1 AND d.subscription_id = span.subscription_id AND d.period_index = 0
       AND d.carried -> 'usages' <> '[]' AND d.ends_at > span.first
     JOIN billed_usage b ON b.account_id = $1 AND b.subscription_id = span.subscription_id
       AND (b.starts_at <= span.last AND b.ends_at > span.first OR b.starts_at < d.ends_at)
     ORDER BY span.n, b.starts_at, b.metric_id`,
    [
      accountId,
      spans.map(({ subscriptionId }) => subscriptionId),
      spans.map(({ from }) => isoFromInstant(from)),
      spans.map(({ to }) => isoFromInstant(to)),
    ],
  );
  return answer.rows.map(billedUsageFromRow);
}

/** Keeps the usage that the period is now billed for, with the units left for it; answers both as billed until now. */
export async function updateBilledUsage(
  tx: Transaction,
  accountId: string,
  { subscriptionId, metricId, startsAt, usage, prepaidUnits }: BilledUsage,
): Promise<Pick<BilledUsage, 'usage' | 'prepaidUnits'>> {
  const answer = await tx.query<Pick<BilledUsageRow, 'quantity' | 'events_count' | 'prepaid_units'>>(
    `UPDATE billed_usage b SET quantity = $5, events_count = $6, prepaid_units = $7
     FROM (SELECT account_id, subscription_id, metric_id, starts_at, quantity, events_count, prepaid_units FROM billed_usage
       WHERE account_id = $1 AND subscription_id = $2 AND metric_id = $3 AND starts_at = $4 FOR UPDATE) was
     WHERE b.account_id = was.account_id AND b.subscription_id = was.subscription_id AND b.metric_id = was.metric_id
       AND b.starts_at = was.starts_at
     RETURNING was.quantity, was.events_count, was.prepaid_units`,
    [
      accountId,
      subscriptionId,
      metricId,
      isoFromInstant(startsAt),
      usage.value.toFixed(),
      usage.eventsCount.toFixed(),
      prepaidUnits.toFixed(),
    ],
  );
  const row = answer.rows[0];
  if (!row) throw new Error(`billed usage of ${subscriptionId} is missing`);
  const { quantity, events_count: eventsCount, prepaid_units: units } = row;
  return { usage: { value: decimal(quantity), eventsCount: decimal(eventsCount) }, prepaidUnits: decimal(units) };
}

function billedUsageFromRow(row: BilledUsageRow): BilledUsage {
  return {
    subscriptionId: row.subscription_id,
    metricId: row.metric_id,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    planId: row.plan_id,
    version: row.version,
    timeZone: row.timezone,
    prepaidUnits: decimal(row.prepaid_units),
    usage: { value: decimal(row.quantity), eventsCount: decimal(row.events_count) },
    chargedRate: row.charged_rate === null ? null : decimal(row.charged_rate),
  };
}
