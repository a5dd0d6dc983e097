import { describe, expect, test } from 'vitest';
import { boundaryCharges } from '../../../billing/invoices/boundary-charges.ts';
import { checkInvoice } from '../../../billing/invoices/check-invoice.ts';
import { computeInvoice, type InvoiceInput } from '../../../billing/invoices/compute-invoice.ts';
import { emptyLine } from '../../../billing/invoices/invoice-lines.ts';
import { postInvoiceIssued, postOverpaymentCredited } from '../../../billing/ledger/ledger.ts';
import { periodOf } from '../../../billing/periods/periods.ts';
import { endingAt } from '../../../billing/subscriptions/cancel.ts';
import { decimal, sum, toPlain } from '../../../core/decimal.ts';
import { at, boundaryOf, component, plan, switchedOf } from '../fixtures.ts';

/** 2026-03-01 to 03-31, 30 days. */
const period = periodOf(
  {
    startDate: '2026-03-01',
    billingPeriod: 'monthly',
    usagePeriod: 'billing_period',
    anchorDate: null,
    timeZone: 'UTC',
  },
  0,
);
const [cheap, dear] = [10, 100].map((fee) =>
  plan({ planId: `plan_${fee}`, name: `Plan ${fee}`, recurringFee: decimal(fee), components: [] }),
);

/** 90 and 18 of tax. */
const chargedOnce = {
  ...{ invoiceId: 'inv_1', taxRate: decimal(20), amount: decimal(90), charges: decimal(90) },
  ...{ left: decimal(108), unpaid: decimal(0) },
};

/** The invoice of a cancel on day 10 after a switch from 10 to 100 on day 0, which was charged at 20 %. */
function closing(taxRate: number) {
  if (!cheap || !dear) throw new Error('no plans');
  const began = { at: period.startsAt, on: '2026-03-01' };
  const plans = [
    { subscriptionId: 'sub_1', plan: cheap, ...began },
    { subscriptionId: 'sub_2', plan: dear, ...began },
  ];
  const terms = { flatFeeBehavior: 'charge_prorated', billUsage: true, invoicingBehavior: 'invoice_now' } as const;
  const ending = endingAt(at('2026-03-11T00:00:00Z'), terms, period);
  const ended = switchedOf(plans, period, { ending });
  const switchCharges = [{ subscriptionId: 'sub_2', at: period.startsAt, ...chargedOnce }];
  const of = { ...boundaryOf(dear, { ended: period, ending }), subscriptionId: 'sub_2', ended, switchCharges };
  return computeInvoice(inputOf({ ...boundaryCharges(of), taxRate: decimal(taxRate) }));
}

function inputOf(over: Partial<InvoiceInput>): InvoiceInput {
  const none = { fees: [], prepaid: [], usages: [], pending: [], credits: [] };
  const terms = { kind: 'closing', currency: 'USD', taxRate: decimal(20), today: '2026-03-11' } as const;
  return { ...none, ...terms, periodStart: null, periodEnd: null, ...over };
}

const moneyOf = ({ subtotal, taxRate, taxAmount, total, overpayment, amountDue }: ReturnType<typeof computeInvoice>) =>
  [subtotal, taxRate, taxAmount, total, overpayment, amountDue].map(toPlain);

/** spec/invoices#arithmetic */
describe('tax has the sign of what is taxed', () => {
  test('a switch from 10 to 100 on day 0, canceled on day 10: the tax on what is taken back is given back', () => {
    const invoice = closing(20);
    expect(invoice.lines.map(({ type, amount }) => `${type} ${toPlain(amount)}`)).toEqual([
      'recurring_fee 3.33',
      'proration -60',
    ]);
    expect(moneyOf(invoice)).toEqual(['-56.67', '20', '-11.33', '-68', '68', '0']);
  });

  test.each([0, 5, 100])('at the rate it was charged with, whatever the customer has now: %i %%', (rateOfNow) => {
    expect(moneyOf(closing(rateOfNow))).toEqual(['-56.67', '20', '-11.33', '-68', '68', '0']);
  });

  test('the ledger gives back revenue and tax, and sums to zero', () => {
    const invoice = closing(20);
    const postings = [postInvoiceIssued(invoice), postOverpaymentCredited(invoice.overpayment)];
    for (const { entries } of postings) expect(toPlain(sum(entries.map(({ amount }) => amount)))).toBe('0');
    expect(postings[0]?.entries.map(({ ledgerAccount, amount }) => [ledgerAccount, toPlain(amount)])).toEqual([
      ['accounts_receivable', '-68'],
      ['revenue', '56.67'],
      ['tax_payable', '11.33'],
    ]);
  });

  test('late usage below 0 alike, at the rate of the invoice of its period', () => {
    const usage = (value: number) => ({ value: decimal(value), eventsCount: decimal(1) });
    const late = {
      ...{ subscriptionId: 'sub_1', planId: 'plan_1', version: 1, metricName: 'Calls', component: component() },
      ...{
        periodStart: period.startsAt,
        periodEnd: period.endsAt,
        prepaidUnits: decimal(0),
        prepaidBefore: decimal(0),
      },
      ...{ before: usage(100), after: usage(40), chargedRate: decimal(10) },
    };
    expect(moneyOf(computeInvoice(inputOf({ late: [late] })))).toEqual(['-6', '10', '-0.6', '-6.6', '6.6', '0']);
  });

  test('of several rates, that of most of what is taken back; of what was on no invoice, the one of now', () => {
    const line = (amount: number, rate?: number) => {
      const chargedRate = rate === undefined ? {} : { chargedRate: decimal(rate) };
      return { ...emptyLine('proration', 'Back'), amount: decimal(amount), ...chargedRate };
    };
    const rateOf = (...pending: ReturnType<typeof line>[]) => computeInvoice(inputOf({ pending })).taxRate.toFixed();
    expect(rateOf(line(-5, 7), line(-4, 9), line(-4, 9))).toBe('9');
    expect(rateOf(line(-5, 7), line(3, 9))).toBe('7');
    expect(rateOf(line(-5))).toBe('20');
    expect(rateOf(line(-5, 7), line(6))).toBe('20');
  });

  test('the parity check agrees, and leaves invoices alone that an earlier release has not taxed', () => {
    const { lines, ...invoice } = closing(5);
    const recounts = lines.map((line) => ({ line: { ...line, lineId: null }, pricing: null, usage: null }));
    expect(checkInvoice(invoice, recounts, 2)).toEqual([]);
    const untaxed = { ...invoice, taxAmount: decimal(0), total: invoice.subtotal };
    expect(checkInvoice(untaxed, recounts, 2)).toEqual([]);
    const wrong = { ...invoice, taxAmount: decimal(-11), total: decimal('-67.67') };
    expect(checkInvoice(wrong, recounts, 2).map(({ field }) => field)).toEqual(['tax_amount', 'total']);
  });
});
