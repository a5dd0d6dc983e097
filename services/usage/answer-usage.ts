import type { UsageValue } from '../../billing/metering/aggregate.ts';
import { eachBy, type NeedsUsage } from '../../billing/state/usage-question.ts';
import { inTurns } from '../../runtime/in-turns.ts';
import { findUsages } from '../../sql/clickhouse/metrics/metric-by-window.ts';
import type { MetricQuestion } from '../../sql/clickhouse/metrics/metric-query.ts';
import type { UsageSource } from '../../sql/clickhouse/metrics/metric-usage.ts';
import type { AskUsages } from './share-questions.ts';

/** Where a result's usage is asked; `askUsages`: with what others ask of the same. */
export type SharedUsageSource = UsageSource & { askUsages?: AskUsages };

/** Whose usage; `upTo`: events at higher positions of the stream are not read. */
export type UsageOwner = { accountId: string; customerId: string; upTo?: bigint };

/**
 * A result that depends on a customer's usage, with all its questions asked together. `upTo` is the usage cutoff of a closing: it counts
 * the same however often it is asked (spec/invoices#completeness). Without it, as for a draft, all that has landed counts.
 */
export async function answerUsage<T>(source: SharedUsageSource, owner: UsageOwner, needed: NeedsUsage<T>): Promise<T> {
  return needed.by(await askUsage(source, owner, needed));
}

/** {@link answerUsage} for any number of results, which are made as they are taken, and in turns with what else the process does. */
export async function answerUsages<T>(
  source: SharedUsageSource,
  owner: UsageOwner,
  sequence: Iterable<NeedsUsage<T>>,
): Promise<T[]> {
  const [results = []] = await answerUsagesOf(source, [{ owner, sequence }]);
  return results;
}

/** {@link answerUsages} of several customers, whose questions are asked together; in their order. */
export async function answerUsagesOf<T>(
  source: SharedUsageSource,
  asked: readonly { owner: UsageOwner; sequence: Iterable<NeedsUsage<T>> }[],
): Promise<T[][]> {
  const needed: { owner: UsageOwner; all: NeedsUsage<T>[]; from: number; to: number }[] = [];
  for (const { owner, sequence } of asked) {
    const all = await inTurns(sequence);
    const from = needed.at(-1)?.to ?? 0;
    needed.push({ owner, all, from, to: from + all.flatMap(({ questions }) => questions).length });
  }
  const questions = needed.flatMap(({ owner, all }) => all.flatMap((one) => questionsOf(owner, one)));
  const values = await askFor(source, questions);
  const answers: T[][] = [];
  for (const { all, from, to } of needed) answers.push(await inTurns(eachBy(all, values.slice(from, to))));
  return answers;
}

function askUsage(source: SharedUsageSource, owner: UsageOwner, needed: Pick<NeedsUsage<unknown>, 'questions'>) {
  return askFor(source, questionsOf(owner, needed));
}

function askFor(source: SharedUsageSource, questions: readonly MetricQuestion[]): Promise<UsageValue[]> {
  return source.askUsages ? source.askUsages(questions) : findUsages(source, questions);
}

function questionsOf(
  { accountId, customerId, upTo }: UsageOwner,
  { questions }: Pick<NeedsUsage<unknown>, 'questions'>,
) {
  const whose = { accountId, customerId, ...(upTo !== undefined && { upTo }) };
  return questions.map((question) => ({ ...question, ...whose }));
}
