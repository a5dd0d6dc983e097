import { listLedger } from '../../../services/customers/list-ledger.ts';
import { ledgerTransactionToWire, ledgerTransactionWire } from '../../../wire/ledger.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const customerLedger = operation({
  id: 'listLedgerTransactions',
  method: 'get',
  path: '/api/customers/{customer_id}/ledger',
  tag: 'Customers',
  summary: 'List what was posted for a customer, newest first: double entries that sum to zero',
  description: 'Debits are positive. What the customer owes is the sum of its accounts_receivable entries.',
  scope: 'read',
  params: customerPath,
  query: pageQuery,
  success: 200,
  response: listOf(ledgerTransactionWire),
  run: async ({ caller: { accountId }, params: { customer_id: customerId }, listing, read }) => {
    const page = await read((tx) => listLedger(tx, { accountId, customerId }, listing.window));
    return listing.answer(page, ledgerTransactionToWire);
  },
});
