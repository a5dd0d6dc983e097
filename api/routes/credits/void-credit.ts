import { voidCredit as voidOne } from '../../../services/credits/void-credit.ts';
import { creditPath, creditWire } from '../../../wire/credits.ts';
import { operation } from '../../operation.ts';

export const voidCredit = operation({
  id: 'voidCredit',
  method: 'post',
  path: '/api/credits/{credit_id}/void',
  tag: 'Credits',
  summary: 'Void an active credit: what is left of it is gone, what was applied stays',
  description: 'Invoices that it was applied to stay as they are.',
  scope: 'write',
  audit: 'credit.voided',
  params: creditPath,
  success: 200,
  previews: true,
  response: creditWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { credit_id: creditId }, now, write }) =>
    write((tx) => voidOne(tx, { accountId, creditId }, now)),
});
