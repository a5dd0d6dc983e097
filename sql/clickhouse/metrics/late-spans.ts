import type { LateSpan, UsageWatermark } from '../../../billing/metering/late-usage.ts';
import type { Instant } from '../../../core/instants.ts';
import { askInSlices, type ClickHouseReader, OF_A_CALLER } from '../clickhouse.ts';
import { inParts, type ParameterizedQuery, queryParameters } from '../query-parameters.ts';
import { AT, within } from './metric-query.ts';

type Row = { piece: string; band: string; first: string; last: string };

/** Watermarks in one statement: their instants and positions are some 50 kilobytes. */
const WATERMARKS_AT_ONCE = 1_000;

/**
 * Earliest and latest `time_created` of the events that came late for closed periods, by subscription.
 * Whether anything has landed for closed periods above their watermarks, up to `upTo` where given, and where. One cheap
 * question (the positions' index skips what is older), so that only periods with late events are counted again.
 */
export async function findLateSpans(
  clickhouse: ClickHouseReader,
  owner: { accountId: string; customerId: string },
  watermarks: readonly UsageWatermark[],
  upTo?: bigint,
  limits = OF_A_CALLER,
): Promise<LateSpan[]> {
  const spans: LateSpan[] = [];
  for (const some of inParts(watermarks, WATERMARKS_AT_ONCE)) {
    const [rows = []] = await askInSlices(clickhouse, [some], limits, async (_, statement) => [
      await statement<Row>(lateSpansQuery(owner, some, upTo)),
    ]);
    const late = rows.map(({ piece, band, first, last }) => {
      return { piece: Number(piece), band: BigInt(band), first: Number(first), last: Number(last) };
    });
    spans.push(...some.flatMap((watermark) => spanOf(watermark, late)));
  }
  return spans;
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
  { accountId, customerId }: { accountId: string; customerId: string },
  watermarks: readonly UsageWatermark[],
  upTo: bigint | undefined,
): ParameterizedQuery {
  const { bind, params } = queryParameters();
  const edges = [...new Set(watermarks.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]))].toSorted(
    (a, b) => a - b,
  );
  const bands = [...new Set(watermarks.map(({ countedTo }) => countedTo))].toSorted((a, b) => (a < b ? -1 : 1));
  const [startsAt = 0, endsAt = 0] = [edges[0], edges.at(-1)];
  const sql = [
    `SELECT roundDown(${AT}, ${bind('edges', 'Array(Int64)', edges)}) AS piece,`,
    `  roundDown(toUInt64(position - 1), ${bind('bands', 'Array(UInt64)', bands)}) AS band, min(${AT}) AS first, max(${AT}) AS last`,
    'FROM usage_events',
    `WHERE account_id = ${bind('account_id', 'String', accountId)}`,
    `  AND customer_id = ${bind('customer_id', 'String', customerId)}`,
    `  AND position > ${bind('counted_to', 'UInt64', bands[0])}`,
    ...(upTo === undefined ? [] : [`  AND position <= ${bind('up_to', 'UInt64', upTo)}`]),
    `  AND ${within({ startsAt, endsAt }, 'start', 'end', bind)}`,
    'GROUP BY piece, band',
  ].join('\n');
  return { sql, params };
}
