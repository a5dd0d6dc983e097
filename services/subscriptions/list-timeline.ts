import { describeLate } from '../../billing/invoices/line-descriptions.ts';
import { lateCharges } from '../../billing/metering/late-usage.ts';
import { phaseStarts } from '../../billing/subscriptions/phases.ts';
import { isLive } from '../../billing/subscriptions/states.ts';
import type { Customer, Subscription } from '../../billing/subscriptions/subscription.ts';
import { notFound } from '../../core/domain-error.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import type { PageOf, PageWindow } from '../../sql/postgres/page-window.ts';
import { inReading } from '../../sql/postgres/postgres.ts';
import { findSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { type AddedStep, listTimeline as listSteps } from '../../sql/postgres/subscriptions/timeline.ts';
import { loadLateUsage } from '../invoices/late-usage.ts';
import type { InvoiceSources } from '../invoices/load-invoice-inputs.ts';
import type { SubscriptionRef } from '../references.ts';

type TimelineStep = Awaited<ReturnType<typeof listSteps>>['results'][number];

/** One page of the past and planned steps of a subscription, newest first. @throws DomainError `not_found` */
export async function listTimeline(
  sources: InvoiceSources,
  { accountId, subscriptionId }: SubscriptionRef,
  window: PageWindow,
): Promise<PageOf<TimelineStep>> {
  const { postgres } = sources;
  const { subscription, customer } = await inReading(postgres, accountId, async (tx) => {
    const found = await findSubscription(tx, accountId, subscriptionId);
    if (!found) throw notFound(`subscription ${subscriptionId}`);
    return { subscription: found, customer: await findCustomer(tx, accountId, found.customerId) };
  });
  const late = customer ? await loadLateSteps(sources, accountId, customer, subscription) : [];
  const phases = customer && isLive(subscription.status) ? phaseSteps(subscription, customer.timeZone) : [];
  return inReading(postgres, accountId, (tx) => listSteps(tx, accountId, subscriptionId, [...late, ...phases], window));
}

/** The planned steps of phases, each at the instant at which it takes effect. */
function phaseSteps(subscription: Subscription, timeZone: string): AddedStep[] {
  return phaseStarts(subscription, timeZone).map(({ at, on }) => {
    return { at, rank: 6, kind: 'phase_begun', status: 'planned', detail: `Phase from ${on} on` };
  });
}

/**
 * What came late for a subscription that has ended and waits for a later invoice of the customer: "else kept in the
 * timeline" (spec/invoices#late-usage). A live one's is in the draft.
 */
async function loadLateSteps(
  sources: InvoiceSources,
  accountId: string,
  customer: Customer,
  { subscriptionId, status }: Subscription,
): Promise<AddedStep[]> {
  if (status !== 'canceled' && status !== 'expired') return [];
  const usage = await loadLateUsage(sources, accountId, customer, { subscriptionId, withEnded: false });
  return lateCharges(usage).map((charge) => ({
    ...{ at: charge.periodEnd, rank: 8, kind: 'late_usage', status: 'done' },
    detail: `${describeLate(charge)}, for a later invoice`,
  }));
}
