import { defineSearchAttributeKey } from '@temporalio/common';

/** What workflows can be searched by in the Temporal UI; registered when the worker starts (spec/service#local-stack, architecture#temporal). */
export const ACCOUNT_ID = defineSearchAttributeKey('AccountId', 'KEYWORD');
export const CUSTOMER_ID = defineSearchAttributeKey('CustomerId', 'KEYWORD');
export const PLAN_ID = defineSearchAttributeKey('PlanId', 'KEYWORD');
export const SUBSCRIPTION_STATUS = defineSearchAttributeKey('SubscriptionStatus', 'KEYWORD');
export const PERIOD_END = defineSearchAttributeKey('PeriodEnd', 'DATETIME');
