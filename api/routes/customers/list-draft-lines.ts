import { listDraftLines as list } from '../../../services/invoices/lines/list-draft-lines.ts';
import { lineWire } from '../../../wire/invoice-lines.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listDraftLines = operation({
  id: 'listDraftLines',
  method: 'get',
  path: '/api/customers/{customer_id}/draft_invoice/lines',
  tag: 'Customers',
  summary: "List the lines of a customer's draft, in their order",
  description: 'For drafts whose lines an answer of at most 8 MiB leaves out. Each page is of the draft as it is then.',
  scope: 'read',
  params: customerPath,
  query: pageQuery,
  success: 200,
  inThread: true,
  response: listOf(lineWire),
  errors: [404],
  run: async ({ caller: { accountId }, params: { customer_id: customerId }, now, room, listing }, dependencies) => {
    const page = await list({ ...dependencies, room }, { accountId, customerId }, now, listing.window);
    return listing.answer(page, (line) => line);
  },
});
