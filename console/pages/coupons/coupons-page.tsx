import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ActionButton } from '../../actions/action-button.tsx';
import { recordQuery } from '../../api/queries.ts';
import type { Column } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { CouponLink } from '../../parts/links.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { Money, None, Percent } from '../../parts/numbers.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';
import { type Coupon, couponActions, NEW_COUPON } from './coupon-actions.ts';

const COLUMNS: Column<Coupon>[] = [
  { header: 'Coupon', cell: ({ coupon_id, name }) => <CouponLink id={coupon_id}>{name}</CouponLink> },
  { header: 'Code', cell: ({ code }) => code ?? <None /> },
  { header: 'Off', cell: (coupon) => <Off of={coupon} />, isNumber: true },
  { header: 'Duration', cell: durationOf },
  { header: 'Redeemed', cell: ({ times_redeemed }) => times_redeemed, isNumber: true },
  { header: 'Status', cell: ({ status }) => <Status of={status} /> },
  { header: 'Created', cell: ({ created_at }) => <Instant at={created_at} /> },
];

export function CouponsPage() {
  const navigate = useNavigate();
  const show = (made: unknown) =>
    void navigate({ to: '/coupons/$couponId', params: { couponId: (made as Coupon).coupon_id } });
  return (
    <ListPage
      title="Coupons"
      path="/api/coupons"
      things="coupons"
      columns={COLUMNS}
      rowKey={({ coupon_id }) => coupon_id}
      actions={<ActionButton action={NEW_COUPON} onDone={show} />}
    />
  );
}

export function CouponPage() {
  const { couponId = '' } = useParams({ strict: false });
  const coupon = useQuery(recordQuery('/api/coupons/{coupon_id}', { path: { coupon_id: couponId } }));
  return (
    <RecordPage
      query={coupon}
      id={couponId}
      title={({ name }) => name}
      actions={(one) => couponActions(one).map((action) => <ActionButton key={action.name} action={action} />)}
    >
      {(one) => (
        <Region title="Details">
          <Facts of={detailsOf(one)} />
        </Region>
      )}
    </RecordPage>
  );
}

function detailsOf(coupon: Coupon): [string, React.ReactNode][] {
  const { plan_ids, metric_ids, line_types } = coupon.applies_to ?? {};
  return [
    ['Coupon ID', coupon.coupon_id],
    ['Code', coupon.code],
    ['Off', <Off key="off" of={coupon} />],
    ['Duration', durationOf(coupon)],
    ['Redeemed', redeemedOf(coupon)],
    ['Redeem by', coupon.redeem_by],
    ['Only plans', plan_ids?.join(', ') ?? null],
    ['Only metrics', metric_ids?.join(', ') ?? null],
    ['Only lines', line_types?.map(wordsOf).join(', ') ?? null],
    ['Status', <Status key="status" of={coupon.status} />],
    ['Created', <Instant key="created" at={coupon.created_at} />],
  ];
}

function Off({ of: { percent_off, amount_off, currency } }: { of: Coupon }) {
  if (percent_off !== null) return <Percent value={percent_off} />;
  return <Money value={amount_off} currency={currency ?? ''} />;
}

function durationOf({ duration, duration_in_periods }: Coupon): string {
  return duration_in_periods === null ? wordsOf(duration) : `${duration_in_periods} invoices`;
}

function redeemedOf({ times_redeemed, max_redemptions }: Coupon): string {
  return max_redemptions === null ? String(times_redeemed) : `${times_redeemed} of ${max_redemptions}`;
}
