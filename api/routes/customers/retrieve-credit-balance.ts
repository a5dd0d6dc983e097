import { findCreditBalance } from '../../../services/credits/find-credit-balance.ts';
import { creditBalanceToWire, creditBalanceWire } from '../../../wire/credits.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';

export const retrieveCreditBalance = operation({
  id: 'retrieveCreditBalance',
  method: 'get',
  path: '/api/customers/{customer_id}/credit_balance',
  tag: 'Credits',
  summary: "What is left of a customer's active credits, by currency",
  description: 'However many credits there are. The next invoices take from it; the list of credits has each.',
  scope: 'read',
  params: customerPath,
  success: 200,
  response: creditBalanceWire,
  run: async ({ caller: { accountId }, params: { customer_id: customerId }, read }) =>
    creditBalanceToWire(customerId, await read((tx) => findCreditBalance(tx, { accountId, customerId }))),
});
