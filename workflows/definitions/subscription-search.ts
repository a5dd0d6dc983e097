import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import type { SubscriptionRef } from '../../services/references.ts';
import { ACCOUNT_ID, CUSTOMER_ID, PERIOD_END, PLAN_ID, SUBSCRIPTION_STATUS } from './search-attributes.ts';

/** Brings the search attributes up to date; writes only those that changed, since each write is a history event. */
export function showInSearch(ref: SubscriptionRef, schedule: SubscriptionSchedule): void {
  const known = workflowInfo().typedSearchAttributes;
  const changed: SearchAttributeUpdatePair[] = [];
  const keywords = [
    [ACCOUNT_ID, ref.accountId],
    [CUSTOMER_ID, schedule.customerId],
    [PLAN_ID, schedule.planId],
    [SUBSCRIPTION_STATUS, schedule.status],
  ] as const;
  for (const [key, value] of keywords) if (known.get(key) !== value) changed.push({ key, value });
  const end = schedule.periodEnd;
  if (end !== null && known.get(PERIOD_END)?.getTime() !== end) changed.push({ key: PERIOD_END, value: new Date(end) });
  if (changed.length > 0) upsertSearchAttributes(changed);
}
