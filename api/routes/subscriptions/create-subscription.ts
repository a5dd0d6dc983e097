import { createSubscription as create } from '../../../services/subscriptions/create-subscription.ts';
import { subscriptionCreate } from '../../../wire/subscriptions/new-subscription.ts';
import { subscriptionWire } from '../../../wire/subscriptions.ts';
import { operation } from '../../operation.ts';

export const createSubscription = operation({
  id: 'createSubscription',
  method: 'post',
  path: '/api/subscriptions',
  tag: 'Subscriptions',
  summary: 'Subscribe a customer to a plan',
  description:
    'It is active at once, or pending until a later start_date; a start up to one period back counts usage since then. What is due at the very start (a fee in advance, prepaid units) is on an opening invoice.',
  scope: 'write',
  audit: 'subscription.created',
  body: subscriptionCreate,
  success: 201,
  previews: true,
  response: subscriptionWire,
  errors: [404, 409],
  run: ({ caller, body, now, writeWithUsage, inspect }, { countRedemptions }) =>
    countRedemptions(
      body.discounts.length,
      inspect,
      writeWithUsage((stores) => create(stores, caller.accountId, body, now)),
    ),
});
