import { describeLate } from '../../../billing/invoices/line-descriptions.ts';
import { lateCharges } from '../../../billing/metering/late-usage.ts';
import type { Customer, Subscription } from '../../../billing/subscriptions/subscription.ts';
import { notFound } from '../../../core/domain-error.ts';
import { isoFromInstant } from '../../../core/instants.ts';
import { loadLateUsage } from '../../../services/invoices/late-usage.ts';
import type { InvoiceSources } from '../../../services/invoices/load-invoice-inputs.ts';
import { findCustomer } from '../../../sql/postgres/customers/customers.ts';
import { findSubscription } from '../../../sql/postgres/subscriptions/subscriptions.ts';
import { type LateStep, listTimeline } from '../../../sql/postgres/subscriptions/timeline.ts';
import { subscriptionPath, timelineStepWire } from '../../../wire/subscriptions.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, toPage, windowOf } from '../../pages.ts';

export const subscriptionTimeline = operation({
  id: 'retrieveSubscriptionTimeline',
  method: 'get',
  path: '/api/subscriptions/{subscription_id}/timeline',
  tag: 'Subscriptions',
  summary: 'List the past and planned steps of a subscription, newest first',
  description:
    'Starts, renewals, invoices, pauses, switches and the end: what was done, and what is planned. After the end also late_usage ' +
    'that no invoice has taken yet.',
  scope: 'read',
  params: subscriptionPath,
  query: pageQuery,
  success: 200,
  response: listOf(timelineStepWire),
  run: async ({ caller: { accountId }, params, query, url, read }, dependencies) => {
    const { subscription, customer } = await read(async (tx) => {
      const found = await findSubscription(tx, accountId, params.subscription_id);
      if (!found) throw notFound(`subscription ${params.subscription_id}`);
      return { subscription: found, customer: await findCustomer(tx, accountId, found.customerId) };
    });
    const late = customer ? await loadLateSteps(dependencies, accountId, customer, subscription) : [];
    return read(async (tx) => {
      const page = await listTimeline(tx, accountId, subscription.subscriptionId, late, windowOf(query));
      return toPage(url, query, page, ({ invoiceId: invoice_id, at, ...step }) => ({
        at: isoFromInstant(at),
        ...step,
        invoice_id,
      }));
    });
  },
});

/**
 * What came late for a subscription that has ended and waits for a later invoice of the customer: "else kept in the
 * timeline" (spec/invoices#late-usage). A live one's is in the draft.
 */
async function loadLateSteps(
  sources: InvoiceSources,
  accountId: string,
  customer: Customer,
  { subscriptionId, status }: Subscription,
): Promise<LateStep[]> {
  if (status !== 'canceled' && status !== 'expired') return [];
  const usage = await loadLateUsage(sources, accountId, customer, { subscriptionId, withEnded: false });
  return lateCharges(usage).map((charge) => ({
    at: charge.periodEnd,
    detail: `${describeLate(charge)}, for a later invoice`,
  }));
}
