import type { PropertyTexts } from '../../../billing/pricing/price-book.ts';
import type { Instant } from '../../../core/instants.ts';
import { firstRow, type Transaction } from '../postgres.ts';

/** A combination that a plan has no price for, of a metric. */
export type MissingPrice = { planId: string; metricId: string; group: PropertyTexts };

/** Told of one metric of a plan: who has more has grouped by what each event has anew. */
const MAX_TOLD = 10_000;

/** A combination in the table: of any length, and the same whatever the order of its properties. */
const KEY_OF = 'md5(texts::text)';
const WANTED = `(SELECT n, plan_id, metric_id, ${KEY_OF} AS combination
  FROM unnest($2::text[], $3::text[], $4::jsonb[]) WITH ORDINALITY AS w (plan_id, metric_id, texts, n)) wanted`;

/** Keeps that these are told; answers those that never were. Whoever keeps one of them meanwhile waits, and finds it told. */
export function insertMissingPrices<T extends MissingPrice>(
  tx: Transaction,
  accountId: string,
  missing: readonly T[],
): Promise<T[]> {
  const sql = `WITH made AS (
      INSERT INTO missing_prices (account_id, plan_id, metric_id, combination)
      SELECT $1, plan_id, metric_id, combination FROM (
        SELECT DISTINCT plan_id, metric_id, combination,
          dense_rank() OVER (PARTITION BY plan_id, metric_id ORDER BY combination) + (
            SELECT count(*) FROM (SELECT FROM missing_prices m WHERE m.account_id = $1 AND m.plan_id = wanted.plan_id
              AND m.metric_id = wanted.metric_id LIMIT ${MAX_TOLD}) told) AS nth
        FROM ${WANTED}
      ) numbered WHERE nth <= ${MAX_TOLD} ORDER BY plan_id, metric_id, combination
      ON CONFLICT DO NOTHING RETURNING plan_id, metric_id, combination
    )
    SELECT min(n) AS n FROM ${WANTED} JOIN made USING (plan_id, metric_id, combination)
    GROUP BY plan_id, metric_id, combination ORDER BY 1`;
  return askFor(tx, accountId, missing, sql);
}

/** Those of these that have been told. */
export function findMissingPrices<T extends MissingPrice>(
  tx: Transaction,
  accountId: string,
  wanted: readonly T[],
): Promise<T[]> {
  const sql = `SELECT n FROM ${WANTED} JOIN missing_prices m USING (plan_id, metric_id, combination)
    WHERE m.account_id = $1 ORDER BY n`;
  return askFor(tx, accountId, wanted, sql);
}

/** When the first of these was told; null where none was. */
export async function findFirstTold(
  tx: Transaction,
  accountId: string,
  told: readonly MissingPrice[],
): Promise<Instant | null> {
  const { rows } = await tx.query<{ told_at: Instant | null }>(
    `SELECT min(m.told_at) AS told_at FROM ${WANTED} JOIN missing_prices m USING (plan_id, metric_id, combination)
     WHERE m.account_id = $1`,
    valuesOf(accountId, told),
  );
  return firstRow({ rows })?.told_at ?? null;
}

/** Those of `some` whose places, from 1, a statement answers. */
async function askFor<T extends MissingPrice>(
  tx: Transaction,
  accountId: string,
  some: readonly T[],
  sql: string,
): Promise<T[]> {
  if (some.length === 0) return [];
  const { rows } = await tx.query<{ n: string }>(sql, valuesOf(accountId, some));
  return rows.flatMap(({ n }) => some[Number(n) - 1] ?? []);
}

/** The parameters of {@link WANTED}. */
function valuesOf(accountId: string, some: readonly MissingPrice[]) {
  return [
    accountId,
    some.map(({ planId }) => planId),
    some.map(({ metricId }) => metricId),
    some.map(({ group }) => JSON.stringify(group)),
  ];
}

/** Has these subscriptions looked at, where what is billed of them holds anything that was never told. */
export async function lookAtHolders(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
): Promise<void> {
  await tx.query(
    `INSERT INTO holders_to_look_at (account_id, subscription_id)
     SELECT DISTINCT $1, c.subscription_id
     FROM billed_combinations c JOIN billed_usage b USING (account_id, subscription_id, metric_id, starts_at)
     WHERE c.account_id = $1 AND c.subscription_id = ANY($2) AND c.is_held AND c.events_count > 0
       AND NOT EXISTS (SELECT FROM missing_prices m WHERE m.account_id = $1 AND m.plan_id = b.plan_id
         AND m.metric_id = c.metric_id AND m.combination = ${KEY_OF.replace('texts', 'c.texts')})`,
    [accountId, subscriptionIds],
  );
}

/**
 * SQL: has the price watch look at those of `subscriptions` (a table or a subquery) that may hold usage in a period that is not billed: they have begun, and a price
 * book of their plan holds usage that no row prices. The watch itself looks only through usage that lands, by the records of that moment.
 */
export const lookAtHoldersAmong = (
  subscriptions: string,
) => `INSERT INTO holders_to_look_at (account_id, subscription_id)
  SELECT s.account_id, s.subscription_id FROM ${subscriptions} s
  WHERE s.status IN ('active', 'paused') AND EXISTS (
    SELECT FROM plan_versions v JOIN plan_components c USING (account_id, version_id)
    WHERE v.account_id = s.account_id AND v.plan_id = s.plan_id AND v.version = s.version AND c.unmatched = 'hold')`;
