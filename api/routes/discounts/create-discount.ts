import { createDiscount as create } from '../../../services/discounts/redeem-coupon.ts';
import { discountCreate, discountWire } from '../../../wire/discounts/discounts.ts';
import { subscriptionPath } from '../../../wire/subscriptions.ts';
import { operation } from '../../operation.ts';

export const createDiscount = operation({
  id: 'createDiscount',
  method: 'post',
  path: '/api/subscriptions/{subscription_id}/discounts',
  tag: 'Subscriptions',
  summary: 'Redeem a coupon for a subscription',
  description: 'Its invoices from then on are lowered, after limits and before tax, in the order of redemption.',
  scope: 'write',
  audit: 'discount.created',
  params: subscriptionPath,
  body: discountCreate,
  success: 201,
  response: discountWire,
  errors: [409],
  run: ({ caller: { accountId }, params, body, now, write, inspect }, { countRedemptions }) =>
    countRedemptions(
      1,
      inspect,
      write((tx) => create(tx, { accountId, subscriptionId: params.subscription_id }, body, now)),
    ),
});
