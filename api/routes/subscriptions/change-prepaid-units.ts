import { requestPrepaidUnits } from '../../../services/subscriptions/request-change.ts';
import { prepaidUnitsChange, subscriptionPath, subscriptionWire } from '../../../wire/subscriptions.ts';
import { changeSubscription } from '../../change-subscription.ts';
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
  audit: 'subscription.prepaid_units_changed',
  params: subscriptionPath,
  body: prepaidUnitsChange,
  success: 200,
  previews: true,
  response: subscriptionWire,
  errors: [409, 503],
  run: (call, dependencies) =>
    changeSubscription(
      call,
      dependencies,
      async (tx, ref, of) => {
        const request = await requestPrepaidUnits(tx, ref, call.body, call.now);
        return { update: 'change_prepaid_units', call: { ...of, request } };
      },
      { isRepeatable: false },
    ),
});
