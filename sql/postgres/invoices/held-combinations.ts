import type { LateSpan } from '../../../billing/metering/late-usage.ts';
import type { HeldUsage } from '../../../billing/pricing/held-usage.ts';
import type { PropertyTexts } from '../../../billing/pricing/price-book.ts';
import type { PlanVersion } from '../../../billing/subscriptions/subscription.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import type { Instant } from '../../../core/instants.ts';
import { COUNT_CAP, type PageOf, type PageWindow, readPage } from '../page-window.ts';
import { firstRow, type Transaction } from '../postgres.ts';

/** Held usage with whose it is. */
export type HeldRecord = HeldUsage & { customerId: string };

/** Whose held usage is asked for, and of which plan. */
export type HeldFilter = { customerId?: string | null | undefined; planId?: string | null | undefined };

type HeldRow = {
  customer_id: string;
  subscription_id: string;
  plan_id: string;
  version: number;
  metric_id: string;
  texts: PropertyTexts;
  quantity: string;
  events_count: string;
  first_event_at: Instant;
  priced_from: Instant;
  priced_to: Instant;
  starts_at: Instant;
  rows_known: string;
};

/** Whether the price book of billed usage `b` has had rows added since it was billed, as `k` says. */
export const HAS_NEW_ROWS = `EXISTS (SELECT FROM plan_versions v JOIN plan_prices r USING (account_id, version_id)
  WHERE v.account_id = b.account_id AND v.plan_id = b.plan_id AND v.version = b.version
    AND r.metric_id = b.metric_id AND r.seq > k.rows_known)`;

const COLUMNS = `s.customer_id, c.subscription_id, b.plan_id, b.version, c.metric_id, c.texts, c.quantity,
  c.events_count, c.first_event_at, c.priced_from, c.priced_to, c.starts_at, k.rows_known`;

/** What is held of billed usage: by an index that has nothing else. */
export const HELD = `billed_combinations c JOIN billed_price_books k USING (account_id, subscription_id, metric_id, starts_at)
  JOIN billed_usage b USING (account_id, subscription_id, metric_id, starts_at)
  JOIN subscriptions s USING (account_id, subscription_id) JOIN customers u USING (account_id, customer_id)
  WHERE c.account_id = $1 AND c.is_held AND c.events_count > 0 AND u.deleted_at IS NULL`;

/** One page of what billed periods hold and no row that was added since may price, by subscription, then oldest first. */
export function listHeldCombinations(
  tx: Transaction,
  accountId: string,
  { customerId = null, planId = null }: HeldFilter,
  window: PageWindow,
): Promise<PageOf<HeldRecord>> {
  const from = `FROM ${HELD} AND NOT ${HAS_NEW_ROWS}
    AND ($2::text IS NULL OR s.customer_id = $2) AND ($3::text IS NULL OR b.plan_id = $3)`;
  const orders = ['c.subscription_id', 'c.starts_at', 'c.metric_id', 'c.combination'];
  const page = (behind: string, range: string) =>
    `SELECT ${COLUMNS}, ${orders.map((order, i) => `${order} AS order_${i}`).join(', ')} ${from} AND ${behind}
     ORDER BY ${orders.join(', ')} ${range}`;
  return readPage(
    tx,
    { page, from, values: [accountId, customerId, planId], orders, isAscending: true },
    window,
    heldFromRow,
  );
}

/** How many events billed periods hold, of what {@link listHeldCombinations} lists, and when the first of it was told. */
export async function sumHeldCombinations(
  tx: Transaction,
  accountId: string,
): Promise<{ events: Decimal; toldSince: Instant | null }> {
  const { rows } = await tx.query<{ events: string; told_since: Instant | null }>(
    `SELECT coalesce(sum(held.events_count), 0) AS events, min(m.told_at) AS told_since
     FROM (SELECT ${COLUMNS} FROM ${HELD} AND NOT ${HAS_NEW_ROWS}) held
       LEFT JOIN missing_prices m ON m.account_id = $1 AND m.plan_id = held.plan_id AND m.metric_id = held.metric_id
         AND m.combination = md5(held.texts::text)`,
    [accountId],
  );
  const row = firstRow({ rows });
  return { events: decimal(row?.events ?? 0), toldSince: row?.told_since ?? null };
}

/** What billed periods of these subscriptions hold, as they were billed. */
export async function listHeldOf(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
): Promise<HeldRecord[]> {
  const { rows } = await tx.query<HeldRow>(
    `SELECT ${COLUMNS} FROM ${HELD} AND c.subscription_id = ANY($2) LIMIT ${COUNT_CAP}`,
    [accountId, subscriptionIds],
  );
  return rows.map(heldFromRow);
}

/** The subscriptions of these customers to these plan versions that live or wait for an invoice. */
export async function listHoldersOf(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
  versions: readonly PlanVersion[],
): Promise<{ subscriptionId: string; customerId: string }[]> {
  const { rows } = await tx.query<{ subscription_id: string; customer_id: string }>(
    `SELECT s.subscription_id, s.customer_id FROM subscriptions s
     WHERE s.account_id = $1 AND s.customer_id = ANY($2)
       AND (s.plan_id, s.version) IN (SELECT * FROM unnest($3::text[], $4::int[]))
       AND (s.status IN ('active', 'paused') OR EXISTS (
         SELECT FROM periods d WHERE d.account_id = $1 AND d.subscription_id = s.subscription_id AND d.waits))`,
    [accountId, customerIds, versions.map(({ planId }) => planId), versions.map(({ version }) => version)],
  );
  return rows.map(({ subscription_id: subscriptionId, customer_id: customerId }) => ({ subscriptionId, customerId }));
}

/** Where the billed usage of these subscriptions holds what a row that was added since may price. */
export async function listNewlyPriced(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
): Promise<LateSpan[]> {
  const { rows } = await tx.query<{ subscription_id: string; first: Instant; last: Instant }>(
    `SELECT c.subscription_id, min(c.starts_at) AS first, max(c.starts_at) AS last
     FROM ${HELD} AND c.subscription_id = ANY($2) AND ${HAS_NEW_ROWS} GROUP BY c.subscription_id`,
    [accountId, subscriptionIds],
  );
  return rows.map(({ subscription_id: subscriptionId, first: from, last: to }) => ({ subscriptionId, from, to }));
}

function heldFromRow(row: HeldRow): HeldRecord {
  return {
    customerId: row.customer_id,
    subscriptionId: row.subscription_id,
    planId: row.plan_id,
    version: row.version,
    metricId: row.metric_id,
    group: row.texts,
    quantity: decimal(row.quantity),
    eventsCount: decimal(row.events_count),
    firstEventAt: row.first_event_at,
    periodStart: row.priced_from,
    periodEnd: row.priced_to,
    windowStart: row.starts_at,
    rowsKnown: BigInt(row.rows_known),
  };
}

/** What waits for a price as JSON has it: instants and the last row are numbers, which come back as decimals. */
export type StoredHeld = Pick<
  HeldUsage,
  'subscriptionId' | 'planId' | 'metricId' | 'group' | 'quantity' | 'eventsCount'
> &
  Record<'version' | 'firstEventAt' | 'periodStart' | 'periodEnd' | 'windowStart' | 'rowsKnown', Decimal>;

/** What an invoice, a section or a line that waits holds, as it is stored; null for nothing. */
export function heldToRows(all: readonly HeldUsage[]) {
  if (all.length === 0) return null;
  return all.map(({ rowsKnown, ...held }) => ({ ...held, rowsKnown: decimal(rowsKnown.toString()) }));
}

/** What was stored by {@link heldToRows}. */
export function heldFromRows(rows: readonly StoredHeld[] | null): HeldUsage[] {
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
