import { explainLine as explain } from '../../../services/invoices/explain-line.ts';
import {
  explainQuery,
  invoiceLinePath,
  lineExplanationToWire,
  lineExplanationWire,
} from '../../../wire/line-explanations.ts';
import { operation } from '../../operation.ts';

export const explainLine = operation({
  id: 'explainInvoiceLine',
  method: 'get',
  path: '/api/invoices/{invoice_id}/lines/{line_id}/explain',
  tag: 'Invoices',
  summary: 'How a line came about: its metric and window, the arithmetic step by step, and the events it counted',
  description:
    'The value of the last step is the amount of the line. Events are those that were counted when the invoice was made, in the order of their receipt; next leads on through them. Events of an erased customer are gone, the arithmetic stays.',
  scope: 'read',
  params: invoiceLinePath,
  query: explainQuery,
  success: 200,
  response: lineExplanationWire,
  run: async (
    { caller: { accountId }, params: { invoice_id: invoiceId, line_id: lineId }, query, url },
    dependencies,
  ) => lineExplanationToWire(await explain(dependencies, { accountId, invoiceId, lineId }, query), url),
});
