import { describe, expect, it } from 'vitest';
import { type CreditUse, voidInvoice } from '../../../billing/invoices/void-invoice.ts';
import { decimal, sum, toPlain } from '../../../core/decimal.ts';
import { at, credit, issuedInvoice } from '../fixtures.ts';

const NOW = at('2026-11-20T10:00:00Z');
const QUIET = { at: NOW, inFlight: false };

const invoice = (over: Parameters<typeof issuedInvoice>[0] = {}) =>
  issuedInvoice({
    subtotal: decimal(100),
    taxAmount: decimal(10),
    total: decimal(110),
    creditsApplied: decimal(30),
    amountDue: decimal(80),
    ...over,
  });

const use = (amount: string, over: Parameters<typeof credit>[0] = {}): CreditUse => ({
  credit: credit({ amountRemaining: decimal(5), ...over }),
  amount: decimal(amount),
  given: null,
});

describe('voidInvoice', () => {
  // "States: ... open -> void; uncollectible -> void" (spec/invoices#states)
  it.each(['open', 'uncollectible'] as const)('voids one that is %s, whose amounts stay as issued', (status) => {
    const before = invoice({ status });
    const { invoice: after } = voidInvoice(before, [use('30')], QUIET);
    expect(after).toEqual({ ...before, status: 'void', voidedAt: NOW });
  });

  it.each(['paid', 'void'] as const)('refuses one that is %s', (status) => {
    expect(() => voidInvoice(invoice({ status }), [use('30')], QUIET)).toThrow(
      expect.objectContaining({ code: 'conflict', message: `The invoice is ${status} and cannot be voided.` }),
    );
  });

  // "refused (409) while money is collected or in flight"
  it('refuses one of which money is collected or in flight, unless that money went back', () => {
    const uses = [use('30')];
    const partly = { amountPaid: decimal(8), amountDue: decimal(72) };
    expect(() => voidInvoice(invoice(), uses, { ...QUIET, inFlight: true })).toThrow('a payment of it is in flight');
    expect(() => voidInvoice(invoice(partly), uses, QUIET)).toThrow('open and 8 of it has been collected');
    expect(() => voidInvoice(invoice({ ...partly, amountRefunded: decimal(7) }), uses, QUIET)).toThrow('collected');
    const returned = voidInvoice(invoice({ ...partly, amountRefunded: decimal(8) }), uses, QUIET);
    expect(returned.invoice.status).toBe('void');
  });

  // "Void restores the credits it used (an expired one gets its amount back and stays expired, a voided one stays at 0)"
  it('gives each credit back what it took, but a voided one stays at 0', () => {
    const { restorations } = voidInvoice(
      invoice(),
      [
        use('10', { creditId: 'active' }),
        use('15', { creditId: 'expired', expiresAt: '2026-01-01' }),
        use('5', { creditId: 'voided', voidedAt: 1, amountRemaining: decimal(0) }),
      ],
      QUIET,
    );
    expect(restorations.map(({ creditId, amountRemaining }) => [creditId, toPlain(amountRemaining)])).toEqual([
      ['active', '15'],
      ['expired', '20'],
      ['voided', '0'],
    ]);
    expect(restorations.map(({ postings }) => postings.map(({ kind }) => kind))).toEqual([
      ['credit_restored'],
      ['credit_restored'],
      ['credit_restored', 'credit_voided'],
    ]);
  });

  it('reverses what its issue and its credits had posted: nothing receivable, earned or taxed is left', () => {
    const uses = [use('10'), use('20', { voidedAt: 1, amountRemaining: decimal(0) })];
    const { posting, restorations } = voidInvoice(invoice(), uses, QUIET);
    const entries = [posting, ...restorations.flatMap(({ postings }) => postings)].flatMap((one) => one.entries);
    const balance = (name: string) =>
      toPlain(sum(entries.filter(({ ledgerAccount }) => ledgerAccount === name).map(({ amount }) => amount)));
    // Issue and applications had left 110 - 30 receivable.
    expect(balance('accounts_receivable')).toBe('-80');
    expect([balance('revenue'), balance('tax_payable')]).toEqual(['100', '10']);
    expect([balance('customer_credits'), balance('credit_grants')]).toEqual(['-10', '-20']);
  });

  // 33 unpaid, canceled on day 10 of 30: 20 and tax 2 were given back, and applied to it at once (spec/invoices#states)
  const given = { amount: decimal(22), tax: decimal(2) };
  const unpaid = (creditsApplied: number) =>
    issuedInvoice({
      ...{ subtotal: decimal(30), taxAmount: decimal(3), total: decimal(33) },
      ...{ creditsApplied: decimal(creditsApplied), amountDue: decimal(33 - creditsApplied) },
    });
  it.each([
    ['applied to it', '22', '0'],
    ['not used yet', '0', '22'],
    ['in part', '10', '12'],
  ])('a credit that was given back from it goes with it: %s', (_, used, rest) => {
    const uses = [{ ...use(used, { amountRemaining: decimal(rest) }), given }];
    const { restorations, posting } = voidInvoice(unpaid(Number(used)), uses, QUIET);
    expect(restorations).toMatchObject([{ creditId: 'credit_1', amountRemaining: decimal(0), voidedAt: NOW }]);
    const entries = [posting, ...(restorations[0]?.postings ?? [])].flatMap((one) => one.entries);
    const balance = (name: string) =>
      toPlain(sum(entries.filter(({ ledgerAccount }) => ledgerAccount === name).map(({ amount }) => amount)));
    // Issue, credit and application had left 33 - used, -10, -1 and -rest.
    expect(['accounts_receivable', 'revenue', 'tax_payable', 'customer_credits'].map(balance)).toEqual([
      toPlain(decimal(used).minus(33)),
      '10',
      '1',
      rest,
    ]);
  });

  it('what another invoice has used of such a credit stays used', () => {
    const uses = [{ ...use('0', { amountRemaining: decimal('5.5') }), given }];
    const { restorations } = voidInvoice(unpaid(0), uses, QUIET);
    const posted = restorations[0]?.postings.flatMap(({ entries }) => entries) ?? [];
    expect(posted.map(({ ledgerAccount, amount }) => [ledgerAccount, toPlain(amount)])).toEqual([
      ['revenue', '-5'],
      ['tax_payable', '-0.5'],
      ['customer_credits', '5.5'],
    ]);
  });

  it('an application that is missing is a bug, not a refusal', () => {
    expect(() => voidInvoice(invoice(), [use('29')], QUIET)).toThrow('do not sum to what was applied');
  });
});
