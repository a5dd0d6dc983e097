import { updateCredit as update } from '../../../services/credits/update-credit.ts';
import { creditPath, creditUpdate, creditWire } from '../../../wire/credits.ts';
import { operation } from '../../operation.ts';

export const updateCredit = operation({
  id: 'updateCredit',
  method: 'post',
  path: '/api/credits/{credit_id}/update',
  tag: 'Credits',
  summary: 'Change the expiry (null: never) or the description of an active credit',
  scope: 'write',
  audit: 'credit.updated',
  params: creditPath,
  body: creditUpdate,
  success: 200,
  response: creditWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { credit_id: creditId }, body, now, write }) =>
    write((tx) => update(tx, { accountId, creditId }, body, now)),
});
