import { loadPrepaidChange } from '../../../services/subscriptions/load-prepaid-change.ts';
import { prepaidUnitsChange, subscriptionPath, subscriptionWire } from '../../../wire/subscriptions.ts';
import { callOf, changeSubscription } from '../../change-subscription.ts';
import { operation } from '../../operation.ts';

export const changePrepaidUnits = operation({
  id: 'changePrepaidUnits',
  method: 'post',
  path: '/api/subscriptions/{subscription_id}/components/change-prepaid-units',
  tag: 'Subscriptions',
  summary: 'Change the prepaid units of a metric, from the current period on',
  description:
    'What more units cost is on the next invoice, or with `invoice_now` on one of its own; what fewer units cost less is an ' +
    'overpayment credit. The units last until they are changed again.',
  scope: 'write',
  params: subscriptionPath,
  body: prepaidUnitsChange,
  success: 200,
  response: subscriptionWire,
  errors: [409, 503],
  run: (call, dependencies) => {
    const { metric_id, units, invoicing_behavior } = call.body;
    const id = call.params.subscription_id;
    const request = { metricId: metric_id, units: units.toFixed(), invoicingBehavior: invoicing_behavior };
    return changeSubscription(call, dependencies, id, async (subscription, customer, at, tx) => {
      const wanted = { metricId: metric_id, units };
      await loadPrepaidChange(tx, call.caller.accountId, { subscription, customer }, wanted, at);
      return { update: 'change_prepaid_units', call: { ...callOf(call), request } };
    });
  },
});
