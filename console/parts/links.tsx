import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { recordQuery } from '../api/queries.ts';
import { AnchorLink } from './anchor-link.tsx';
import { None } from './numbers.tsx';

type To = { id: string | null | undefined; children?: ReactNode };

/** Links to records by their ids; without other words they show the id. */
export function CustomerLink({ id, children }: To) {
  if (!id) return <None />;
  return (
    <AnchorLink to="/customers/$customerId" params={{ customerId: id }} inherit>
      {children ?? id}
    </AnchorLink>
  );
}

export function InvoiceLink({ id, children }: To) {
  if (!id) return <None />;
  return (
    <AnchorLink to="/invoices/$invoiceId" params={{ invoiceId: id }} inherit>
      {children ?? id}
    </AnchorLink>
  );
}

export function SubscriptionLink({ id, children }: To) {
  if (!id) return <None />;
  return (
    <AnchorLink to="/subscriptions/$subscriptionId" params={{ subscriptionId: id }} inherit>
      {children ?? id}
    </AnchorLink>
  );
}

/** A plan by its name, which is read where it is not known. */
export function PlanLink({ id, children }: To) {
  const plan = useQuery({
    ...recordQuery('/api/plans/{plan_id}', { path: { plan_id: id ?? '' } }),
    enabled: !!id && !children,
  });
  if (!id) return <None />;
  return (
    <AnchorLink to="/plans/$planId" params={{ planId: id }} inherit>
      {children ?? plan.data?.name ?? id}
    </AnchorLink>
  );
}

/** A metric by its name, which is read where it is not known. */
export function MetricLink({ id, children }: To) {
  const metric = useQuery({
    ...recordQuery('/api/metrics/{metric_id}', { path: { metric_id: id ?? '' } }),
    enabled: !!id && !children,
  });
  if (!id) return <None />;
  return (
    <AnchorLink to="/metrics/$metricId" params={{ metricId: id }} inherit>
      {children ?? metric.data?.metric_name ?? id}
    </AnchorLink>
  );
}

/** An add-on by its name, which is read where it is not known. */
export function AddonLink({ id, children }: To) {
  const addon = useQuery({
    ...recordQuery('/api/addons/{addon_id}', { path: { addon_id: id ?? '' } }),
    enabled: !!id && !children,
  });
  if (!id) return <None />;
  return (
    <AnchorLink to="/addons/$addonId" params={{ addonId: id }} inherit>
      {children ?? addon.data?.name ?? id}
    </AnchorLink>
  );
}

/** A coupon by its name, which is read where it is not known. */
export function CouponLink({ id, children }: To) {
  const coupon = useQuery({
    ...recordQuery('/api/coupons/{coupon_id}', { path: { coupon_id: id ?? '' } }),
    enabled: !!id && !children,
  });
  if (!id) return <None />;
  return (
    <AnchorLink to="/coupons/$couponId" params={{ couponId: id }} inherit>
      {children ?? coupon.data?.name ?? id}
    </AnchorLink>
  );
}

export function CreditLink({ id, children }: To) {
  if (!id) return <None />;
  return (
    <AnchorLink to="/credits/$creditId" params={{ creditId: id }} inherit>
      {children ?? id}
    </AnchorLink>
  );
}

export function RefundLink({ id, children }: To) {
  if (!id) return <None />;
  return (
    <AnchorLink to="/refunds/$refundId" params={{ refundId: id }} inherit>
      {children ?? id}
    </AnchorLink>
  );
}

export function EventLink({ id, children }: To) {
  if (!id) return <None />;
  return (
    <AnchorLink to="/events/$eventId" params={{ eventId: id }} inherit>
      {children ?? id}
    </AnchorLink>
  );
}

export function TestClockLink({ id, children }: To) {
  if (!id) return <None />;
  return (
    <AnchorLink to="/test-clocks/$testClockId" params={{ testClockId: id }} inherit>
      {children ?? id}
    </AnchorLink>
  );
}
