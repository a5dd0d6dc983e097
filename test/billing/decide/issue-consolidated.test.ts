import { expect, test } from 'vitest';
import { changeSetFromJson, changeSetToJson } from '../../../billing/change-set.ts';
import { holdSections } from '../../../billing/decide/hold-sections.ts';
import { decideConsolidated } from '../../../billing/decide/issue-consolidated.ts';
import { standInOf } from '../../../billing/invoices/consolidated-invoice.ts';
import { emptyLine } from '../../../billing/invoices/invoice-lines.ts';
import { decimal } from '../../../core/decimal.ts';
import { credit } from '../fixtures.ts';
import { ACME, DUE, invoicesInput, NOW, wantedOf } from './issue-fixtures.ts';

/** A section of a customer that is billed to acme, as it waits. */
function sectionOf(customerId: string, seq: string, ...wanted: Parameters<typeof wantedOf>) {
  const customer = { ...ACME, customerId, billedTo: customerId === 'acme' ? null : 'acme' };
  const held = holdSections({ on: 'sections', customer, now: NOW, dueAt: DUE, discounts: [] }, [wantedOf(...wanted)]);
  return held.sections.flatMap((section) => (section ? { ...section, seq } : []));
}

test('a consolidated invoice has the sections of its instant, taxed and paid together', () => {
  const payer = { ...ACME, taxRate: decimal(10) };
  const credits = [credit({ amountRemaining: decimal(4) })];
  const sections = [...sectionOf('branch', '12', '10'), ...sectionOf('acme', '11', '20')];
  const { changes, invoiceId } = decideConsolidated(invoicesInput({ payer, credits }), sections);
  expect(changeSetFromJson(changeSetToJson(changes))).toEqual(changes);
  const [made] = changes.invoices ?? [];
  expect(made).toMatchObject({ periodIndex: null, operationId: null, invoice: { invoiceId, subscriptionId: null } });
  expect([made?.invoice.total, made?.invoice.amountDue].map(String)).toEqual(['33', '29']);
  expect(made?.invoice.sections.map(({ customerId }) => customerId)).toEqual(['acme', 'branch']);
  expect(made?.invoice.lines.map(({ lineId, customerId, amount }) => [lineId, customerId, `${amount}`])).toEqual([
    ['new:2', undefined, '20'],
    ['new:3', 'branch', '10'],
    ['new:4', undefined, '-4'],
  ]);
  expect(changes.sectionsInvoiced).toEqual([{ seqs: ['12', '11'], invoiceId }]);
  expect(changes.creditApplications).toMatchObject([{ creditId: 'credit_1', invoiceId }]);
  expect(changes.audit).toEqual([{ action: 'invoice.created', invoiceId }]);
});

test('sections below zero leave a credit of the payer', () => {
  const { changes, invoiceId } = decideConsolidated(invoicesInput(), sectionOf('branch', '12', '-10'));
  expect(changes.credits).toMatchObject([{ creditId: 'new:2', customerId: 'acme' }]);
  expect(changes.credits?.map(({ amount, description }) => `${amount} ${description}`)).toEqual([
    `10 Overpayment of invoice {invoice:${invoiceId}}`,
  ]);
  expect(changes.events?.map(({ type }) => type)).toEqual(['invoice.created', 'invoice.paid', 'credit.created']);
});

test('a line that takes back of a section of the same instant names the invoice of both', () => {
  const back = { ...emptyLine('proration', 'Not used'), subscriptionId: 'sub_1', amount: decimal(-3) };
  const charged = { kind: 'period', pending: [{ ...back, givenBackOf: standInOf('11') }] } as const;
  const sections = [...sectionOf('acme', '11', '20'), ...sectionOf('branch', '12', '0', { charged })];
  const { changes, invoiceId } = decideConsolidated(invoicesInput(), sections);
  expect(changes.invoices?.[0]?.invoice.lines.map(({ givenBackOf }) => givenBackOf)).toEqual([undefined, invoiceId]);
});
