import { voidCredit as voided } from '../../../billing/credits/credits.ts';
import { postCreditVoided } from '../../../billing/ledger/ledger.ts';
import { updateCredit } from '../../../sql/postgres/credits/credit-changes.ts';
import { insertLedgerTransaction } from '../../../sql/postgres/ledger/ledger.ts';
import { creditPath, creditToWire, creditWire } from '../../../wire/credits.ts';
import { lockCreditForChange } from '../../lock-for-change.ts';
import { operation } from '../../operation.ts';

export const voidCredit = operation({
  id: 'voidCredit',
  method: 'post',
  path: '/api/credits/{credit_id}/void',
  tag: 'Credits',
  summary: 'Void an active credit: what is left of it is gone, what was applied stays',
  description: 'Invoices that it was applied to stay as they are.',
  scope: 'write',
  params: creditPath,
  success: 200,
  response: creditWire,
  errors: [409],
  run: ({ caller: { accountId }, params, now, write }) =>
    write(async (tx) => {
      const { credit, at, today } = await lockCreditForChange(tx, accountId, params.credit_id, now);
      const { creditId, customerId, currency } = credit;
      const without = voided(credit, at, today);
      await updateCredit(tx, accountId, without);
      const subject = { accountId, customerId, currency, at, creditId };
      await insertLedgerTransaction(tx, subject, postCreditVoided(credit.amountRemaining));
      return creditToWire(without, today);
    }),
});
