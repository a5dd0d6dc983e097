import { listDiscounts as listDiscountPage } from '../../../services/discounts/list-discounts.ts';
import { discountToWire, discountWire } from '../../../wire/discounts/discounts.ts';
import { subscriptionPath } from '../../../wire/subscriptions.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listDiscounts = operation({
  id: 'listDiscounts',
  method: 'get',
  path: '/api/subscriptions/{subscription_id}/discounts',
  tag: 'Subscriptions',
  summary: 'List the discounts of a subscription, newest first',
  scope: 'read',
  params: subscriptionPath,
  query: pageQuery,
  success: 200,
  response: listOf(discountWire),
  run: ({ caller: { accountId }, params: { subscription_id: subscriptionId }, listing, read }) =>
    read(async (tx) => {
      const page = await listDiscountPage(tx, { accountId, subscriptionId }, listing.window);
      return listing.answer(page, discountToWire);
    }),
});
