import type { MetricRule } from '../../../billing/catalog/metrics.ts';
import type { LateSpan, UsageWatermark } from '../../../billing/metering/late-usage.ts';
import type { Instant } from '../../../core/instants.ts';
import { askInSlices, type ClickHouseReader, OF_A_CALLER } from '../clickhouse.ts';
import { type Bind, inParts, queryParameters } from '../query-parameters.ts';
import { conditionsOfCustomers, MAX_CUSTOMERS } from './metric-by-customer.ts';
import { AT, within } from './metric-query.ts';

type Row = { question: number; piece: string; band: string; first: string; last: string };

/** Watermarks in one SELECT: their instants and positions are some 50 kilobytes. */
const WATERMARKS_AT_ONCE = 1_000;

/** So few customers are asked about one by one at once. */
const FEW_CUSTOMERS = 4;

/** A watermark, and whose closed periods it spans. */
type WatermarkOf = UsageWatermark & { customerId: string };

/** Watermarks of one customer. */
type Asked = { accountId: string; customerId: string; watermarks: readonly WatermarkOf[] };

/**
 * Whether anything has landed for closed periods above their watermarks, up to `upTo` where given: by subscription, the earliest and the latest
 * `time_created` of it. One cheap question (the positions' index skips what is older), so that only periods with late events are counted again;
 * of many customers one more finds those of whom anything may have come late.
 */
export async function findLateSpans(
  clickhouse: ClickHouseReader,
  accountId: string,
  watermarks: readonly WatermarkOf[],
  upTo?: bigint,
  limits = OF_A_CALLER,
): Promise<LateSpan[]> {
  const all = [...Map.groupBy(watermarks, ({ customerId }) => customerId)].map(([customerId, own]): Asked => {
    return { accountId, customerId, watermarks: own };
  });
  const late = all.length > FEW_CUSTOMERS ? await findThoseLate(clickhouse, all, upTo, limits) : all;
  const parts = late.flatMap((one) =>
    inParts(one.watermarks, WATERMARKS_AT_ONCE).map((some) => ({ ...one, watermarks: some })),
  );
  const spans = await askInSlices(clickhouse, parts, limits, async (some, statement) => {
    const { bind, params } = queryParameters();
    const sql = some.map((part, i) => lateSpansQuery(part, i, upTo, bind)).join('\nUNION ALL\n');
    const rowsOf = Map.groupBy(await statement<Row>({ sql, params }), ({ question }) => question);
    return some.map((part, i) => {
      const found = (rowsOf.get(i) ?? []).map(({ piece, band, first, last }) => {
        return { piece: Number(piece), band: BigInt(band), first: Number(first), last: Number(last) };
      });
      return part.watermarks.flatMap((watermark) => spanOf(watermark, found));
    });
  });
  return spans.flat();
}

/** Any event. */
const EVERY_EVENT: MetricRule = {
  ...{ aggregationType: 'count', eventName: null, propertyName: null },
  ...{ numericFilters: [], categoricalFilters: [], timeFilter: null },
};

/** Those with any event above the lowest of their watermarks and within the time that these span. */
async function findThoseLate(
  clickhouse: ClickHouseReader,
  all: readonly Asked[],
  upTo: bigint | undefined,
  limits: typeof OF_A_CALLER,
): Promise<Asked[]> {
  const found = await askInSlices(clickhouse, inParts(all, MAX_CUSTOMERS), limits, async (groups, statement) => {
    const { bind, params } = queryParameters();
    const selects = groups.map((group, i) => {
      const asked = group.map((one) => ({ ...questionOf(one), ...(upTo !== undefined && { upTo }) }));
      const conditions = conditionsOfCustomers(asked, bind);
      return `SELECT ${i} AS grp, customer_id FROM usage_events\nWHERE ${conditions.join('\n  AND ')}\nGROUP BY customer_id`;
    });
    const rows = await statement<{ grp: number; customer_id: string }>({ sql: selects.join('\nUNION ALL\n'), params });
    const late = Map.groupBy(rows, ({ grp }) => grp);
    return groups.map((_, i) => new Set(late.get(i)?.map((row) => row.customer_id)));
  });
  const ids = new Set(found.flatMap((some) => [...some]));
  return all.filter(({ customerId }) => ids.has(customerId));
}

function questionOf({ accountId, customerId, watermarks }: Asked) {
  const start = least(watermarks.map(({ startsAt }) => startsAt));
  const end = -least(watermarks.map(({ endsAt }) => -endsAt));
  const [above = 0n] = watermarks.map(({ countedTo }) => countedTo).toSorted((a, b) => (a < b ? -1 : 1));
  return { accountId, customerId, metric: EVERY_EVENT, timeZone: 'UTC', start, end, above };
}

/** Late events between two edges of watermarks, at positions between two watermarks. */
type Late = { piece: Instant; band: bigint; first: Instant; last: Instant };

function spanOf({ subscriptionId, countedTo, startsAt, endsAt }: UsageWatermark, late: readonly Late[]): LateSpan[] {
  const ours = late.filter(({ piece, band }) => piece >= startsAt && piece < endsAt && band >= countedTo);
  if (ours.length === 0) return [];
  const [first, last] = [ours.map((one) => one.first), ours.map((one) => one.last)];
  return [{ subscriptionId, from: least(first), to: -least(last.map((at) => -at)) }];
}

/** Of any number of them, unlike `Math.min`. */
function least(instants: readonly Instant[]): Instant {
  return instants.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

/**
 * One SELECT however many watermarks there are: events by the edges of the watermarks between which they happened (`piece`), and by the
 * highest watermark above which they lie (`band`).
 */
function lateSpansQuery(
  { accountId, customerId, watermarks }: Asked,
  index: number,
  upTo: bigint | undefined,
  bind: Bind,
): string {
  const edges = [...new Set(watermarks.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]))].toSorted(
    (a, b) => a - b,
  );
  const bands = [...new Set(watermarks.map(({ countedTo }) => countedTo))].toSorted((a, b) => (a < b ? -1 : 1));
  const [startsAt = 0, endsAt = 0] = [edges[0], edges.at(-1)];
  return [
    `SELECT ${index} AS question, roundDown(${AT}, ${bind('edges', 'Array(Int64)', edges)}) AS piece,`,
    `  roundDown(toUInt64(position - 1), ${bind('bands', 'Array(UInt64)', bands)}) AS band, min(${AT}) AS first, max(${AT}) AS last`,
    'FROM usage_events',
    `WHERE account_id = ${bind('account_id', 'String', accountId)}`,
    `  AND customer_id = ${bind('customer_id', 'String', customerId)}`,
    `  AND position > ${bind('counted_to', 'UInt64', bands[0])}`,
    ...(upTo === undefined ? [] : [`  AND position <= ${bind('up_to', 'UInt64', upTo)}`]),
    `  AND ${within({ startsAt, endsAt }, 'start', 'end', bind)}`,
    'GROUP BY piece, band',
  ].join('\n');
}
