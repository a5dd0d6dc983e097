import type { CountedCombination } from '../../billing/metering/aggregate.ts';
import type { BilledUsage } from '../../billing/metering/billed-usage.ts';
import { heldAgain, heldUnbilled } from '../../billing/metering/held-now.ts';
import type { LateSpan } from '../../billing/metering/late-usage.ts';
import type { HeldUsage } from '../../billing/pricing/held-usage.ts';
import type { BillingRules } from '../../billing/state/billing-rules.ts';
import { eachBy, type NeedsUsage } from '../../billing/state/usage-question.ts';
import { ZERO } from '../../core/decimal.ts';
import type { ClickHouseReader, QuestionLimits } from '../../sql/clickhouse/clickhouse.ts';
import type { MetricQuestion } from '../../sql/clickhouse/metrics/metric-query.ts';
import { isBooked } from '../../sql/clickhouse/metrics/metric-query.ts';
import { listUnpricedUsage } from '../../sql/clickhouse/metrics/unpriced-usage.ts';
import { listBilledUsage } from '../../sql/postgres/invoices/billed-usage.ts';
import type { HeldRecord } from '../../sql/postgres/invoices/held-combinations.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listPendingPeriods } from '../../sql/postgres/subscriptions/pending-invoices.ts';
import { findSubscriptions } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { loadBillingRules } from '../state/load-billing-rules.ts';

/** Usage windows of a subscription, and what they hold once they are counted. */
export type HeldWindows = { subscriptionId: string; customerId: string; held: NeedsUsage<HeldUsage[]> };

/** Which billed usage is counted again, too. */
type CountedAgain = {
  spans: readonly LateSpan[];
  isWanted(billed: BilledUsage, rules: Pick<BillingRules, 'plans'>): boolean;
};

/** Where these subscriptions may hold usage, in their order: billed usage that is counted again, then periods that are not billed. */
export async function loadHeldWindows(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
  { spans, isWanted }: CountedAgain,
): Promise<HeldWindows[]> {
  const found = await findSubscriptions(tx, accountId, subscriptionIds);
  if (found.length === 0) return [];
  const customerIds = [...new Set(found.map(({ customerId }) => customerId))];
  const [periods, billed] = await Promise.all([
    listPendingPeriods(tx, accountId, customerIds),
    listBilledUsage(tx, accountId, spans),
  ]);
  const byId = new Map(found.map((one) => [one.subscriptionId, one]));
  const pending = periods.flatMap(({ subscriptionId, ...one }) => {
    const owner = byId.get(subscriptionId);
    return owner ? { ...one, owner, successor: null } : [];
  });
  const rules = await loadBillingRules(tx, accountId, found, { pending, billed });
  const pendingOf = Map.groupBy(pending, ({ owner }) => owner.subscriptionId);
  const billedOf = Map.groupBy(billed, ({ subscriptionId }) => subscriptionId);
  return subscriptionIds.flatMap((subscriptionId) => {
    const subscription = byId.get(subscriptionId);
    if (!subscription) return [];
    const { customerId } = subscription;
    const again = (billedOf.get(subscriptionId) ?? []).filter((one) => isWanted(one, rules));
    const unbilled = heldUnbilled({ subscription, pending: pendingOf.get(subscriptionId) ?? [] }, rules);
    const all = [...again.map((one) => heldAgain(one, rules)), unbilled];
    return all.map((held) => ({ subscriptionId, customerId, held }));
  });
}

/** What windows hold, in their order, the first `most`; with `above`, of what has landed at positions above it. */
export async function countHeld(
  clickhouse: ClickHouseReader,
  accountId: string,
  windows: readonly HeldWindows[],
  { most, above, limits }: { most: number; above?: bigint; limits?: QuestionLimits },
): Promise<HeldRecord[]> {
  const questions = windows.flatMap(({ customerId, held }) =>
    held.questions.map((question): MetricQuestion => {
      return { ...question, accountId, customerId, ...(above !== undefined && { above }) };
    }),
  );
  const asked = questions.filter(isBooked).filter(({ book }) => book.holds);
  const found = await listUnpricedUsage(clickhouse, asked, most, limits);
  const combinationsOf = new Map<MetricQuestion, CountedCombination[] | undefined>(
    asked.map((question, i) => [question, found[i]]),
  );
  const values = questions.map((question) => {
    return { value: ZERO, eventsCount: ZERO, combinations: combinationsOf.get(question) ?? [] };
  });
  const needed = windows.map(({ held }) => held);
  return [...eachBy(needed, values)].flatMap((some, i): HeldRecord[] => {
    const customerId = windows[i]?.customerId ?? '';
    return some.map((one) => ({ ...one, customerId }));
  });
}
