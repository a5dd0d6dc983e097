import { notFound } from '../../../core/domain-error.ts';
import { findCustomer } from '../../../sql/postgres/customers/customers.ts';
import { listLedgerTransactions } from '../../../sql/postgres/ledger/ledger.ts';
import { ledgerTransactionToWire, ledgerTransactionWire } from '../../../wire/ledger.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, toPage, windowOf } from '../../pages.ts';

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
  run: ({ caller: { accountId }, params, query, url, read }) =>
    read(async (tx) => {
      const customer = await findCustomer(tx, accountId, params.customer_id);
      if (!customer) throw notFound(`customer ${params.customer_id}`);
      const page = await listLedgerTransactions(tx, accountId, customer.customerId, windowOf(query));
      return toPage(url, query, page, ledgerTransactionToWire);
    }),
});
