import type { UsageValue } from '../../../billing/metering/aggregate.ts';
import { bucketsOf, type Interval } from '../../../billing/metering/buckets.ts';
import { decimal, ZERO } from '../../../core/decimal.ts';
import type { AnswerRoom } from '../../postgres/page-window.ts';
import {
  type AskStatement,
  askInSlices,
  type ClickHouseReader,
  OF_A_CALLER,
  type QuestionLimits,
} from '../clickhouse.ts';
import { type Bind, inParts } from '../query-parameters.ts';
import { hasString, textOf } from './event-properties.ts';
import {
  answerOf,
  conditionsOf,
  localTimeName,
  type MetricQueryRow,
  type MetricQuestion,
  metricQuery,
  overlapping,
} from './metric-query.ts';
import { answerFromRollups, isToldBeforehand, type RolledUp } from './rollup-query.ts';
import { isToldByTexts, uniqueFromTexts } from './text-query.ts';

/** Value and number of matching events of one bucket. */
export type BucketUsage = UsageValue & Interval;

/**
 * Where usage is asked: the store, and what of it is counted beforehand. `limits`: by default those of a caller who waits. `room`: of the call
 * that asks, if it is a call.
 */
export type UsageSource = {
  clickhouse: ClickHouseReader;
  rolledUp: RolledUp;
  limits?: QuestionLimits;
  room?: AnswerRoom | undefined;
};

/** The total of one question (spec/metrics#usage); 0 where nothing matches. */
export async function findMetricUsage(source: UsageSource, question: MetricQuestion): Promise<UsageValue> {
  const [usage] = await findMetricUsages(source, [question]);
  if (usage === undefined) throw new Error('a question has no answer');
  return usage;
}

/**
 * The totals of any number of questions, in their order, read by as few statements as their bounds allow. `granularity` does
 * not apply.
 */
export async function findMetricUsages(
  source: UsageSource,
  questions: readonly MetricQuestion[],
): Promise<UsageValue[]> {
  const totals = questions.map((question) => ({ ...question, granularity: 'total' as const }));
  const chains = chainsOf(totals, (question) => {
    return isToldBeforehand(source.rolledUp, question) || isToldByTexts(source.rolledUp, question);
  });
  const usages = new Map<MetricQuestion, UsageValue>();
  // A statement's rows are alike: only those of longer chains say where their bucket starts.
  for (const alike of Map.groupBy(chains, ({ length }) => length > 1).values()) {
    const values = await askChains(source, alike);
    for (const [i, chain] of alike.entries()) {
      for (const [n, question] of chain.entries()) usages.set(question, values[i]?.[n] ?? usageFromRow(undefined));
    }
  }
  return totals.map((question) => usages.get(question) ?? usageFromRow(undefined));
}

/** The totals of each chain. One that is too much for a statement is taken apart. */
function askChains(source: UsageSource, chains: readonly Chain[]): Promise<UsageValue[][]> {
  return askInSlices(source.clickhouse, chains, limitsOf(source), async (some, statement, alone) => {
    const [first = []] = some;
    if (alone && first.length > 1) return [(await askChains(source, inParts(first, 1))).flat()];
    const rows = Map.groupBy(await ask(source, some.map(joined), statement, alone), ({ question }) => question);
    return some.map((chain, i) => {
      const byStart = new Map(rows.get(i)?.map((row) => [Number(row.bucket), row]));
      return chain.map(({ start }) => usageFromRow(chain.length === 1 ? rows.get(i)?.[0] : byStart.get(start)));
    });
  });
}

/** The answer bucket by bucket (spec/metrics#usage): every bucket in order, at zero too. */
export async function listMetricUsage(source: UsageSource, question: MetricQuestion): Promise<BucketUsage[]> {
  const [buckets] = await listMetricUsages(source, [question]);
  if (buckets === undefined) throw new Error('a question has no answer');
  return buckets;
}

/** {@link listMetricUsage} of any number of questions of one granularity, in their order. */
export async function listMetricUsages(
  source: UsageSource,
  questions: readonly MetricQuestion[],
): Promise<BucketUsage[][]> {
  const asked = questions.filter(({ start, end }) => start < end);
  const answers = await askInSlices(source.clickhouse, asked, limitsOf(source), async (some, statement) => {
    const rowsOf = Map.groupBy(await ask(source, some, statement), ({ question }) => question);
    return some.map((question, i) => bucketsFromRows(question, rowsOf.get(i) ?? []));
  });
  const bucketsOfQuestion = new Map(asked.map((question, i) => [question, answers[i]]));
  return questions.map((question) => bucketsOfQuestion.get(question) ?? []);
}

function bucketsFromRows(question: MetricQuestion, rows: readonly MetricQueryRow[]): BucketUsage[] {
  const { granularity = 'total', start, end, timeZone } = question;
  // The only bucket of a total starts with it.
  const byStart = new Map(rows.map((row) => [Number(row.bucket ?? start), row]));
  const buckets = bucketsOf(granularity, start, end, timeZone);
  return buckets.map((bucket) => ({ ...bucket, ...usageFromRow(byStart.get(bucket.startsAt)) }));
}

/** Properties that were found not to be text in every event: of these the quicker answer is not tried again. */
const notText = new Set<string>();
/** Of a hundred bytes each; then they are found anew. */
const MAX_NOT_TEXT = 10_000;

const limitsOf = ({ limits = OF_A_CALLER }: UsageSource) => limits;

/** `uncertain`: questions that the texts counted beforehand did not tell. */
async function ask(
  source: UsageSource,
  questions: readonly MetricQuestion[],
  statement: AskStatement,
  alone = false,
  uncertain: ReadonlySet<MetricQuestion> = new Set(),
): Promise<MetricQueryRow[]> {
  const { rolledUp } = source;
  const fromRollups = answerFromRollups(rolledUp);
  const query = metricQuery(questions, (question, index, bind) => {
    if (question.metric.aggregationType !== 'unique') return fromRollups(question, index, bind);
    const fromTexts = uncertain.has(question) ? undefined : uniqueFromTexts(rolledUp, question, index, bind);
    if (fromTexts !== undefined) return fromTexts;
    if (alone && question.granularity === 'total') return uniqueByGroups(question, index, bind);
    return (notText.has(propertyKey(question)) ? answerOf : uniqueOfTexts)(question, index, bind);
  });
  const rows = await statement<MetricQueryRow>(query, questions.some(isCount) ? WITH_COUNTS : {});
  const unanswered = rows.flatMap(({ value, events, question }) => {
    return (value === '' && events !== '0' && questions[question]) || [];
  });
  if (unanswered.length === 0) return rows;
  if (notText.size >= MAX_NOT_TEXT) notText.clear();
  const isUncertain = (question: MetricQuestion) => !uncertain.has(question) && isToldByTexts(rolledUp, question);
  for (const question of unanswered) if (!isUncertain(question)) notText.add(propertyKey(question));
  // By now an event may have come in which another property is no text.
  return ask(source, questions, statement, alone, new Set([...uncertain, ...unanswered]));
}

/** The index, which may tell a plain count alone, is a projection to ClickHouse. */
const WITH_COUNTS = { optimize_use_projections: 1 } as const;

const isCount = ({ metric }: MetricQuestion) => metric.aggregationType === 'count';
const propertyKey = (question: MetricQuestion) => `${question.accountId} ${question.metric.propertyName}`;

/** What a row says; 0 where there is none. */
export function usageFromRow(row: Pick<MetricQueryRow, 'value' | 'events'> | undefined): UsageValue {
  return row === undefined || row.events === '0'
    ? { value: ZERO, eventsCount: ZERO }
    : { value: decimal(row.value), eventsCount: decimal(row.events) };
}

/**
 * The answer to `unique` where the property is text in every event that matches: of the three columns in which properties
 * stand this reads one, in half the time. No value (`''`) where it is not text in all of them.
 */
export function uniqueOfTexts(question: MetricQuestion, index: number, bind: Bind): string {
  const property = bind('property', 'String', question.metric.propertyName);
  const value = `if(min(${hasString(property)}), toString(uniqExact(strings[${property}])), '')`;
  return answerOf(question, index, bind, { value });
}

/**
 * The answer to `unique` for a total, by groups, which ClickHouse can hold on disk: slower, for more texts than fit into
 * memory.
 */
function uniqueByGroups(question: MetricQuestion, index: number, bind: Bind): string {
  const text = textOf(bind('property', 'String', question.metric.propertyName));
  const names = question.metric.timeFilter === null ? '' : `WITH ${localTimeName(question, bind)}\n`;
  return [
    `SELECT ${index} AS question,`,
    '  toString(countIf(text IS NOT NULL)) AS value,',
    '  sum(times) AS events',
    `FROM (\n${names}SELECT ${text} AS text, count() AS times`,
    'FROM usage_events',
    `WHERE ${conditionsOf(question, bind).join('\n  AND ')}`,
    'GROUP BY text\n)',
  ].join('\n');
}

/** Questions for totals that differ only in their intervals, which follow one another: one SELECT answers them all. */
type Chain = readonly MetricQuestion[];

/** Intervals of one chain: a year of months, a quarter of days. */
const MAX_CHAIN = 100;

/**
 * Puts questions into chains: to plan a SELECT takes longer than to read a small customer's events, so a closing of many
 * periods asks for each metric once. A question that `standsAlone` is a chain of its own.
 */
function chainsOf(questions: readonly MetricQuestion[], standsAlone: (question: MetricQuestion) => boolean): Chain[] {
  const isSingle = (question: MetricQuestion) => question.start >= question.end || standsAlone(question);
  const chains: MetricQuestion[][] = questions.filter(isSingle).map((question) => [question]);
  const others = questions.filter((question) => !isSingle(question));
  for (const ofMetric of Map.groupBy(others, ({ metric }) => metric).values()) {
    for (const alike of Map.groupBy(ofMetric, likeness).values()) {
      let chain: MetricQuestion[] = [];
      for (const question of alike.toSorted((a, b) => a.start - b.start)) {
        const last = chain.at(-1);
        if (last === undefined || last.end > question.start || chain.length === MAX_CHAIN) {
          chain = [];
          chains.push(chain);
        }
        chain.push(question);
      }
    }
  }
  return chains;
}

/** The question whose buckets are the intervals of the chain. */
function joined(chain: Chain): MetricQuestion {
  const [first] = chain;
  if (first === undefined) throw new Error('a chain of questions is empty');
  if (chain.length === 1) return first;
  const periods = chain.map(({ start, end }): Interval => ({ startsAt: start, endsAt: end }));
  const excluded = chain.flatMap(({ excluded: stretches = [], start, end }) =>
    overlapping(stretches, { startsAt: start, endsAt: end }).map(({ startsAt, endsAt }) => {
      return { startsAt: Math.max(startsAt, start), endsAt: Math.min(endsAt, end) };
    }),
  );
  return { ...first, end: chain.at(-1)?.end ?? first.end, periods, excluded };
}

function likeness({ accountId, customerId, timeZone, upTo, above, combination }: MetricQuestion): string {
  return JSON.stringify([accountId, customerId, timeZone, String(upTo), String(above), combination]);
}
