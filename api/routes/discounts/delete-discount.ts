import { deleteDiscount as remove } from '../../../services/discounts/delete-discount.ts';
import { discountPath } from '../../../wire/discounts/discounts.ts';
import { operation } from '../../operation.ts';

export const deleteDiscount = operation({
  id: 'deleteDiscount',
  method: 'delete',
  path: '/api/subscriptions/{subscription_id}/discounts/{discount_id}',
  tag: 'Subscriptions',
  summary: 'Remove a discount: later invoices are not lowered',
  scope: 'write',
  audit: 'discount.deleted',
  params: discountPath,
  success: 204,
  errors: [409],
  run: ({ caller: { accountId }, params, now, write }) =>
    write((tx) => {
      const { subscription_id: subscriptionId, discount_id: discountId } = params;
      return remove(tx, { accountId, subscriptionId, discountId }, now);
    }),
});
