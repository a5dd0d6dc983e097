import type { Metric, NumericOperator } from '../../../billing/catalog/metrics.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import { findPage, type PageOf, type PageWindow } from '../page-window.ts';
import { firstRow, type Transaction } from '../postgres.ts';

/** Numbers inside the JSON columns come as exact decimals. */
type MetricRow = {
  metric_id: string;
  metric_name: string;
  aggregation_type: Metric['aggregationType'];
  event_name: string | null;
  property_name: string | null;
  numeric_filters: { property_name: string; operator: NumericOperator; comparison_value: Decimal }[];
  categorical_filters: { property_name: string; operator: 'isin' | 'isnotin'; comparison_value: string[] }[];
  time_filter: { days_of_week?: Decimal[]; hours?: { from: Decimal; to: Decimal } } | null;
  is_cost_metric: boolean;
  unit_cost: string;
  status: Metric['status'];
  created_at: Instant;
};

const COLUMNS = `metric_id, metric_name, aggregation_type, event_name, property_name, numeric_filters, categorical_filters,
  time_filter, is_cost_metric, unit_cost, status, created_at`;

const ONE = 'account_id = $1 AND metric_id = $2';

/** The metric, or undefined where this account has none of that id. */
export async function findMetric(tx: Transaction, accountId: string, metricId: string): Promise<Metric | undefined> {
  const row = firstRow(await tx.query<MetricRow>(`SELECT ${COLUMNS} FROM metrics WHERE ${ONE}`, [accountId, metricId]));
  return row && metricFromRow(row);
}

/** Those of `metricIds` that exist. */
export async function findMetrics(tx: Transaction, accountId: string, metricIds: string[]): Promise<Metric[]> {
  if (metricIds.length === 0) return [];
  const sql = `SELECT ${COLUMNS} FROM metrics WHERE account_id = $1 AND metric_id = ANY($2)`;
  return (await tx.query<MetricRow>(sql, [accountId, metricIds])).rows.map(metricFromRow);
}

/** As {@link findMetric}, and nobody else changes it, or makes a plan use it, until the transaction ends. */
export async function lockMetric(tx: Transaction, accountId: string, metricId: string): Promise<Metric | undefined> {
  const answer = await tx.query<MetricRow>(`SELECT ${COLUMNS} FROM metrics WHERE ${ONE} FOR UPDATE`, [
    accountId,
    metricId,
  ]);
  const row = firstRow(answer);
  return row && metricFromRow(row);
}

/** Those of `metricIds` that exist; none of them is archived by others until the transaction ends. */
export async function lockMetricsForShare(tx: Transaction, accountId: string, metricIds: string[]): Promise<Metric[]> {
  const answer = await tx.query<MetricRow>(
    `SELECT ${COLUMNS} FROM metrics WHERE account_id = $1 AND metric_id = ANY($2) ORDER BY metric_id FOR SHARE`,
    [accountId, metricIds],
  );
  return answer.rows.map(metricFromRow);
}

/** One page of an account's metrics, newest first. */
export function listMetrics(tx: Transaction, accountId: string, window: PageWindow): Promise<PageOf<Metric>> {
  const equals = { account_id: accountId };
  return findPage(tx, { select: COLUMNS, table: ['metrics', 'm'], equals }, window, metricFromRow);
}

/** The metrics by which an account counts its costs (spec/cost-analysis#cost), also archived ones: what they cost stays. */
export async function listCostMetrics(tx: Transaction, accountId: string): Promise<Metric[]> {
  const sql = `SELECT ${COLUMNS} FROM metrics WHERE account_id = $1 AND is_cost_metric ORDER BY seq`;
  return (await tx.query<MetricRow>(sql, [accountId])).rows.map(metricFromRow);
}

/** Stores a new metric. */
export async function insertMetric(tx: Transaction, accountId: string, metric: Metric): Promise<void> {
  await tx.query(
    `INSERT INTO metrics (account_id, metric_id, metric_name, aggregation_type, event_name, property_name, numeric_filters,
       categorical_filters, time_filter, is_cost_metric, unit_cost, status, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      accountId,
      metric.metricId,
      metric.metricName,
      metric.aggregationType,
      metric.eventName,
      metric.propertyName,
      stringifyExactJson(
        metric.numericFilters.map((filter) => ({
          property_name: filter.propertyName,
          operator: filter.operator,
          comparison_value: filter.comparisonValue,
        })),
      ),
      stringifyExactJson(
        metric.categoricalFilters.map((filter) => ({
          property_name: filter.propertyName,
          operator: filter.operator,
          comparison_value: filter.comparisonValue,
        })),
      ),
      metric.timeFilter &&
        stringifyExactJson({ days_of_week: metric.timeFilter.daysOfWeek ?? undefined, hours: metric.timeFilter.hours }),
      metric.isCostMetric,
      metric.unitCost.toFixed(),
      metric.status,
      isoFromInstant(metric.createdAt),
    ],
  );
}

/** Gives the metric another name: all of it that can change (spec/metrics). */
export async function updateMetricName(tx: Transaction, accountId: string, metricId: string, name: string) {
  await tx.query(`UPDATE metrics SET metric_name = $3 WHERE ${ONE}`, [accountId, metricId, name]);
}

/** Archives the metric: no plan may use it any more. */
export async function updateMetricArchived(tx: Transaction, accountId: string, metricId: string) {
  await tx.query(`UPDATE metrics SET status = 'archived' WHERE ${ONE}`, [accountId, metricId]);
}

/** Ids of the plans whose latest version uses the metric, in a component or to measure a feature (spec/metrics). */
export async function listPlansUsingMetric(tx: Transaction, accountId: string, metricId: string): Promise<string[]> {
  const answer = await tx.query<{ plan_id: string }>(
    `SELECT p.plan_id FROM (
       SELECT version_id FROM plan_components WHERE account_id = $1 AND metric_id = $2
       UNION SELECT version_id FROM plan_features WHERE account_id = $1 AND metric_id = $2
     ) used
     JOIN plan_versions v ON v.account_id = $1 AND v.version_id = used.version_id
     JOIN plans p ON p.account_id = $1 AND p.plan_id = v.plan_id AND p.latest_version = v.version
     ORDER BY p.seq`,
    [accountId, metricId],
  );
  return answer.rows.map((row) => row.plan_id);
}

function metricFromRow(row: MetricRow): Metric {
  return {
    metricId: row.metric_id,
    metricName: row.metric_name,
    aggregationType: row.aggregation_type,
    eventName: row.event_name,
    propertyName: row.property_name,
    numericFilters: row.numeric_filters.map((filter) => ({
      propertyName: filter.property_name,
      operator: filter.operator,
      comparisonValue: filter.comparison_value,
    })),
    categoricalFilters: row.categorical_filters.map((filter) => ({
      propertyName: filter.property_name,
      operator: filter.operator,
      comparisonValue: filter.comparison_value,
    })),
    timeFilter: row.time_filter && timeFilterFromRow(row.time_filter),
    isCostMetric: row.is_cost_metric,
    unitCost: decimal(row.unit_cost),
    status: row.status,
    createdAt: row.created_at,
  };
}

function timeFilterFromRow({ days_of_week, hours }: NonNullable<MetricRow['time_filter']>): Metric['timeFilter'] {
  return {
    ...(days_of_week && { daysOfWeek: days_of_week.map((day) => day.toNumber()) }),
    ...(hours && { hours: { from: hours.from.toNumber(), to: hours.to.toNumber() } }),
  };
}
