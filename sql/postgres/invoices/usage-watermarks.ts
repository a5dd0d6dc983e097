import type { InheritedWatermark, UsageWatermark } from '../../../billing/metering/late-usage.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { Transaction } from '../postgres.ts';

type WatermarkRow = { subscription_id: string; counted_to: string; starts_at: Instant; ends_at: Instant };
type InheritedWatermarkRow = WatermarkRow & {
  customer_id: string;
  heirs: string[];
  has_ended: boolean;
  priced_from: Instant | null;
  priced_to: Instant | null;
};

/**
 * The watermarks of customers (`$2`), with the subscriptions that took the place of each one's, its own first, and where usage is held whose
 * price book has had rows added since it was billed.
 */
const WATERMARKS = `WITH RECURSIVE heirs AS (
    SELECT m.subscription_id, s.subscription_id AS heir, s.replaced_by, s.status
    FROM usage_marks m JOIN subscriptions s USING (account_id, subscription_id)
    WHERE m.account_id = $1 AND m.customer_id = ANY($2)
    UNION ALL
    SELECT h.subscription_id, s.subscription_id, s.replaced_by, s.status
    FROM heirs h JOIN subscriptions s ON s.account_id = $1 AND s.subscription_id = h.replaced_by
  )
  SELECT m.customer_id, m.subscription_id, m.counted_to, m.starts_at, m.ends_at, h.heirs, h.has_ended, p.priced_from, p.priced_to
  FROM usage_marks m JOIN (
    SELECT subscription_id, array_agg(heir) AS heirs,
      bool_or(replaced_by IS NULL AND status IN ('canceled', 'expired')) AS has_ended
    FROM heirs GROUP BY subscription_id
  ) h USING (subscription_id)
  LEFT JOIN LATERAL (
    SELECT min(c.starts_at) AS priced_from, max(c.starts_at) AS priced_to
    FROM billed_combinations c JOIN billed_price_books k USING (account_id, subscription_id, metric_id, starts_at)
      JOIN billed_usage b USING (account_id, subscription_id, metric_id, starts_at)
      JOIN plan_versions v ON v.account_id = b.account_id AND v.plan_id = b.plan_id AND v.version = b.version
    WHERE c.account_id = $1 AND c.subscription_id = m.subscription_id AND c.is_held AND c.events_count > 0
      AND EXISTS (SELECT 1 FROM plan_prices r WHERE r.account_id = $1 AND r.version_id = v.version_id
        AND r.metric_id = c.metric_id AND r.seq > k.rows_known)
  ) p ON true
  WHERE m.account_id = $1 ORDER BY m.subscription_id`;

/** All watermarks of these customers. */
export async function listWatermarksOf(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
): Promise<(InheritedWatermark & { customerId: string })[]> {
  const { rows } = await tx.query<InheritedWatermarkRow>(WATERMARKS, [accountId, customerIds]);
  return rows.map((row) => {
    const { priced_from: from, priced_to: to } = row;
    const priced = from !== null && to !== null && { priced: { from, to } };
    const { customer_id: customerId, heirs: heirIds } = row;
    return { ...watermarkFromRow(row), customerId, heirIds, hasEnded: row.has_ended, ...priced };
  });
}

function watermarkFromRow(row: WatermarkRow): UsageWatermark {
  return {
    subscriptionId: row.subscription_id,
    countedTo: BigInt(row.counted_to),
    startsAt: row.starts_at,
    endsAt: row.ends_at,
  };
}

/**
 * Locks the watermarks of subscriptions. Returns those at or below `countedTo`, by subscription: usage from there on is counted by this
 * transaction and by no other.
 */
export async function lockWatermarks(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
  countedTo: bigint,
): Promise<Map<string, bigint>> {
  if (subscriptionIds.length === 0) return new Map();
  const { rows } = await tx.query<{ subscription_id: string; counted_to: string }>(
    `SELECT subscription_id, counted_to FROM usage_marks
     WHERE account_id = $1 AND subscription_id = ANY($2) ORDER BY subscription_id FOR UPDATE`,
    [accountId, subscriptionIds],
  );
  const watermarks = rows.map((row) => [row.subscription_id, BigInt(row.counted_to)] as const);
  return new Map(watermarks.filter(([, watermark]) => watermark <= countedTo));
}

/** Moves the watermarks of subscriptions up to `countedTo`. */
export async function updateWatermarks(
  tx: Transaction,
  accountId: string,
  { subscriptionIds, countedTo }: { subscriptionIds: readonly string[]; countedTo: bigint },
): Promise<void> {
  await tx.query(
    'UPDATE usage_marks SET counted_to = $3 WHERE account_id = $1 AND subscription_id = ANY($2) AND counted_to < $3',
    [accountId, subscriptionIds, countedTo.toString()],
  );
}

/**
 * Periods of a customer have been billed up to `countedTo`: a subscription's watermark, made with its first one, spans them all. It
 * goes back where what came late was counted further: what is counted once more is told from what was billed, and not billed again.
 */
export async function upsertWatermarks(
  tx: Transaction,
  accountId: string,
  watermarks: readonly (UsageWatermark & { customerId: string })[],
): Promise<void> {
  if (watermarks.length === 0) return;
  await tx.query(
    `INSERT INTO usage_marks (account_id, customer_id, subscription_id, counted_to, starts_at, ends_at)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::timestamptz[], $6::timestamptz[])
     ON CONFLICT (account_id, subscription_id) DO UPDATE
     SET counted_to = least(usage_marks.counted_to, excluded.counted_to),
       starts_at = least(usage_marks.starts_at, excluded.starts_at),
       ends_at = greatest(usage_marks.ends_at, excluded.ends_at)`,
    [
      accountId,
      watermarks.map(({ customerId }) => customerId),
      watermarks.map(({ subscriptionId }) => subscriptionId),
      watermarks.map(({ countedTo }) => countedTo.toString()),
      watermarks.map(({ startsAt }) => isoFromInstant(startsAt)),
      watermarks.map(({ endsAt }) => isoFromInstant(endsAt)),
    ],
  );
}
