import type { Action } from '../../actions/action.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import type { RecordOf } from '../../api/client.ts';
import type { Column } from '../../parts/data-table.tsx';
import { CouponLink } from '../../parts/links.tsx';
import { List } from '../../parts/list-page.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';

type Discount = RecordOf<'/api/subscriptions/{subscription_id}/discounts'>;

const COLUMNS: Column<Discount>[] = [
  { header: 'Coupon', cell: ({ coupon_id }) => <CouponLink id={coupon_id} /> },
  { header: 'Status', cell: ({ status }) => <Status of={status} /> },
  { header: 'Invoices lowered', cell: ({ periods_used }) => periods_used, isNumber: true },
  { header: 'Left', cell: ({ periods_remaining }) => periods_remaining ?? 'No end', isNumber: true },
  { header: 'Redeemed', cell: ({ created_at }) => <Instant at={created_at} /> },
  {
    header: 'Actions',
    cell: (discount) =>
      discount.status === 'active' && <ActionButton action={removeDiscount(discount)} size="compact-xs" />,
  },
];

/** What coupons take off the invoices of a subscription. */
export function Discounts({ subscriptionId }: { subscriptionId: string }) {
  return (
    <Region title="Discounts">
      <List
        path="/api/subscriptions/{subscription_id}/discounts"
        parameters={{ path: { subscription_id: subscriptionId } }}
        things="discounts"
        columns={COLUMNS}
        rowKey={({ discount_id }) => discount_id}
        aside="discounts"
      />
    </Region>
  );
}

function removeDiscount({ subscription_id, discount_id }: Discount): Action {
  return {
    name: 'Remove',
    subject: discount_id,
    about: 'It takes nothing off any more; what it has taken off stays.',
    call: {
      method: 'delete',
      to: '/api/subscriptions/{subscription_id}/discounts/{discount_id}',
      path: { subscription_id, discount_id },
    },
    isFinal: true,
  };
}
