import { conflict, notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { lockDiscount } from '../../sql/postgres/subscriptions/discounts.ts';
import { discountToWire } from '../../wire/discounts/discounts.ts';
import { deleted } from '../audit/audited.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { DiscountRef } from '../references.ts';
import { lockSubscriptionForUpdate } from '../subscriptions/lock-subscription.ts';

/** Removes a discount: later invoices are not lowered. @throws DomainError `not_found`; `conflict` for one that is not active */
export async function deleteDiscount(
  tx: Transaction,
  { accountId, subscriptionId, discountId }: DiscountRef,
  now: Instant,
) {
  await lockSubscriptionForUpdate(tx, accountId, subscriptionId, now);
  const discount = await lockDiscount(tx, accountId, { subscriptionId, discountId });
  if (!discount) throw notFound(`discount ${discountId} of subscription ${subscriptionId}`);
  if (discount.status !== 'active') throw conflict(`The discount is ${discount.status}.`);
  await saveChanges(tx, accountId, { discountsRemoved: [discountId] });
  return { ...deleted(discountToWire(discount)), customerId: discount.customerId };
}
