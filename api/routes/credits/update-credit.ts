import { updateCredit as updated } from '../../../billing/credits/credits.ts';
import { updateCredit as saveUpdated } from '../../../sql/postgres/credits/credit-changes.ts';
import { creditPath, creditToWire, creditUpdate, creditWire } from '../../../wire/credits.ts';
import { lockCreditForChange } from '../../lock-for-change.ts';
import { operation } from '../../operation.ts';

export const updateCredit = operation({
  id: 'updateCredit',
  method: 'post',
  path: '/api/credits/{credit_id}/update',
  tag: 'Credits',
  summary: 'Change the expiry (null: never) or the description of an active credit',
  scope: 'write',
  params: creditPath,
  body: creditUpdate,
  success: 200,
  response: creditWire,
  errors: [409],
  run: ({ caller: { accountId }, params, body, now, write }) =>
    write(async (tx) => {
      const { credit, today } = await lockCreditForChange(tx, accountId, params.credit_id, now);
      const changes = { expiresAt: body.expires_at, description: body.description };
      const changed = updated(credit, changes, today);
      await saveUpdated(tx, accountId, changed);
      return creditToWire(changed, today);
    }),
});
