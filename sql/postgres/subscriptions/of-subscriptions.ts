import { leftOut } from '../../../core/left-out.ts';
import { MOST_LISTED } from '../../../runtime/exact-json.ts';

/** A row of a member of subscriptions: of a subscription with too many of them there is one, which says how many. */
type OfSubscriptionRow = { subscription_id: string; of_subscription: string };

/** The entries of each subscription; of one with more than `most` they are left out. */
export function bySubscription<Row extends OfSubscriptionRow, T>(
  rows: readonly Row[],
  most: number,
  fromRow: (row: Row) => T,
): Map<string, T[]> {
  const found = [...Map.groupBy(rows, (row) => row.subscription_id)].map(([id, own]): [string, T[]] => {
    const count = Number(own[0]?.of_subscription);
    return [id, count > most ? leftOut<T>(count) : own.map(fromRow)];
  });
  return new Map(found);
}

/** Bytes in an answer of the names of a subscription's fields, of an add-on, and of prepaid units. */
const [NAMES, ADDON, PREPAID_UNITS] = [900, 280, 150];

/** About how many bytes subscription `s` of plan version `v` takes in a list besides its row, as SQL. */
export const BYTES_BESIDE = `(${NAMES}
  + ${ADDON} * least(${MOST_LISTED}, (SELECT count(*) FROM addon_subscriptions a
      WHERE a.account_id = s.account_id AND a.subscription_id = s.subscription_id AND a.status = 'active'))
  + ${PREPAID_UNITS} * least(${MOST_LISTED}, (SELECT count(*) FROM plan_components c
      WHERE c.account_id = v.account_id AND c.version_id = v.version_id AND c.prepaid_units > 0) + (SELECT count(*) FROM subscription_prepaid_units u
      WHERE u.account_id = s.account_id AND u.subscription_id = s.subscription_id)))`;
