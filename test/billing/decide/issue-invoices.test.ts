import { describe, expect, test } from 'vitest';
import { type ChangeSet, changeSetFromJson, changeSetToJson } from '../../../billing/change-set.ts';
import { decideInvoices } from '../../../billing/decide/issue-invoices.ts';
import type { ApplicableDiscount } from '../../../billing/discounts/discounts.ts';
import type { ChargeCount } from '../../../billing/metering/line-counts.ts';
import { decimal } from '../../../core/decimal.ts';
import { at, component, credit, plan } from '../fixtures.ts';
import { ACME, DUE, invoicesInput, NOW, wantedOf } from './issue-fixtures.ts';

/** Invoices are decided by plain data alone: what each test expects is the change set, with local ids. */

const HALF: ApplicableDiscount = {
  discountId: 'disc_1',
  subscriptionId: 'sub_1',
  holders: ['sub_1'],
  name: 'Launch offer',
  appliesTo: null,
  percentOff: decimal(50),
  amountOff: null,
  currency: null,
  periodsRemaining: 1,
};

/** Decisions survive JSON, whatever they are. */
function decide(...given: Parameters<typeof decideInvoices>) {
  const decision = decideInvoices(...given);
  const again = changeSetFromJson(changeSetToJson(decision.changes));
  expect(again).toEqual(decision.changes);
  return { ...decision, changes: again };
}

/** The amounts of an invoice as text. */
function amountsOf({ invoices = [] }: ChangeSet) {
  return invoices.map(({ invoice: { invoiceId, status, subtotal, taxAmount, total, amountDue } }) => {
    return `${invoiceId} ${status} ${subtotal}+${taxAmount}=${total} due ${amountDue}`;
  });
}

function postingsOf({ postings = [] }: ChangeSet) {
  return postings.map(({ subject: { invoiceId, creditId }, posting: { kind, entries } }) => {
    const amounts = entries.map(({ ledgerAccount, amount }) => `${ledgerAccount} ${amount}`);
    return [kind, invoiceId, creditId, ...amounts].filter((one) => one !== undefined).join(' ');
  });
}

describe('a plain invoice', () => {
  const input = invoicesInput({ payer: { ...ACME, taxRate: decimal(19) } });
  const { changes, issued } = decide(input, [wantedOf('10')]);

  test('has local ids, amounts and the terms of its issue', () => {
    expect(issued).toEqual([{ invoiceId: 'new:1' }]);
    expect(amountsOf(changes)).toEqual(['new:1 open 10+1.9=11.9 due 11.9']);
    const [{ invoice, ...about } = { invoice: null }] = changes.invoices ?? [];
    expect(about).toEqual({ periodIndex: 2, operationId: null, counts: [] });
    expect(invoice).toMatchObject({
      customerId: 'acme',
      issueDate: '2026-12-01',
      dueDate: '2026-12-11',
      createdAt: NOW,
    });
    expect(invoice?.lines.map(({ lineId, description }) => [lineId, description])).toEqual([['new:2', 'By hand']]);
    expect(invoice).not.toHaveProperty('invoiceNumber');
  });

  test('posts its total, is told and written down, and becomes past due on the day after its due date', () => {
    expect(postingsOf(changes)).toEqual(['invoice_issued new:1 accounts_receivable 11.9 revenue -10 tax_payable -1.9']);
    expect(changes.events).toEqual([{ type: 'invoice.created', invoiceId: 'new:1' }]);
    expect(changes.audit).toEqual([{ action: 'invoice.created', invoiceId: 'new:1' }]);
    const dueAt = at('2026-12-12T00:00:00Z');
    expect(changes.steps).toEqual([{ kind: 'past_due', invoiceId: 'new:1', dueAt, testClockId: null }]);
  });

  test('of a call has no audit entry of its own', () => {
    const { changes } = decide(invoicesInput({ by: 'call' }), [wantedOf('10', { operationId: 'req_1' })]);
    expect(changes.audit).toEqual([]);
    expect(changes.invoices?.map(({ operationId }) => operationId)).toEqual(['req_1']);
  });

  test('is collected on its due date where its customer can be charged', () => {
    const payer = { ...ACME, paymentProviderId: 'cus_1', hasPaymentMethod: true, testClockId: 'clock_1' };
    const { changes } = decide(invoicesInput({ payer }), [wantedOf('10')]);
    expect(changes.events?.at(-1)).toEqual({ type: 'invoice.collectable', invoiceId: 'new:1' });
    const dueAt = at('2026-12-11T00:00:00Z');
    expect(changes.steps?.at(-1)).toEqual({ kind: 'collect', invoiceId: 'new:1', dueAt, testClockId: 'clock_1' });
  });

  test('takes pending invoice items, and names whose lines it has where another pays', () => {
    const taken = { seqs: ['7', '8'], lines: [], counts: [] };
    const customer = { ...ACME, customerId: 'branch', billedTo: 'acme' };
    const { changes } = decide({ ...invoicesInput(), customer }, [wantedOf('10', { taken }), wantedOf('5')]);
    expect(changes.pendingTaken).toEqual([{ seqs: ['7', '8'], invoiceId: 'new:1' }]);
    const owners = changes.invoices?.flatMap(({ invoice: { lines } }) => lines.map(({ customerId }) => customerId));
    expect(owners).toEqual(['branch', 'branch']);
  });

  test('names the line that usage was counted for, up to a position of 64 bits', () => {
    const origin = { subscriptionId: 'sub_1', planId: 'plan_1', version: 1, periodStart: 0, periodEnd: DUE };
    const used = { quantity: decimal(30), eventsCount: decimal(30), prepaidUnits: decimal(0), timeZone: 'UTC' };
    const usage = { ...origin, ...used, metricName: 'Calls', component: component() };
    const count: ChargeCount = {
      ...{ type: 'usage', subscriptionId: 'sub_1', metricId: 'metric_1', periodStart: 0, timeZone: 'UTC' },
      ...{ prepaidUnits: decimal(0), prepaidBefore: decimal(0), quantityBefore: decimal(0) },
      ...{ countedFrom: null, countedTo: 9_007_199_254_740_993n },
    };
    const charged = { kind: 'period', usages: [usage], pending: [] } as const;
    const { changes } = decide(invoicesInput(), [wantedOf('0', { charged, counts: [count] })]);
    expect(changes.invoices?.[0]?.counts).toEqual([{ ...count, lineId: 'new:2' }]);
    expect(() => decide(invoicesInput(), [wantedOf('0', { counts: [count] })])).toThrow('no usage line of sub_1');
  });

  test('says what was agreed on for its lines', () => {
    const basedOn = { version: 1, versionId: 'planv_1' };
    const agreed = plan({ version: -1, agreement: { basedOn, overrides: { recurringFee: decimal(5) } } });
    const fee = { subscriptionId: 'sub_1', planId: 'plan_1', version: -1, periodStart: 0, periodEnd: DUE };
    const fees = [{ ...fee, planName: 'Pro plan', fee: decimal(5), billedDays: 30, days: 30 }];
    const charged = { kind: 'period', pending: [], fees } as const;
    const { changes } = decide(invoicesInput({ agreedPlans: [agreed] }), [wantedOf('0', { charged })]);
    expect(changes.invoices?.[0]?.invoice.lines[0]?.agreed).toEqual({ version: 1, overridden: true });
    expect(() => decide(invoicesInput(), [wantedOf('0', { charged })])).toThrow('has lost version -1');
  });
});

describe('discounts and credits', () => {
  test('a coupon lowers the first invoice and is used up for the second', () => {
    const { changes } = decide(invoicesInput({ discounts: [HALF] }), [wantedOf('10'), wantedOf('10')]);
    expect(amountsOf(changes)).toEqual(['new:1 open 5+0=5 due 5', 'new:4 open 10+0=10 due 10']);
    expect(changes.discountsUsed).toEqual(['disc_1']);
  });

  test('a proration is lowered by a coupon, and counts no period of it', () => {
    const charged = { ...wantedOf('10').charged, kind: 'proration' as const };
    const { changes } = decide(invoicesInput({ discounts: [HALF] }), [wantedOf('10', { charged })]);
    expect(amountsOf(changes)).toEqual(['new:1 open 5+0=5 due 5']);
    expect(changes.discountsUsed).toEqual([]);
  });

  test('two credits pay an invoice, which is paid at once; the next one gets what is left', () => {
    const credits = [
      credit({ creditId: 'credit_1', amountRemaining: decimal(6) }),
      credit({ creditId: 'credit_2', amountRemaining: decimal(9), createdAt: 1 }),
    ];
    const { changes } = decide(invoicesInput({ credits }), [wantedOf('10'), wantedOf('10')]);
    expect(amountsOf(changes)).toEqual(['new:1 paid 10+0=10 due 0', 'new:5 open 10+0=10 due 5']);
    expect(
      changes.creditApplications?.map(({ creditId, invoiceId, amount, at }) => [creditId, invoiceId, `${amount}`, at]),
    ).toEqual([
      ['credit_1', 'new:1', '6', NOW],
      ['credit_2', 'new:1', '4', NOW],
      ['credit_2', 'new:5', '5', NOW],
    ]);
    expect(changes.events?.map(({ type }) => type)).toEqual(['invoice.created', 'invoice.paid', 'invoice.created']);
    expect(changes.invoices?.map(({ invoice: { paidAt } }) => paidAt)).toEqual([NOW, null]);
    expect(changes.steps?.map(({ kind }) => kind)).toEqual(['past_due']);
    expect(postingsOf(changes).slice(0, 3)).toEqual([
      'invoice_issued new:1 accounts_receivable 10 revenue -10',
      'credit_applied new:1 credit_1 customer_credits 6 accounts_receivable -6',
      'credit_applied new:1 credit_2 customer_credits 4 accounts_receivable -4',
    ]);
  });

  test('a negative invoice makes a credit, which names it and pays the next one', () => {
    const { changes } = decide(invoicesInput(), [wantedOf('-30'), wantedOf('10')]);
    expect(amountsOf(changes)).toEqual(['new:1 paid -30+0=-30 due 0', 'new:4 paid 10+0=10 due 0']);
    const description = 'Overpayment of invoice {invoice:new:1}';
    expect(changes.credits).toMatchObject([
      { creditId: 'new:2', customerId: 'acme', reason: 'overpayment_credit', description, customerToday: '2026-12-01' },
    ]);
    expect(changes.credits?.map(({ amount, amountRemaining }) => `${amount} ${amountRemaining}`)).toEqual(['30 30']);
    expect(changes.creditApplications).toMatchObject([{ creditId: 'new:2', invoiceId: 'new:4' }]);
    const line = changes.invoices?.[1]?.invoice.lines.at(-1);
    expect(line).toMatchObject({ creditId: 'new:2', description: `Overpayment credit: ${description}` });
    expect(changes.events?.at(-1)).toEqual({ type: 'credit.created', creditId: 'new:2' });
    expect(postingsOf(changes)).toEqual([
      'overpayment_credited new:1 new:2 accounts_receivable 30 customer_credits -30',
      'invoice_issued new:1 accounts_receivable -30 revenue 30',
      'invoice_issued new:4 accounts_receivable 10 revenue -10',
      'credit_applied new:4 new:2 customer_credits 10 accounts_receivable -10',
    ]);
  });
});

describe('only if due', () => {
  test('an invoice of nothing is not made, and takes nothing', () => {
    const taken = { seqs: ['7'], lines: [], counts: [] };
    const nothing = wantedOf('0', { onlyIfDue: true, taken });
    const { changes, issued } = decide(invoicesInput(), [nothing, wantedOf('10', { onlyIfDue: true }), wantedOf('0')]);
    expect(issued).toEqual([null, { invoiceId: 'new:1' }, { invoiceId: 'new:3' }]);
    expect(amountsOf(changes)).toEqual(['new:1 open 10+0=10 due 10', 'new:3 paid 0+0=0 due 0']);
    expect(changes.pendingTaken).toEqual([]);
  });
});

describe('sections', () => {
  const customer = { ...ACME, customerId: 'branch', billedTo: 'acme', testClockId: 'clock_1' };
  const input = { on: 'sections', customer, now: NOW, dueAt: DUE, discounts: [HALF] } as const;

  test('wait in the place of invoices, less their discounts, for one step of the payer', () => {
    const taken = { seqs: ['7'], lines: [], counts: [] };
    const wanted = [wantedOf('10', { taken }), wantedOf('20'), wantedOf('0', { onlyIfDue: true })];
    const { changes, issued } = decide(input, wanted);
    expect(issued).toEqual([{ invoiceId: null }, { invoiceId: null }, null]);
    expect(changes.invoices).toBeUndefined();
    const about = { customerId: 'branch', subscriptionId: 'sub_1', periodIndex: 2, dueAt: DUE, counts: [] };
    expect(changes.sections).toMatchObject([about, about]);
    expect(changes.sections?.map(({ subtotal }) => `${subtotal}`)).toEqual(['5', '20']);
    expect(changes.discountsUsed).toEqual(['disc_1']);
    expect(changes.pendingDeleted).toEqual(['7']);
    expect(changes.steps).toEqual([{ kind: 'issue_sections', payerId: 'acme', dueAt: DUE, testClockId: 'clock_1' }]);
  });

  test('of which none is due plan no step', () => {
    const { changes } = decide(input, [wantedOf('0', { onlyIfDue: true })]);
    expect(changes).toEqual({ sections: [], steps: [], discountsUsed: [], pendingDeleted: [] });
  });
});
