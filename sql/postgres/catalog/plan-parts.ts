import type { PlanParts } from '../../../billing/entitlements/access.ts';
import { limitedBy } from '../../../billing/pricing/limits.ts';
import type { PriceBook, PriceRow, Unmatched } from '../../../billing/pricing/price-book.ts';
import type { Component } from '../../../billing/pricing/rating.ts';
import type { Feature } from '../../../billing/subscriptions/subscription.ts';
import { decimal } from '../../../core/decimal.ts';
import { leftOut } from '../../../core/left-out.ts';
import { MOST_LISTED } from '../../../runtime/exact-json.ts';
import type { Transaction } from '../postgres.ts';
import { bookKey, decimalOrNull, listPriceRows, type PriceColumns, priceFromColumns } from './plan-prices.ts';

type ComponentRow = PriceColumns & {
  version_id: string;
  component_id: string;
  metric_id: string;
  pricing_model: Component['pricingModel'];
  free_tier: string;
  rounding: Component['rounding'];
  prepaid_units: string;
  minimum_amount: string | null;
  maximum_amount: string | null;
  group_by: string[] | null;
  unmatched: Unmatched | null;
};

type FeatureRow = {
  version_id: string;
  feature_id: string;
  name: string;
  included: boolean;
  usage_limit: string | null;
  metric_id: string | null;
};

/** Components and features of these plan versions, by `version_id`. */
export async function findPlanParts(
  tx: Transaction,
  accountId: string,
  versionIds: string[],
): Promise<Map<string, PlanParts>> {
  const partsOf = await findParts(tx, accountId, versionIds);
  return new Map(versionIds.map((id) => [id, partsOf(id)]));
}

/** How many components, and features, of a plan version are read, and how many rows of a price book: of more than that none. Undefined: all. */
export type MostParts = { entries?: number; rows?: number };

/**
 * What hangs on these plan versions, in two statements however many there are, three where some have price books. What has more entries than
 * `most` says is left out and never read.
 */
export async function findParts(
  tx: Transaction,
  accountId: string,
  versionIds: string[],
  { entries: most, rows: mostRows }: MostParts = {},
): Promise<(versionId: string) => PlanParts> {
  const large = most === undefined ? NOTHING_LARGE : await countLarge(tx, accountId, versionIds, most);
  const idsBut = (left: ReadonlyMap<string, number>) => versionIds.filter((id) => !left.has(id));
  // To plan `= ANY($2)` takes Postgres longer, by the number of ids, than to run it.
  const [components, features] = await Promise.all([
    tx.query<ComponentRow>(
      `SELECT version_id, component_id, metric_id, pricing_model, free_tier, overage_price,
         tiers, package_size, rounding, prepaid_units, minimum_amount, maximum_amount, percentage, fixed_amount,
         per_event_minimum, per_event_maximum, group_by, unmatched
       FROM plan_components WHERE account_id = $1 AND version_id IN (SELECT unnest($2::text[])) ORDER BY ordinal`,
      [accountId, idsBut(large.components)],
    ),
    tx.query<FeatureRow>(
      `SELECT f.version_id, f.feature_id, n.name, f.included, f.usage_limit, f.metric_id
       FROM plan_features f JOIN features n USING (account_id, feature_id)
       WHERE f.account_id = $1 AND f.version_id IN (SELECT unnest($2::text[])) ORDER BY f.ordinal`,
      [accountId, idsBut(large.features)],
    ),
  ]);
  const componentsOf = Map.groupBy(components.rows, (row) => row.version_id);
  const featuresOf = Map.groupBy(features.rows, (row) => row.version_id);
  const grouped = components.rows.filter((row) => row.group_by !== null).map((row) => row.version_id);
  const rowsOf =
    grouped.length === 0
      ? new Map<string, PriceRow[]>()
      : await listPriceRows(tx, accountId, [...new Set(grouped)], mostRows);
  const bookOf = (row: ComponentRow) => bookFromRow(row, rowsOf.get(bookKey(row.version_id, row.metric_id)) ?? []);
  return (id) => {
    const components = (componentsOf.get(id) ?? []).map((row) => ({ ...componentFromRow(row), ...bookOf(row) }));
    const features = (featuresOf.get(id) ?? []).map(featureFromRow);
    const [componentCount, featureCount] = [large.components.get(id), large.features.get(id)];
    return {
      components: componentCount === undefined ? components : leftOut<Component>(componentCount),
      features: featureCount === undefined ? features : leftOut<Feature>(featureCount),
    };
  };
}

/** How many components and features those versions have that have more than are read of them. */
type Large = { components: ReadonlyMap<string, number>; features: ReadonlyMap<string, number> };
const NOTHING_LARGE: Large = { components: new Map(), features: new Map() };

async function countLarge(tx: Transaction, accountId: string, versionIds: string[], most: number): Promise<Large> {
  const countIn = async (table: 'plan_components' | 'plan_features') => {
    const { rows } = await tx.query<{ version_id: string; count: number }>(
      `SELECT version_id, count(*)::int AS count FROM ${table} WHERE account_id = $1 AND version_id IN (SELECT unnest($2::text[]))
       GROUP BY version_id HAVING count(*) > $3`,
      [accountId, versionIds, most],
    );
    return new Map(rows.map((row) => [row.version_id, row.count]));
  };
  const [components, features] = await Promise.all([countIn('plan_components'), countIn('plan_features')]);
  return { components, features };
}

/** The bytes that an entry takes in an answer besides its values: the names of its fields. */
const NAMES = { plan_components: 450, plan_features: 100, plan_prices: 350 };

/**
 * Returns SQL for the approximate size in bytes, in an answer, of the components, features and price book rows of plan version `v`, in
 * all of its currencies. A kind of part with more than `most` entries is not counted. If `most` is null, all are counted.
 */
export function bytesOfParts(v: string, most: number | null = MOST_LISTED): string {
  // A union, because Postgres may read all versions of the plan for an OR.
  const versions = `SELECT ${v}.version_id UNION ALL SELECT o.version_id FROM plan_versions o WHERE o.account_id = ${v}.account_id
    AND o.plan_id = ${v}.plan_id AND o.based_on = ${v}.version AND o.based_on IS NOT NULL AND o.overrides IS NULL`;
  const bytesIn = (table: keyof typeof NAMES, by: string) => `(SELECT coalesce(sum(s.bytes), 0) FROM (
      SELECT ${by}, count(*) AS count FROM ${table} x WHERE x.account_id = ${v}.account_id AND x.version_id IN (${versions}) GROUP BY ${by}) k
    CROSS JOIN LATERAL (SELECT sum(octet_length(x::text) + ${NAMES[table]}) AS bytes FROM ${table} x
      WHERE x.account_id = ${v}.account_id AND (${by}) = (${by.replaceAll('x.', 'k.')})) s ${most === null ? '' : `WHERE k.count <= ${most}`})`;
  return `(${bytesIn('plan_components', 'x.version_id')} + ${bytesIn('plan_features', 'x.version_id')} + ${bytesIn('plan_prices', 'x.version_id, x.metric_id')})`;
}

/** The price book as a field of its component; none where it has none. */
function bookFromRow({ group_by: groupBy, unmatched }: ComponentRow, rows: readonly PriceRow[]): { book?: PriceBook } {
  return groupBy === null || unmatched === null ? {} : { book: { groupBy, unmatched, rows } };
}

function componentFromRow(row: ComponentRow): Component {
  return {
    componentId: row.component_id,
    metricId: row.metric_id,
    ...priceFromColumns(row.pricing_model, row),
    freeTier: decimal(row.free_tier),
    rounding: row.rounding,
    prepaidUnits: decimal(row.prepaid_units),
    ...limitsFromRow(row),
  };
}

export function limitsFromRow({
  minimum_amount,
  maximum_amount,
}: Pick<ComponentRow, 'minimum_amount' | 'maximum_amount'>) {
  return limitedBy(decimalOrNull(minimum_amount), decimalOrNull(maximum_amount));
}

function featureFromRow(row: FeatureRow): Feature {
  return {
    featureId: row.feature_id,
    name: row.name,
    included: row.included,
    limit: decimalOrNull(row.usage_limit),
    metricId: row.metric_id,
  };
}
