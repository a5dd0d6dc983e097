import type { ClickHouseSettings } from '@clickhouse/client';
import type { UsageValue } from '../billing/aggregate.ts';
import { bucketsOf, type Interval } from '../billing/buckets.ts';
import { decimal, ZERO } from '../billing/decimal.ts';
import { askRows, type ClickHouseReader } from './ask-rows.ts';
import { type MetricQueryRow, type MetricQuestion, metricQuery, uniqueOfTexts } from './metric-query.ts';
import type { RolledUp } from './rolled-up.ts';
import { answerFromRollups } from './rollup-query.ts';

/** Value and number of matching events of one bucket. */
export type BucketUsage = UsageValue & Interval;

/** A closing retries; a person has gone away. Well below the client's own time-out, so that the server ends first. */
const MAX_SECONDS = 30;
/** `unique` keeps 16 bytes and the slack of a hash table for each distinct text: enough for about 40 million of them. */
const MAX_BYTES = 2 * 2 ** 30;

/**
 * One huge customer must not take the server down: a question beyond these fails instead (ClickHouse errors 159 and 241).
 */
export const METRIC_QUERY_SETTINGS: ClickHouseSettings = {
  max_execution_time: MAX_SECONDS,
  max_memory_usage: String(MAX_BYTES),
  // An answer is a few rows: threads to write it take longer than to write it.
  output_format_parallel_formatting: 0,
  // There are none: to look for one takes a tenth of a small question's time.
  optimize_use_projections: 0,
};
/** But the index, which may tell a plain count alone, is one to ClickHouse. */
const WITH_COUNTS: ClickHouseSettings = { ...METRIC_QUERY_SETTINGS, optimize_use_projections: 1 };

/** Where usage is asked: the store, and what of it is counted beforehand. */
export type UsageSource = { clickhouse: ClickHouseReader; rolledUp: RolledUp };

/** The total of one question (contract 5); 0 where nothing matches. */
export async function findMetricUsage(source: UsageSource, question: MetricQuestion): Promise<UsageValue> {
  const [usage] = await findMetricUsages(source, [question]);
  if (usage === undefined) throw new Error('a question has no answer');
  return usage;
}

/** The totals of several questions, in their order, read by one statement. `granularity` does not apply. */
export async function findMetricUsages(
  source: UsageSource,
  questions: readonly MetricQuestion[],
): Promise<UsageValue[]> {
  if (questions.length === 0) return [];
  const totals = questions.map((question) => ({ ...question, granularity: 'total' as const }));
  const rows = await ask(source, totals);
  return questions.map((_, i) => usageFromRow(rows.find(({ question }) => question === i)));
}

/** The answer bucket by bucket (contract 5): every bucket in order, at zero too. */
export async function listMetricUsage(source: UsageSource, question: MetricQuestion): Promise<BucketUsage[]> {
  const [buckets] = await listMetricUsages(source, [question]);
  if (buckets === undefined) throw new Error('a question has no answer');
  return buckets;
}

/** {@link listMetricUsage} of several questions of one granularity, in their order, read by one statement for each {@link AT_ONCE}. */
export async function listMetricUsages(
  source: UsageSource,
  questions: readonly MetricQuestion[],
): Promise<BucketUsage[][]> {
  const answers = new Map<MetricQuestion, BucketUsage[]>();
  const asked = questions.filter(({ start, end }) => start < end);
  for (let i = 0; i < asked.length; i += AT_ONCE) {
    const some = asked.slice(i, i + AT_ONCE);
    const rowsOf = Map.groupBy(await ask(source, some), ({ question }) => question);
    for (const [n, question] of some.entries()) answers.set(question, bucketsFromRows(question, rowsOf.get(n) ?? []));
  }
  return questions.map((question) => answers.get(question) ?? []);
}

/** Well below the longest statement that is parsed, whatever filters there are. */
const AT_ONCE = 50;

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

async function ask(source: UsageSource, questions: readonly MetricQuestion[]): Promise<MetricQueryRow[]> {
  const rows = await askOnce(source, questions);
  const unanswered = rows.filter(({ value, events }) => value === '' && events !== '0');
  if (unanswered.length === 0) return rows;
  if (notText.size >= MAX_NOT_TEXT) notText.clear();
  for (const { question } of unanswered) notText.add(propertyKey(questions[question]));
  // By now an event may have come in which another property is no text.
  return ask(source, questions);
}

async function askOnce(
  { clickhouse, rolledUp }: UsageSource,
  questions: readonly MetricQuestion[],
): Promise<MetricQueryRow[]> {
  const fromRollups = answerFromRollups(rolledUp);
  return askRows<MetricQueryRow>(
    clickhouse,
    metricQuery(questions, (question, index, bind) => {
      const isText = question.metric.aggregationType === 'unique' && !notText.has(propertyKey(question));
      return (isText ? uniqueOfTexts : fromRollups)(question, index, bind);
    }),
    questions.some(isCount) ? WITH_COUNTS : METRIC_QUERY_SETTINGS,
  );
}

const isCount = ({ metric }: MetricQuestion) => metric.aggregationType === 'count';
const propertyKey = (question: MetricQuestion | undefined) => `${question?.accountId} ${question?.metric.propertyName}`;

/** What a row says; 0 where there is none. */
export function usageFromRow(row: Pick<MetricQueryRow, 'value' | 'events'> | undefined): UsageValue {
  return row === undefined || row.events === '0'
    ? { value: ZERO, eventsCount: ZERO }
    : { value: decimal(row.value), eventsCount: decimal(row.events) };
}
