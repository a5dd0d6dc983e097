import { explainDraftLine as explain } from '../../../services/invoices/explain-draft-line.ts';
import {
  draftExplainQuery,
  draftLineExplanationToWire,
  draftLineExplanationWire,
} from '../../../wire/line-explanations.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';

export const explainDraftLine = operation({
  id: 'explainDraftLine',
  method: 'get',
  path: '/api/customers/{customer_id}/draft_invoice/explain',
  tag: 'Customers',
  summary:
    "How a line of a customer's draft comes about: its metric and window, the arithmetic, and the events counted so far",
  description:
    'As the explanation of an issued line, with null ids; it counts what has landed. The line is named by its subscription and metric, of a price book also by its group, which is 422 where there are several and none is named.',
  scope: 'read',
  params: customerPath,
  query: draftExplainQuery,
  success: 200,
  inThread: true,
  response: draftLineExplanationWire,
  run: async ({ caller: { accountId }, params: { customer_id: customerId }, query, url, now, room }, dependencies) =>
    draftLineExplanationToWire(await explain({ ...dependencies, room }, { accountId, customerId }, query, now), url),
});
