import { notFound } from '../../../core/domain-error.ts';
import { findCredit } from '../../../sql/postgres/credits/credits.ts';
import { creditPath, creditToWire, creditWire } from '../../../wire/credits.ts';
import { operation } from '../../operation.ts';

export const retrieveCredit = operation({
  id: 'retrieveCredit',
  method: 'get',
  path: '/api/credits/{credit_id}',
  tag: 'Credits',
  summary: 'Retrieve a credit',
  scope: 'read',
  params: creditPath,
  success: 200,
  response: creditWire,
  run: ({ caller, params, read }) =>
    read(async (tx) => {
      const credit = await findCredit(tx, caller.accountId, params.credit_id);
      if (!credit) throw notFound(`credit ${params.credit_id}`);
      return creditToWire(credit, credit.customerToday);
    }),
});
