import type { SubscriptionStatus } from '../../../billing/subscriptions/states.ts';
import type { Subscription } from '../../../billing/subscriptions/subscription.ts';
import { leftOut, restoreLeftOut } from '../../../core/left-out.ts';
import { byCustomer, type OfCustomerRow, type OfCustomers, wholeWithinBytes } from '../customers/of-customers.ts';
import { findPage, type ListSort, type PageOf, type PageWindow, sortedBy } from '../page-window.ts';
import type { Transaction } from '../postgres.ts';
import { BYTES_BESIDE } from './of-subscriptions.ts';
import { PHASES } from './planned-changes.ts';
import {
  COLUMNS,
  OF_LIVE_SUBSCRIPTION,
  OF_SUBSCRIPTION,
  type SubscriptionRow,
  subscriptionFromRow,
} from './subscriptions.ts';

/** As a list shows it: what was agreed on without large members, which are JSON and may be a megabyte. */
const LISTED_COLUMNS = `${COLUMNS.replace('v.overrides,', '').replace('s.pending_change,', '').replace(`${PHASES} AS phases,`, '')},
  json_as_listed(jsonb_build_object('overrides', v.overrides, 'pending_change', s.pending_change, 'phases', ${PHASES})) AS agreed`;

type ListedRow = Omit<SubscriptionRow, 'overrides' | 'pending_change' | 'phases'> & {
  agreed: Pick<SubscriptionRow, 'overrides' | 'pending_change' | 'phases'>;
};

/** What subscriptions are sorted by. */
export const SUBSCRIPTION_SORTS = { created_at: 's.created_at', start_date: 's.start_date' } as const;

export type SubscriptionFilter = {
  customerId?: string | undefined;
  planId?: string | undefined;
  status?: SubscriptionStatus | undefined;
  sort?: ListSort<keyof typeof SUBSCRIPTION_SORTS> | undefined;
};

/** One page of an account's subscriptions, newest first unless sorted. */
export function listSubscriptions(
  tx: Transaction,
  accountId: string,
  filter: SubscriptionFilter,
  window: PageWindow,
): Promise<PageOf<Subscription>> {
  const { customerId, planId, status } = filter;
  const equals = { account_id: accountId, customer_id: customerId, plan_id: planId, status };
  const sortBy = sortedBy(SUBSCRIPTION_SORTS, filter.sort);
  const list = {
    select: LISTED_COLUMNS,
    table: ['subscriptions', 's'],
    joins: OF_SUBSCRIPTION,
    bytesBeside: BYTES_BESIDE,
    equals,
    sortBy,
  } as const;
  return findPage(tx, list, window, listedFromRow);
}

/** The live subscriptions of each of these customers, oldest first, as a list shows them; those of a customer with more than `most` are left out. */
export async function listShownSubscriptions(
  tx: Transaction,
  accountId: string,
  { customerIds, bytes }: OfCustomers,
  most: number,
): Promise<Map<string, Subscription[]>> {
  const live = `s.account_id = $1 AND s.status IN ('pending', 'active', 'paused')`;
  const { rows: large } = await tx.query<{ customer_id: string; count: number }>(
    `SELECT s.customer_id, count(*)::int AS count FROM subscriptions s WHERE ${live} AND s.customer_id = ANY($2)
     GROUP BY s.customer_id HAVING count(*) > $3`,
    [accountId, customerIds, most],
  );
  const others = customerIds.filter((id) => large.every(({ customer_id }) => customer_id !== id));
  const wanted = `SELECT ${LISTED_COLUMNS}, wanted.place, s.seq, ${BYTES_BESIDE} AS bytes_beside FROM unnest($2::text[]) WITH ORDINALITY AS wanted (customer_id, place)
    JOIN subscriptions s ON s.customer_id = wanted.customer_id AND ${live} ${OF_LIVE_SUBSCRIPTION}`;
  const values = [accountId, others, bytes];
  const found = byCustomer(
    await tx.query<ListedRow & OfCustomerRow>(wholeWithinBytes(wanted, '$3'), values),
    listedFromRow,
  );
  for (const { customer_id, count } of large) found.set(customer_id, leftOut(count));
  return found;
}

function listedFromRow({ agreed, ...row }: ListedRow): Subscription {
  return subscriptionFromRow({ ...row, ...(restoreLeftOut(agreed) as ListedRow['agreed']) });
}
