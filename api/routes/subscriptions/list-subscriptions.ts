import { z } from '@hono/zod-openapi';
import { listSubscriptionRecords } from '../../../services/subscriptions/subscription-records.ts';
import { SUBSCRIPTION_SORTS } from '../../../sql/postgres/subscriptions/shown-subscriptions.ts';
import { SUBSCRIPTION_STATUSES, subscriptionToWire, subscriptionWire } from '../../../wire/subscriptions.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, sortQuery } from '../../pages.ts';

export const listSubscriptions = operation({
  id: 'listSubscriptions',
  method: 'get',
  path: '/api/subscriptions',
  tag: 'Subscriptions',
  summary: 'List subscriptions, newest first unless sorted',
  scope: 'read',
  query: pageQuery.extend({
    customer_id: z
      .string()
      .optional()
      .openapi({ description: 'Only subscriptions of this customer.', example: 'acme' }),
    plan_id: z
      .string()
      .optional()
      .openapi({ description: 'Only subscriptions of this plan, whatever version.', example: 'plan_01jd3k9x' }),
    status: z
      .enum(SUBSCRIPTION_STATUSES)
      .optional()
      .openapi({ description: 'Only subscriptions in this state.', example: 'active' }),
    sort: sortQuery(SUBSCRIPTION_SORTS),
  }),
  success: 200,
  response: listOf(subscriptionWire),
  run: async ({ caller: { accountId }, query, listing, readWithUsage }) => {
    const { customer_id: customerId, plan_id: planId, status, sort } = query;
    const filter = { customerId, planId, status, sort };
    const page = await readWithUsage((stores) => listSubscriptionRecords(stores, accountId, filter, listing.window));
    return listing.answer(page, subscriptionToWire);
  },
});
