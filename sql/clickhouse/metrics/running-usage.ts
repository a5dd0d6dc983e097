import type { AggregationType } from '../../../billing/catalog/metrics.ts';
import type { RunningQuantity } from '../../../billing/invoices/revenue-days.ts';
import { bucketsOf } from '../../../billing/metering/buckets.ts';
import type { EventPrices } from '../../../billing/pricing/percentage.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { type Instant, type LocalDate, localDateAt } from '../../../core/instants.ts';
import { askInSlices, type ClickHouseReader, OF_A_CALLER } from '../clickhouse.ts';
import { type Bind, type ParameterizedQuery, queryParameters } from '../query-parameters.ts';
import { sqlHash } from './book-usage.ts';
import { eventPricesFromRow } from './event-prices.ts';
import { textOf } from './event-properties.ts';
import { keysOf } from './metric-by-window.ts';
import { AT, inSlices, kindOf, type MetricQuestion, stretchesOf } from './metric-query.ts';
import {
  ABOVE_ALL,
  combinationOf,
  commonOf,
  type Group,
  nameOf,
  type PieceRow,
  piecesQuery,
  propertiesOf,
} from './running-query.ts';

/** Stretches in one SELECT: those that cut time are some 30 kilobytes, those of `unique` are looked up for every event. */
const MAX_STRETCHES = { cutting: 1_000, lookedUp: 200 };

type Answers = (readonly [MetricQuestion, RunningQuantity[]])[];

/**
 * For each question the metric's value from `start` to the end of every local day that has events which change it, in order;
 * the last one is the value over the whole interval. Empty where nothing is counted. What prices its events says what they come to.
 * A question that is asked again is asked once, and those that are alike share a SELECT: each line of a customer's invoices has one.
 */
export async function listRunningUsage(
  clickhouse: ClickHouseReader,
  questions: readonly MetricQuestion[],
): Promise<RunningQuantity[][]> {
  const keys = keysOf(questions);
  const once = new Map(questions.map((question, i) => [keys[i], question]));
  const asked = [...once.values()].filter((question) => stretchesOf(question).length > 0);
  const kinds = [...Map.groupBy(asked, kindWithDays()).values()];
  const isOfTexts = ([first]: Group) => first?.metric.aggregationType === 'unique';
  const ofTexts = kinds.filter(isOfTexts).flatMap((kind) => inSlices(kind, MAX_STRETCHES.lookedUp));
  const others = kinds.filter((kind) => !isOfTexts(kind)).flatMap((kind) => inSlices(kind, MAX_STRETCHES.cutting));
  const answers = await Promise.all([askPieces(clickhouse, others), askTexts(clickhouse, ofTexts)]);
  const answerOf = new Map<MetricQuestion | undefined, RunningQuantity[]>(answers.flat());
  return keys.map((key) => answerOf.get(once.get(key)) ?? []);
}

/** The kind of a question: those of one kind differ in nothing that a {@link Group} has in common. */
function kindWithDays(): (question: MetricQuestion) => string {
  const kind = kindOf();
  return ({ upTo: _upTo, above: _above, ...question }) => {
    return JSON.stringify([question.timeZone, propertiesOf(question), kind(question)]);
  };
}

async function askPieces(clickhouse: ClickHouseReader, groups: readonly Group[]): Promise<Answers> {
  const answers = await askInSlices(clickhouse, groups, OF_A_CALLER, async (some, statement) => {
    const rowsOf = Map.groupBy(await statement<PieceRow>(piecesQuery(some)), ({ grp }) => grp);
    return some.map((group, i) => answersFromPieces(group, rowsOf.get(i) ?? []));
  });
  return answers.flat();
}

async function askTexts(clickhouse: ClickHouseReader, groups: readonly Group[]): Promise<Answers> {
  const answers = await askInSlices(clickhouse, groups, OF_A_CALLER, async (some, statement) => {
    const rowsOf = Map.groupBy(await statement<TextsRow>(textsQuery(some)), ({ grp }) => grp);
    return some.map((group, i) => {
      const ofQuestion = Map.groupBy(rowsOf.get(i) ?? [], ({ question }) => question);
      return group.map((one, n): Answers[number] => {
        return [one, running(one, (ofQuestion.get(n) ?? []).map(pieceOfTexts).toSorted(byTime))];
      });
    });
  });
  return answers.flat();
}

/** How many texts a question sees first in a piece of time. */
type TextsRow = { grp: number; question: number; piece: string; value: string };

/** A text counts on the day on which it is first seen: each event is looked up among the windows, and each question keeps its texts. */
function textsQuery(groups: readonly Group[]): ParameterizedQuery {
  const { bind, params } = queryParameters();
  return { sql: groups.map((group, i) => textsOf(group, i, bind)).join('\nUNION ALL\n'), params };
}

function textsOf(group: Group, index: number, bind: Bind): string {
  const { first, name, texts, piece, conditions, localTime } = commonOf(group, bind);
  const text = textOf(bind('property', 'String', first.metric.propertyName ?? ''));
  const combination = texts.length === 0 ? "''" : sqlHash(texts);
  const stretches = group.flatMap((question, i) => stretchesOf(question).map((one) => ({ ...one, question, i })));
  const column = (as: string, type: string, of: (stretch: (typeof stretches)[number]) => unknown) =>
    bind(as, `Array(${type})`, stretches.map(of));
  const windows = [
    column('questions', 'UInt32', ({ i }) => i),
    column('window_names', 'String', ({ question }) => nameOf(question)),
    column('window_combinations', 'String', ({ question }) => combinationOf(question)),
    column('window_starts', 'Int64', ({ startsAt }) => startsAt),
    column('window_ends', 'Int64', ({ endsAt }) => endsAt),
    column('window_above', 'UInt64', ({ question }) => question.above ?? 0n),
    column('window_up_to', 'UInt64', ({ question }) => question.upTo ?? ABOVE_ALL),
  ];
  const isCounted = `n = ${name} AND c = ${combination} AND s <= ${AT} AND ${AT} < e AND position > a AND position <= u`;
  return [
    `SELECT ${index} AS grp, question, first AS piece, toString(count()) AS value`,
    `FROM (\n${localTime}SELECT question, ${text} AS text, min(${piece}) AS first`,
    'FROM usage_events',
    `ARRAY JOIN arrayFilter((q, n, c, s, e, a, u) -> ${isCounted}, ${windows.join(', ')}) AS question`,
    `WHERE ${conditions.join('\n  AND ')}`,
    '  AND text IS NOT NULL',
    'GROUP BY question, text',
    ')\nGROUP BY question, piece',
  ].join('\n');
}

/** What is counted in a piece of time. */
type Piece = { startsAt: Instant; value: Decimal; prices: EventPrices };
/** The same at positions above `band`. */
type BandedPiece = Piece & { band: bigint };

const NO_PRICES = eventPricesFromRow(undefined);
const byTime = (a: Piece, b: Piece) => a.startsAt - b.startsAt;

function pieceOfTexts({ piece, value }: TextsRow): Piece {
  return { startsAt: Number(piece), value: decimal(value), prices: NO_PRICES };
}

function answersFromPieces(group: Group, rows: readonly PieceRow[]): Answers {
  const keyOf = (name: string, combination: string) => `${combination} ${name}`;
  const pieces = Map.groupBy(rows, ({ name, combination }) => keyOf(name, combination));
  const inTime = new Map([...pieces].map(([key, some]) => [key, some.map(pieceFromRow).toSorted(byTime)]));
  return group.map((question) => {
    const { upTo, above = 0n } = question;
    const stretches = stretchesOf(question);
    const isCounted = ({ startsAt, band }: BandedPiece) =>
      band >= above &&
      (upTo === undefined || band < upTo) &&
      stretches.some((one) => one.startsAt <= startsAt && startsAt < one.endsAt);
    const own = inTime.get(keyOf(nameOf(question), combinationOf(question))) ?? [];
    return [question, running(question, own.filter(isCounted))];
  });
}

function pieceFromRow(row: PieceRow): BandedPiece {
  const prices = eventPricesFromRow(row);
  return { startsAt: Number(row.piece), band: BigInt(row.band), value: decimal(row.value), prices };
}

/** What is counted up to the end of each day, of pieces in the order of their times. */
function running(question: MetricQuestion, pieces: readonly Piece[]): RunningQuantity[] {
  const { metric, timeZone, start, end, perEvent } = question;
  const starts = bucketsOf('day', start, end, timeZone).map(({ startsAt }) => startsAt);
  let day = 0;
  const days = new Map<LocalDate, RunningQuantity>();
  let total: Decimal | undefined;
  let byEvent = NO_PRICES;
  for (const { startsAt, value, prices } of pieces) {
    total = combine(metric.aggregationType, total, value);
    if (perEvent) {
      byEvent = { billable: byEvent.billable.plus(prices.billable), amount: byEvent.amount.plus(prices.amount) };
    }
    while ((starts[day + 1] ?? end) <= startsAt) day++;
    // Where a clock goes back over midnight, the day that has begun goes on.
    const date = localDateAt(starts[day] ?? start, timeZone);
    days.set(date, { date, quantity: total, ...(perEvent && { byEvent }) });
  }
  return [...days.values()];
}

function combine(aggregation: AggregationType, before: Decimal | undefined, value: Decimal): Decimal {
  if (before === undefined) return value;
  if (aggregation === 'max') return value.gt(before) ? value : before;
  return before.plus(value);
}
