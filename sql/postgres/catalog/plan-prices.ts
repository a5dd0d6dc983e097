import { fieldsOfPrice, type PriceFields, type PricingModel, priceOfFields } from '../../../billing/pricing/price.ts';
import type { Addition, PriceBook, PriceRow, PropertyTexts } from '../../../billing/pricing/price-book.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { type Instant, instantFromIso, isoFromInstant, type LocalDate } from '../../../core/instants.ts';
import { leftOut } from '../../../core/left-out.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import { findPage, type PageOf, type PageWindow } from '../page-window.ts';
import type { Transaction } from '../postgres.ts';

/** The columns of a price, of a component or a row. Numbers inside `tiers` come as exact decimals. */
export type PriceColumns = {
  overage_price: string | null;
  tiers: { up_to: Decimal | null; unit_price: Decimal; flat_fee: Decimal }[] | null;
  package_size: string | null;
  percentage: string | null;
  fixed_amount: string | null;
  per_event_minimum: string | null;
  per_event_maximum: string | null;
};

export type PriceRowRow = PriceColumns & {
  version_id: string;
  metric_id: string;
  price_id: string;
  seq: string;
  when_texts: PropertyTexts;
  from_date: LocalDate | null;
  from_at: Instant | null;
  free_tier: string;
  pricing_model: PricingModel;
  is_override: boolean;
  added_at: Instant | null;
  added_on: Record<string, string> | null;
};

/** The columns of a row of a price book `p`, but for its version. */
export const PRICE_ROW = `p.metric_id, p.price_id, p.seq, p.when_texts, p.from_date, p.from_at, p.free_tier, p.pricing_model, p.overage_price,
  p.tiers, p.package_size, p.percentage, p.fixed_amount, p.per_event_minimum, p.per_event_maximum, p.is_override, p.added_at, p.added_on`;

/**
 * Plan versions `v`, each with the rows `p` of its price books. `OFFSET 0` makes Postgres look the rows up for each version: until it has analyzed
 * the rows of a new price book it expects few of them, and would compare every row with every version.
 */
const VERSIONS_WITH_ROWS = `plan_versions v CROSS JOIN LATERAL (SELECT * FROM price_rows r
  WHERE r.account_id = v.account_id AND r.version_id = coalesce(v.prices_of, v.version_id) OFFSET 0) p`;

/**
 * The rows of the price books of these plan versions, by {@link bookKey}, in the order in which they came. With `most`, those of a price book that has
 * more are left out and never read.
 */
export async function listPriceRows(
  tx: Transaction,
  accountId: string,
  versionIds: readonly string[],
  most?: number,
): Promise<Map<string, PriceRow[]>> {
  const large = most === undefined ? [] : await countLargePriceBooks(tx, accountId, versionIds, most);
  const { rows } = await tx.query<PriceRowRow>(
    `SELECT v.version_id, ${PRICE_ROW}
     FROM ${VERSIONS_WITH_ROWS} WHERE v.account_id = $1 AND v.version_id IN (SELECT unnest($2::text[]))
       AND (v.version_id, p.metric_id) NOT IN (SELECT * FROM unnest($3::text[], $4::text[])) ORDER BY p.seq`,
    [accountId, versionIds, large.map(({ version_id }) => version_id), large.map(({ metric_id }) => metric_id)],
  );
  const byKey = rowsByKey(rows, (row) => bookKey(row.version_id, row.metric_id));
  for (const { version_id, metric_id, count } of large) byKey.set(bookKey(version_id, metric_id), leftOut(count));
  return byKey;
}

/** The price books of these plan versions that have more than `most` rows. */
export async function countLargePriceBooks(
  tx: Transaction,
  accountId: string,
  versionIds: readonly string[],
  most: number,
): Promise<{ version_id: string; metric_id: string; count: number }[]> {
  const { rows } = await tx.query<{ version_id: string; metric_id: string; count: number }>(
    `SELECT v.version_id, p.metric_id, count(*)::int AS count FROM ${VERSIONS_WITH_ROWS}
     WHERE v.account_id = $1 AND v.version_id IN (SELECT unnest($2::text[])) GROUP BY v.version_id, p.metric_id HAVING count(*) > $3`,
    [accountId, versionIds, most],
  );
  return rows;
}

/** What a metric is grouped by in some version of the plans that a customer's live subscriptions are of. */
export async function listBooksOfCustomer(
  tx: Transaction,
  accountId: string,
  customerId: string,
): Promise<{ metricId: string; groupBy: readonly string[] }[]> {
  const { rows } = await tx.query<{ metric_id: string; group_by: string[] }>(
    `SELECT DISTINCT c.metric_id, c.group_by FROM plan_versions v JOIN plan_components c USING (account_id, version_id)
     WHERE v.account_id = $1 AND c.group_by IS NOT NULL AND v.plan_id IN (SELECT s.plan_id FROM subscriptions s
       WHERE s.account_id = $1 AND s.customer_id = $2 AND s.status IN ('pending', 'active', 'paused'))
     ORDER BY c.metric_id, c.group_by`,
    [accountId, customerId],
  );
  return rows.map(({ metric_id: metricId, group_by: groupBy }) => ({ metricId, groupBy }));
}

/** `currency`: one of the further currencies of an offered version. */
export function bookKey(versionId: string, metricId: string, currency = ''): string {
  return `${versionId} ${metricId} ${currency}`;
}

/** Rows of price books by what `keyOf` says, in their order. */
export function rowsByKey<Row extends PriceRowRow>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Map<string, PriceRow[]> {
  return new Map([...Map.groupBy(rows, keyOf)].map(([key, some]) => [key, some.map(priceRowFromRow)]));
}

/** A price book of a metric in one version of a plan, without overrides. `hasRow`: whether it has a row of the asked `when` and `from`. */
export type BookOfVersion = { versionId: string; groupBy: readonly string[]; rowCount: number; hasRow: boolean };

type BookOfVersionRow = { version_id: string; group_by: string[]; row_count: number; has_row: boolean };

/** The price books of a metric in all versions of a plan that are in `currency`, agreed ones too; a book that versions share is there once. */
export async function findPriceBooks(
  tx: Transaction,
  accountId: string,
  { planId, metricId, currency }: { planId: string; metricId: string; currency: string },
  { when, from }: Pick<PriceRow, 'when' | 'from'>,
): Promise<BookOfVersion[]> {
  const { rows } = await tx.query<BookOfVersionRow>(
    `SELECT c.version_id, c.group_by, count(*)::int AS row_count, bool_or(r.when_texts = $5 AND r.from_date IS NOT DISTINCT FROM $6
       AND r.from_at IS NOT DISTINCT FROM $7) AS has_row
     FROM plans p JOIN plan_versions v USING (account_id, plan_id)
       JOIN plan_components c USING (account_id, version_id)
       JOIN plan_prices r USING (account_id, version_id, metric_id)
     WHERE p.account_id = $1 AND p.plan_id = $2 AND c.metric_id = $3 AND coalesce(v.currency, p.currency) = $4 AND NOT r.is_override
       AND v.prices_of IS NULL
     GROUP BY c.version_id, c.group_by`,
    [accountId, planId, metricId, currency, when, fromToColumns(from).from_date, fromToColumns(from).from_at],
  );
  return rows.map((row) => ({
    versionId: row.version_id,
    groupBy: row.group_by,
    rowCount: row.row_count,
    hasRow: row.has_row,
  }));
}

/** How many rows the price books of a plan's latest version have in all, those in its further currencies included. */
export async function countPlanPrices(tx: Transaction, accountId: string, planId: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM plans p JOIN plan_versions v USING (account_id, plan_id) JOIN plan_prices r USING (account_id, version_id)
     WHERE p.account_id = $1 AND p.plan_id = $2
       AND (v.version = p.latest_version OR (v.based_on = p.latest_version AND v.overrides IS NULL))`,
    [accountId, planId],
  );
  return rows[0]?.count ?? 0;
}

/**
 * The version whose rows an offered version of a plan has, the latest one without `version`, in one of its currencies; undefined where there is no such
 * version.
 */
export async function findPricesOf(
  tx: Transaction,
  accountId: string,
  planId: string,
  { version, currency }: { version?: number | undefined; currency?: string | undefined },
): Promise<string | undefined> {
  const { rows } = await tx.query<{ prices_of: string }>(
    `SELECT coalesce(v.prices_of, v.version_id) AS prices_of FROM plans p JOIN plan_versions v USING (account_id, plan_id)
     WHERE p.account_id = $1 AND p.plan_id = $2 AND coalesce(v.currency, p.currency) = coalesce($4, p.currency) AND v.overrides IS NULL
       AND coalesce(v.based_on, v.version) = coalesce($3::int, p.latest_version)`,
    [accountId, planId, version, currency],
  );
  return rows[0]?.prices_of;
}

/** A row as a list of a plan's prices has it. */
export type ListedPrice = { metricId: string; row: PriceRow };

/** One page of the rows of the price books of a plan version, in the order in which they came, or only of that metric's. */
export function listPrices(
  tx: Transaction,
  accountId: string,
  { pricesOf, metricId }: { pricesOf: string; metricId?: string | undefined },
  window: PageWindow,
): Promise<PageOf<ListedPrice>> {
  const equals = { account_id: accountId, version_id: pricesOf, metric_id: metricId };
  const list = { select: `p.version_id, ${PRICE_ROW}`, table: ['price_rows', 'p'], equals, isAscending: true } as const;
  return findPage(tx, list, window, (row: PriceRowRow) => ({ metricId: row.metric_id, row: priceRowFromRow(row) }));
}

/** Rows that are read at once. */
const ROWS_AT_ONCE = 500;

/** All rows of the price book of a metric, in their order, some hundred at a time, each as `toEntry` makes of it. */
export async function* listRowsInParts<T>(
  tx: Transaction,
  accountId: string,
  { pricesOf, metricId }: { pricesOf: string; metricId: string },
  toEntry: (row: PriceRow) => T,
): AsyncGenerator<T[]> {
  for (let after = '-1'; ; ) {
    const { rows } = await tx.query<PriceRowRow>(
      `SELECT p.version_id, ${PRICE_ROW} FROM price_rows p
       WHERE p.account_id = $1 AND p.version_id = $2 AND p.metric_id = $3 AND p.seq > $4 ORDER BY p.seq LIMIT ${ROWS_AT_ONCE}`,
      [accountId, pricesOf, metricId, after],
    );
    yield rows.map((row) => toEntry(priceRowFromRow(row)));
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_ONCE) return;
    after = last.seq;
  }
}

/** Stores rows of price books, in their order. */
export async function insertPriceRows(
  tx: Transaction,
  accountId: string,
  priceBooks: readonly { versionId: string; metricId: string; rows: PriceBook['rows'] }[],
): Promise<void> {
  const rows = priceBooks.flatMap((book) => book.rows.map((row) => rowToColumns(book, row)));
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO price_rows (account_id, version_id, metric_id, price_id, when_texts, from_date, from_at, free_tier, pricing_model,
       overage_price, tiers, package_size, percentage, fixed_amount, per_event_minimum, per_event_maximum, is_override, added_at, added_on)
     SELECT $1, p.version_id, p.metric_id, p.price_id, p.when_texts, p.from_date, p.from_at, p.free_tier, p.pricing_model,
       p.overage_price, p.tiers, p.package_size, p.percentage, p.fixed_amount, p.per_event_minimum, p.per_event_maximum,
       p.is_override, p.added_at, p.added_on
     FROM jsonb_to_recordset($2) AS p (n integer, version_id text, metric_id text, price_id text, when_texts jsonb, from_date date,
       from_at timestamptz, free_tier numeric, pricing_model text, overage_price numeric, tiers jsonb, package_size numeric,
       percentage numeric, fixed_amount numeric, per_event_minimum numeric, per_event_maximum numeric, is_override boolean,
       added_at timestamptz, added_on jsonb)
     ORDER BY p.n`,
    [accountId, stringifyExactJson(rows.map((row, i) => ({ n: decimal(i), ...row })))],
  );
}

/** The price of its columns. */
export function priceFromColumns(pricingModel: PricingModel | null, columns: PriceColumns) {
  const fields: PriceFields = {
    pricingModel,
    overagePrice: decimalOrNull(columns.overage_price),
    tiers:
      columns.tiers?.map((tier) => ({ upTo: tier.up_to, unitPrice: tier.unit_price, flatFee: tier.flat_fee })) ?? null,
    packageSize: decimalOrNull(columns.package_size),
    percentage: decimalOrNull(columns.percentage),
    fixedAmount: decimalOrNull(columns.fixed_amount),
    perEventMinimum: decimalOrNull(columns.per_event_minimum),
    perEventMaximum: decimalOrNull(columns.per_event_maximum),
  };
  return priceOfFields(fields);
}

export function decimalOrNull(text: string | null): Decimal | null {
  return text === null ? null : decimal(text);
}

function priceRowFromRow(row: PriceRowRow): PriceRow {
  return {
    priceId: row.price_id,
    when: row.when_texts,
    from: row.from_date ?? row.from_at,
    price: priceFromColumns(row.pricing_model, row),
    freeTier: decimal(row.free_tier),
    isOverride: row.is_override,
    addition: additionFromRow(row),
    seq: BigInt(row.seq),
  };
}

function additionFromRow({ added_at: at, added_on }: PriceRowRow): Addition | null {
  if (at === null) return null;
  const on = Object.entries(added_on ?? {}).map(([clock, text]) => [clock, instantFromIso(text) ?? at] as const);
  return { at, on: Object.fromEntries(on) };
}

function rowToColumns({ versionId, metricId }: { versionId: string; metricId: string }, row: PriceRow) {
  const { priceId, when, from, price, freeTier, addition } = row;
  const { tiers, ...fields } = fieldsOfPrice(price);
  const addedOn = addition && Object.entries(addition.on).map(([clock, at]) => [clock, isoFromInstant(at)] as const);
  return {
    ...{ version_id: versionId, metric_id: metricId, price_id: priceId, when_texts: when, free_tier: freeTier },
    ...fromToColumns(from),
    pricing_model: fields.pricingModel,
    overage_price: fields.overagePrice,
    tiers:
      tiers?.map(({ upTo, unitPrice, flatFee }) => ({ up_to: upTo, unit_price: unitPrice, flat_fee: flatFee })) ?? null,
    package_size: fields.packageSize,
    percentage: fields.percentage,
    fixed_amount: fields.fixedAmount,
    per_event_minimum: fields.perEventMinimum,
    per_event_maximum: fields.perEventMaximum,
    is_override: row.isOverride,
    added_at: addition && isoFromInstant(addition.at),
    added_on: addedOn && Object.fromEntries(addedOn),
  };
}

function fromToColumns(from: PriceRow['from']) {
  return {
    from_date: typeof from === 'string' ? from : null,
    from_at: typeof from === 'number' ? isoFromInstant(from) : null,
  };
}
