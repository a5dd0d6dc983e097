import { notFound } from '../../../core/domain-error.ts';
import { findSubscription } from '../../../sql/postgres/subscriptions/subscriptions.ts';
import { subscriptionPath, subscriptionWorkflowWire } from '../../../wire/subscriptions.ts';
import { operation } from '../../operation.ts';

export const subscriptionWorkflow = operation({
  id: 'retrieveSubscriptionWorkflow',
  method: 'get',
  path: '/api/subscriptions/{subscription_id}/workflow',
  tag: 'Subscriptions',
  summary: 'Which workflow carries a subscription, and where to look at it',
  description: 'What the workflow has done stays there for as long as Temporal keeps what has ended.',
  scope: 'read',
  params: subscriptionPath,
  success: 200,
  response: subscriptionWorkflowWire,
  run: async ({ caller: { accountId }, params: { subscription_id: subscriptionId }, read }, { workflows }) => {
    if (!(await read((tx) => findSubscription(tx, accountId, subscriptionId)))) {
      throw notFound(`subscription ${subscriptionId}`);
    }
    const { workflowId, namespace, url } = workflows.workflowOf({ accountId, subscriptionId });
    return { workflow_id: workflowId, namespace, url };
  },
});
