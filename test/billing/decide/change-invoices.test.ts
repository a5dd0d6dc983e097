import { describe, expect, test } from 'vitest';
import { type ChangeSet, changeSetFromJson, changeSetToJson } from '../../../billing/change-set.ts';
import { decideCredits, OVERPAYMENT } from '../../../billing/decide/credits.ts';
import { decidePayment } from '../../../billing/decide/pay-invoice.ts';
import { decideProrationCredit } from '../../../billing/decide/proration-credit.ts';
import { decideVoid } from '../../../billing/decide/void-invoice.ts';
import { postProrationCredit } from '../../../billing/ledger/ledger.ts';
import { decimal } from '../../../core/decimal.ts';
import { at, credit, issuedInvoice } from '../fixtures.ts';
import { ACME } from './issue-fixtures.ts';

/** Changes to issued invoices, and the credits that they make. */

const NOW = at('2026-12-05T10:00:00Z');
const VOIDING = { at: NOW, inFlight: false, discountsUncounted: [] };
const OPEN = issuedInvoice({
  ...{ customerId: 'acme', subtotal: decimal(100), total: decimal(100) },
  ...{ creditsApplied: decimal(30), amountDue: decimal(70) },
});

/** The change set after JSON and back, which is the same. */
function kept(changes: ChangeSet): ChangeSet {
  const again = changeSetFromJson(changeSetToJson(changes));
  expect(again).toEqual(changes);
  return again;
}

function postingsOf({ postings = [] }: ChangeSet) {
  return postings.map(({ subject: { customerId, invoiceId, creditId }, posting: { kind } }) => {
    return [kind, customerId, invoiceId, creditId].filter((one) => one !== undefined).join(' ');
  });
}

/** What is still due of the invoices that a change set changes. */
function dueOf({ invoicesChanged = [] }: ChangeSet) {
  return invoicesChanged.map(({ invoiceId, status, amountDue }) => `${invoiceId} ${status} due ${amountDue}`);
}

describe('a void', () => {
  const used = { credit: credit({ amountRemaining: decimal(5) }), amount: decimal(20), given: null };
  const ofPayer = {
    ...used,
    credit: credit({ creditId: 'credit_2', amountRemaining: decimal(0) }),
    amount: decimal(10),
  };
  const uses = [
    { ...used, customerId: 'acme' },
    { ...ofPayer, customerId: 'payer' },
  ];

  test('gives back the credits that the invoice used, to whoever has them', () => {
    const { changes: decided, invoice } = decideVoid(OPEN, uses, VOIDING);
    const changes = kept(decided);
    expect(invoice).toEqual({ ...OPEN, status: 'void', voidedAt: NOW });
    expect(changes.invoicesChanged).toEqual([invoice]);
    expect(changes.creditsRestored).toEqual([
      { creditId: 'credit_1', invoiceId: 'inv_1', amountRemaining: decimal(25), voidedAt: null, at: NOW },
      { creditId: 'credit_2', invoiceId: 'inv_1', amountRemaining: decimal(10), voidedAt: null, at: NOW },
    ]);
    expect(postingsOf(changes)).toEqual([
      'invoice_voided acme inv_1',
      'credit_restored acme inv_1 credit_1',
      'credit_restored payer inv_1 credit_2',
    ]);
    expect(changes.events).toEqual([{ type: 'invoice.voided', invoiceId: 'inv_1' }]);
  });

  test('gives discounts the period back that they counted', () => {
    const invoice = { ...OPEN, creditsApplied: decimal(0), amountDue: decimal(100) };
    const { changes } = decideVoid(invoice, [], { ...VOIDING, discountsUncounted: ['disc_1'] });
    expect(changes.discountsUncounted).toEqual(['disc_1']);
  });

  test('is refused while a payment is in flight', () => {
    expect(() => decideVoid(OPEN, uses, { ...VOIDING, inFlight: true })).toThrow('in flight');
  });
});

test('a payment pays all that is due, and publishes the invoice as it is then', () => {
  const received = { paymentId: 'pay_1', method: 'manual', reference: null, paidAt: NOW };
  const { invoice, changes: decided } = decidePayment(OPEN, received, NOW);
  const changes = kept(decided);
  expect(dueOf(changes)).toEqual(['inv_1 paid due 0']);
  expect(invoice.payments).toEqual([{ ...received, amount: decimal(70) }]);
  expect(changes.payments).toEqual([{ invoiceId: 'inv_1', payment: invoice.payments[0], at: NOW }]);
  expect(postingsOf(changes)).toEqual(['payment_received acme inv_1']);
  expect(changes.events).toEqual([{ type: 'invoice.paid', invoiceId: 'inv_1' }]);
});

describe('a credit for a part of a fee', () => {
  const given = { invoice: OPEN, customer: ACME, amount: decimal(90), tax: decimal(0), at: NOW };

  test('pays what is still due of its invoice at once', () => {
    const changes = kept(decideProrationCredit({ ...given, appliedAtOnce: decimal(70) }).changes);
    expect(changes.credits).toMatchObject([{ creditId: 'new:1', customerId: 'acme', customerToday: '2026-12-05' }]);
    expect(changes.creditApplications).toEqual([
      { creditId: 'new:1', invoiceId: 'inv_1', amount: decimal(70), at: NOW },
    ]);
    expect(dueOf(changes)).toEqual(['inv_1 paid due 0']);
    expect(postingsOf(changes)).toEqual(['fee_given_back acme inv_1 new:1', 'credit_applied acme inv_1 new:1']);
    expect(changes.events).toEqual([
      { type: 'credit.created', creditId: 'new:1' },
      { type: 'invoice.paid', invoiceId: 'inv_1' },
    ]);
  });

  test('leaves an invoice open of which more is due', () => {
    const changes = kept(decideProrationCredit({ ...given, amount: decimal(20), appliedAtOnce: decimal(20) }).changes);
    expect(dueOf(changes)).toEqual(['inv_1 open due 50']);
    expect(changes.events?.map(({ type }) => type)).toEqual(['credit.created']);
  });

  test('changes nothing of an invoice that is paid', () => {
    const changes = kept(decideProrationCredit({ ...given, appliedAtOnce: decimal(0) }).changes);
    expect(changes.invoicesChanged).toBeUndefined();
    expect(postingsOf(changes)).toEqual(['fee_given_back acme inv_1 new:1']);
  });
});

test('several credits are given in their order, each with the invoice that it gives back of', () => {
  const posting = postProrationCredit({ amount: decimal(5), tax: decimal(0) });
  const of = { ...OVERPAYMENT, amount: decimal(5), currency: 'USD', description: 'Not used', posting };
  const given = [
    { ...of, customerId: 'acme', invoiceId: 'inv_1' },
    { ...of, customerId: 'payer', invoiceId: null },
  ];
  const changes = kept(decideCredits(given, { at: NOW, timeZone: 'UTC' }));
  expect(changes.credits?.map(({ creditId, customerId }) => [creditId, customerId])).toEqual([
    ['new:1', 'acme'],
    ['new:2', 'payer'],
  ]);
  expect(postingsOf(changes)).toEqual(['fee_given_back acme inv_1 new:1', 'fee_given_back payer new:2']);
});
