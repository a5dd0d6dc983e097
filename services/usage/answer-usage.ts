import type { NeedsUsage } from '../../billing/snapshot/usage-question.ts';
import { findUsages } from '../../sql/clickhouse/metrics/metric-by-window.ts';
import type { UsageSource } from '../../sql/clickhouse/metrics/metric-usage.ts';

/** Whose usage; `upTo`: events at higher positions of the stream are not read. */
export type UsageOwner = { accountId: string; customerId: string; upTo?: bigint };

/**
 * A result that depends on a customer's usage, with all its questions asked together. `upTo` is the usage cutoff of a closing: it counts
 * the same however often it is asked (spec/invoices#completeness). Without it, as for a draft, all that has landed counts.
 */
export async function answerUsage<T>(source: UsageSource, owner: UsageOwner, needed: NeedsUsage<T>): Promise<T> {
  const { accountId, customerId, upTo } = owner;
  const whose = { accountId, customerId, ...(upTo !== undefined && { upTo }) };
  const questions = needed.questions.map((question) => ({ ...question, ...whose }));
  return needed.by(await findUsages(source, questions));
}
