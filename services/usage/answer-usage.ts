import { eachBy, type NeedsUsage } from '../../billing/snapshot/usage-question.ts';
import { inTurns } from '../../runtime/in-turns.ts';
import { findUsages } from '../../sql/clickhouse/metrics/metric-by-window.ts';
import type { UsageSource } from '../../sql/clickhouse/metrics/metric-usage.ts';

/** Whose usage; `upTo`: events at higher positions of the stream are not read. */
export type UsageOwner = { accountId: string; customerId: string; upTo?: bigint };

/**
 * A result that depends on a customer's usage, with all its questions asked together. `upTo` is the usage cutoff of a closing: it counts
 * the same however often it is asked (spec/invoices#completeness). Without it, as for a draft, all that has landed counts.
 */
export async function answerUsage<T>(source: UsageSource, owner: UsageOwner, needed: NeedsUsage<T>): Promise<T> {
  return needed.by(await askUsage(source, owner, needed));
}

/** {@link answerUsage} for any number of results, which are made as they are taken, and in turns with what else the process does. */
export async function answerUsages<T>(
  source: UsageSource,
  owner: UsageOwner,
  sequence: Iterable<NeedsUsage<T>>,
): Promise<T[]> {
  const needed = await inTurns(sequence);
  const questions = needed.flatMap((one) => one.questions);
  return inTurns(eachBy(needed, await askUsage(source, owner, { questions })));
}

function askUsage(source: UsageSource, owner: UsageOwner, { questions }: Pick<NeedsUsage<unknown>, 'questions'>) {
  const { accountId, customerId, upTo } = owner;
  const whose = { accountId, customerId, ...(upTo !== undefined && { upTo }) };
  return findUsages(
    source,
    questions.map((question) => ({ ...question, ...whose })),
  );
}
