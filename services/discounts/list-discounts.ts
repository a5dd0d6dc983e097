import type { Discount } from '../../billing/discounts/discounts.ts';
import { notFound } from '../../core/domain-error.ts';
import type { PageOf, PageWindow } from '../../sql/postgres/page-window.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listDiscounts as listPage } from '../../sql/postgres/subscriptions/discounts.ts';
import { findSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import type { SubscriptionRef } from '../references.ts';

/** One page of the discounts of a subscription, newest first. @throws DomainError `not_found` */
export async function listDiscounts(
  tx: Transaction,
  { accountId, subscriptionId }: SubscriptionRef,
  window: PageWindow,
): Promise<PageOf<Discount>> {
  if (!(await findSubscription(tx, accountId, subscriptionId))) throw notFound(`subscription ${subscriptionId}`);
  return listPage(tx, accountId, subscriptionId, window);
}
