import { isoFromInstant, isoOrNull } from '../../../core/instants.ts';
import { listTimeline } from '../../../services/subscriptions/list-timeline.ts';
import { subscriptionPath, timelineStepWire } from '../../../wire/subscriptions.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

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
  run: async ({ caller: { accountId }, params: { subscription_id: subscriptionId }, listing }, dependencies) => {
    const page = await listTimeline(dependencies, { accountId, subscriptionId }, listing.window);
    return listing.answer(page, ({ invoiceId: invoice_id, at, dueAt, ...step }) => ({
      at: isoFromInstant(at),
      ...step,
      invoice_id,
      due_at: isoOrNull(dueAt),
    }));
  },
});
