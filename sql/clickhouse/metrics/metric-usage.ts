import type { UsageValue } from '../../../billing/metering/aggregate.ts';
import { bucketsOf, type Interval } from '../../../billing/metering/buckets.ts';
import { decimal, ZERO } from '../../../core/decimal.ts';
import type { ClickHouseReader } from '../ask-rows.ts';
import { inParts } from '../query-parameters.ts';
import { OF_A_CALLER, type QuestionLimits } from '../question-limits.ts';
import { type AskStatement, askInSlices } from '../question-slices.ts';
import {
  answerOf,
  type MetricQueryRow,
  type MetricQuestion,
  metricQuery,
  uniqueByGroups,
  uniqueOfTexts,
} from './metric-query.ts';
import { type Chain, chainsOf, joined } from './question-chains.ts';
import { answerFromRollups, isToldBeforehand, type RolledUp } from './rollup-query.ts';

/** Value and number of matching events of one bucket. */
export type BucketUsage = UsageValue & Interval;

/** Where usage is asked: the store, and what of it is counted beforehand. `limits`: by default those of a caller who waits. */
export type UsageSource = { clickhouse: ClickHouseReader; rolledUp: RolledUp; limits?: QuestionLimits };

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
  const chains = chainsOf(totals, (question) => isToldBeforehand(source.rolledUp, question));
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

async function ask(
  source: UsageSource,
  questions: readonly MetricQuestion[],
  statement: AskStatement,
  alone = false,
): Promise<MetricQueryRow[]> {
  const fromRollups = answerFromRollups(source.rolledUp);
  const query = metricQuery(questions, (question, index, bind) => {
    if (question.metric.aggregationType !== 'unique') return fromRollups(question, index, bind);
    if (alone && question.granularity === 'total') return uniqueByGroups(question, index, bind);
    return (notText.has(propertyKey(question)) ? answerOf : uniqueOfTexts)(question, index, bind);
  });
  const rows = await statement<MetricQueryRow>(query, questions.some(isCount) ? WITH_COUNTS : {});
  const unanswered = rows.filter(({ value, events }) => value === '' && events !== '0');
  if (unanswered.length === 0) return rows;
  if (notText.size >= MAX_NOT_TEXT) notText.clear();
  for (const { question } of unanswered) notText.add(propertyKey(questions[question]));
  // By now an event may have come in which another property is no text.
  return ask(source, questions, statement, alone);
}

/** The index, which may tell a plain count alone, is a projection to ClickHouse. */
const WITH_COUNTS = { optimize_use_projections: 1 } as const;

const isCount = ({ metric }: MetricQuestion) => metric.aggregationType === 'count';
const propertyKey = (question: MetricQuestion | undefined) => `${question?.accountId} ${question?.metric.propertyName}`;

/** What a row says; 0 where there is none. */
export function usageFromRow(row: Pick<MetricQueryRow, 'value' | 'events'> | undefined): UsageValue {
  return row === undefined || row.events === '0'
    ? { value: ZERO, eventsCount: ZERO }
    : { value: decimal(row.value), eventsCount: decimal(row.events) };
}
