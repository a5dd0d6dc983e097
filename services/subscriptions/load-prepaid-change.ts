import type { PrepaidUnits } from '../../billing/change-set.ts';
import {
  NO_PREPAID_UNITS,
  type PrepaidChange,
  periodOfPrepaidChange,
  prepaidUnitsIn,
  takesPrepaidUnits,
} from '../../billing/subscriptions/prepaid-changes.ts';
import type { Customer, Subscription } from '../../billing/subscriptions/subscription.ts';
import { invalid, notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { findMetric } from '../../sql/postgres/catalog/metrics.ts';
import { loadPlan } from '../../sql/postgres/catalog/plans.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listOwnPrepaidUnits } from '../../sql/postgres/subscriptions/prepaid-units.ts';

/**
 * What it means to prepay `units` from `at` on.
 * @throws DomainError `not_found` for an unknown metric; `invalid` for one the plan does not bill; `conflict` by the state.
 */
export async function loadPrepaidChange(
  tx: Transaction,
  accountId: string,
  { subscription, customer }: { subscription: Subscription; customer: Customer },
  wanted: PrepaidUnits,
  at: Instant,
): Promise<PrepaidChange> {
  const { subscriptionId, planId, version } = subscription;
  const metric = await findMetric(tx, accountId, wanted.metricId);
  if (!metric) throw notFound(`metric ${wanted.metricId}`);
  const plan = await loadPlan(tx, accountId, { planId, version });
  const component = plan.components.find(({ metricId }) => metricId === metric.metricId);
  if (!component) throw invalid({ metric_id: ['Is not billed by the plan.'] });
  if (!takesPrepaidUnits(component)) throw invalid({ metric_id: [NO_PREPAID_UNITS] });
  const terms = { ...subscription, timeZone: customer.timeZone };
  const period = periodOfPrepaidChange(subscription, terms, at);
  const choices = await listOwnPrepaidUnits(tx, accountId, subscriptionId);
  const before = prepaidUnitsIn(component, choices, period.index);
  return { subscriptionId, plan, component, metricName: metric.metricName, period, before, after: wanted.units };
}
