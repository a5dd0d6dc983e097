import { notFound } from '../../../billing/domain-error.ts';
import { isoFromInstant } from '../../../billing/instants.ts';
import { findSubscription } from '../../../sql/subscriptions.ts';
import { listTimeline } from '../../../sql/timeline.ts';
import { subscriptionPath, timelineStepWire } from '../../../wire/subscriptions.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, toPage, windowOf } from '../../pages.ts';

export const subscriptionTimeline = operation({
  method: 'get',
  path: '/api/subscriptions/{subscription_id}/timeline',
  tag: 'Subscriptions',
  summary: 'List the past and planned steps of a subscription, newest first',
  description: 'Starts, renewals, invoices, pauses, switches and the end: what was done, and what is planned.',
  scope: 'read',
  params: subscriptionPath,
  query: pageQuery,
  success: 200,
  response: listOf(timelineStepWire),
  run: ({ caller: { accountId }, params, query, url, read }) =>
    read(async (tx) => {
      const subscription = await findSubscription(tx, accountId, params.subscription_id);
      if (!subscription) throw notFound(`subscription ${params.subscription_id}`);
      const page = await listTimeline(tx, accountId, subscription.subscriptionId, windowOf(query));
      return toPage(url, query, page, ({ invoiceId: invoice_id, at, ...step }) => ({
        at: isoFromInstant(at),
        ...step,
        invoice_id,
      }));
    }),
});
