import { replacePhases as replace } from '../../../services/subscriptions/phases/replace-phases.ts';
import { phasesBody } from '../../../wire/subscriptions/phases.ts';
import { subscriptionPath, subscriptionWire } from '../../../wire/subscriptions.ts';
import { operation } from '../../operation.ts';

export const replacePhases = operation({
  id: 'replacePhases',
  method: 'put',
  path: '/api/subscriptions/{subscription_id}/phases',
  tag: 'Subscriptions',
  summary: 'Replace what is agreed on for later dates',
  description:
    'A phase of another plan is a switch on its date; one of the same plan changes the subscription from the first billing period ' +
    'that starts on or after it. What a phase does not say is not carried over from the one before but the plan.',
  scope: 'write',
  audit: 'subscription.phases_replaced',
  params: subscriptionPath,
  body: phasesBody,
  success: 200,
  previews: true,
  response: subscriptionWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { subscription_id: subscriptionId }, body, now, writeWithUsage }) =>
    writeWithUsage((stores) => replace(stores, { accountId, subscriptionId }, body.phases, now)),
});
