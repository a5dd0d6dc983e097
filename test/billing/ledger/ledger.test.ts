import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type LedgerPosting,
  postCreditApplied,
  postCreditGranted,
  postCreditRestored,
  postCreditVoided,
  postInvoiceIssued,
  postInvoiceVoided,
  postOverpaymentCredited,
  postPaymentReceived,
  postRefundCredited,
  postRefundPaid,
} from '../../../billing/ledger/ledger.ts';
import { decimal, sum, toPlain } from '../../../core/decimal.ts';

const entries = ({ entries: of }: LedgerPosting) => of.map((e) => [e.ledgerAccount, toPlain(e.amount)]);

function balances(postings: LedgerPosting[]): Record<string, string> {
  const all = postings.flatMap((posting) => posting.entries);
  const accounts = [...new Set(all.map((entry) => entry.ledgerAccount))];
  const balance = (name: string) => sum(all.filter((e) => e.ledgerAccount === name).map((e) => e.amount));
  return Object.fromEntries(accounts.map((name) => [name, toPlain(balance(name))]));
}

describe('postings', () => {
  it('an invoice is owed, earned and taxed; entries of zero are left out', () => {
    const issued = postInvoiceIssued({ subtotal: decimal(100), taxAmount: decimal('10.5'), total: decimal('110.5') });
    expect(entries(issued)).toEqual([
      ['accounts_receivable', '110.5'],
      ['revenue', '-100'],
      ['tax_payable', '-10.5'],
    ]);
    const zero = decimal(0);
    expect(postInvoiceIssued({ subtotal: zero, taxAmount: zero, total: zero }).entries).toEqual([]);
  });

  it('a paid invoice with a credit leaves nothing receivable', () => {
    const records = balances([
      postCreditGranted(decimal(30)),
      postInvoiceIssued({ subtotal: decimal(100), taxAmount: decimal(10), total: decimal(110) }),
      postCreditApplied(decimal(20)),
      postPaymentReceived(decimal(90)),
      postCreditVoided(decimal(10)),
    ]);
    expect(records).toEqual({
      accounts_receivable: '0',
      cash: '90',
      revenue: '-100',
      tax_payable: '-10',
      customer_credits: '0',
      credit_grants: '20',
    });
  });

  // "A negative total becomes 0 due and an overpayment credit of the rest." (spec/invoices#states)
  it('a negative invoice leaves nothing receivable and a credit owed', () => {
    const records = balances([
      postInvoiceIssued({ subtotal: decimal(-12), taxAmount: decimal(0), total: decimal(-12) }),
      postOverpaymentCredited(decimal(12)),
    ]);
    expect(records).toEqual({ accounts_receivable: '0', revenue: '12', customer_credits: '-12' });
  });

  it('an invoice that is voided leaves nothing but its credit', () => {
    const invoice = { subtotal: decimal(100), taxAmount: decimal(10), total: decimal(110) };
    const records = balances([
      postCreditGranted(decimal(30)),
      postInvoiceIssued(invoice),
      postCreditApplied(decimal(30)),
      postInvoiceVoided(invoice),
      postCreditRestored(decimal(30)),
    ]);
    expect(records).toEqual({
      accounts_receivable: '0',
      revenue: '0',
      tax_payable: '0',
      customer_credits: '-30',
      credit_grants: '30',
    });
  });

  it('a refund takes cash, or is owed as credit', () => {
    const records = balances([postRefundPaid(decimal(30)), postRefundCredited(decimal(12))]);
    expect(records).toEqual({ refunds: '42', cash: '-30', customer_credits: '-12' });
  });

  it('sum to zero each, whatever the amounts', () => {
    const cents = fc.integer({ min: 0, max: 10 ** 9 }).map((n) => decimal(n).shiftedBy(-2));
    fc.assert(
      fc.property(cents, cents, (a, b) => {
        const all = [
          postInvoiceIssued({ subtotal: a, taxAmount: b, total: a.plus(b) }),
          postInvoiceVoided({ subtotal: a, taxAmount: b, total: a.plus(b) }),
          ...[
            postCreditGranted,
            postCreditApplied,
            postCreditRestored,
            postCreditVoided,
            postPaymentReceived,
            postOverpaymentCredited,
            postRefundPaid,
            postRefundCredited,
          ].map((post) => post(a)),
        ];
        for (const { entries: of } of all) {
          expect(toPlain(sum(of.map((e) => e.amount)))).toBe('0');
          expect(of.some((e) => e.amount.isZero())).toBe(false);
        }
        expect(new Set(all.map(({ kind }) => kind)).size).toBe(all.length);
      }),
    );
  });

  it('refuses an invoice whose total is not its parts', () => {
    expect(() => postInvoiceIssued({ subtotal: decimal(1), taxAmount: decimal(1), total: decimal(1) })).toThrow('zero');
  });
});
