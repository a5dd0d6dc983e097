import { listDiscountsAtIssue } from '../../../sql/postgres/charges/charges.ts';
import { listKeyedPeriods } from '../../../sql/postgres/charges/keyed-periods.ts';
import {
  listChargesOfInvoices,
  listCreditsPaid,
  listDiscountsOfInvoices,
  listInvoicesToSettle,
  listMoneyOfInvoices,
  listTermsOfInvoices,
} from '../../../sql/postgres/charges/standing-charges.ts';
import {
  listAccountsToRecord,
  listCustomersBilledOn,
  listGivenCredits,
  listInvoicesToLookAt,
  listUnrecordedInvoices,
} from '../../../sql/postgres/charges/unrecorded-invoices.ts';
import type { Pool, Transaction } from '../../../sql/postgres/postgres.ts';

const SOME = ['invoice-7', 'invoice-8'];

/** What is asked when charges are recorded, and when what stands of them is loaded. */
export const OF_CHARGES: Record<string, (tx: Transaction, accountId: string) => Promise<unknown>> = {
  listChargesOfInvoices: (tx, a) => listChargesOfInvoices(tx, a, SOME),
  listCreditsPaid: (tx, a) => listCreditsPaid(tx, a, SOME),
  listCustomersBilledOn: (tx, a) => listCustomersBilledOn(tx, a, 'invoice-7'),
  listDiscountsAtIssue: (tx, a) => listDiscountsAtIssue(tx, a, ['subscription-7'], ['discount-7']),
  listDiscountsOfInvoices: (tx, a) => listDiscountsOfInvoices(tx, a, SOME),
  listGivenCredits: (tx, a) => listGivenCredits(tx, a, SOME),
  listInvoicesToLookAt: (tx, a) => listInvoicesToLookAt(tx, a, 50),
  listInvoicesToSettle: (tx, a) => listInvoicesToSettle(tx, a, ['period-7', 'period-8']),
  listKeyedPeriods: (tx, a) => {
    return listKeyedPeriods(tx, a, { subscriptionIds: ['subscription-7'], from: 0, to: 1e13 });
  },
  listMoneyOfInvoices: (tx, a) => listMoneyOfInvoices(tx, a, SOME),
  listTermsOfInvoices: (tx, a) => listTermsOfInvoices(tx, a, SOME),
  listUnrecordedInvoices: (tx, a) => listUnrecordedInvoices(tx, a, ['customer-1'], 50),
};

/** What the worker asks each hour. */
export const OF_ACCOUNTS_TO_RECORD = {
  listAccountsToRecord: (postgres: Pool) => listAccountsToRecord(postgres, 50),
};
