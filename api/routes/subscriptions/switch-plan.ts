import { requestSwitch } from '../../../services/subscriptions/request-change.ts';
import { switchPlanBody, switchWire } from '../../../wire/subscriptions/switches.ts';
import { subscriptionPath } from '../../../wire/subscriptions.ts';
import { changeSubscription } from '../../change-subscription.ts';
import { operation } from '../../operation.ts';

export const switchPlan = operation({
  id: 'switchPlan',
  method: 'post',
  path: '/api/subscriptions/{subscription_id}/switch_plan/',
  tag: 'Subscriptions',
  summary: 'Switch to another plan now or later, or withdraw a planned switch',
  description:
    'The old subscription ends as `canceled` and a new one takes its place. With the same billing period and timing it keeps ' +
    'the period, and the rest of it is charged or credited pro rata; else the old period is closed. An `effective_date` up to ' +
    "the period's end plans the switch, null withdraws it; it is then made to the version that is the plan's latest by then, " +
    'also where the plan has been archived meanwhile. A credit is never more than was charged for the period: it may be less ' +
    'than `proration` says where the invoice of its fee was voided or is uncollectible.',
  scope: 'write',
  audit: 'subscription.switched',
  params: subscriptionPath,
  body: switchPlanBody,
  success: 200,
  previews: true,
  response: switchWire,
  errors: [409, 503],
  run: (call, dependencies) =>
    changeSubscription(call, dependencies, async (tx, ref, of) => {
      const request = await requestSwitch(tx, ref, call.body, call.now);
      return { update: 'switch_plan', call: { ...of, request } };
    }),
});
