import { localDateAt } from '../../core/instants.ts';
import { type ChangeSet, localIds } from '../change-set.ts';
import type { ApplicableCredit } from '../credits/credits.ts';
import { plansByVersion } from '../invoices/agreed-lines.ts';
import { type ComputedInvoice, computeInvoices, isNothingDue, withMadeCredits } from '../invoices/compute-invoice.ts';
import { holdSections } from './hold-sections.ts';
import { invoiceChanges } from './invoice-changes.ts';
import { type InvoiceToIssue, type IssueInput, type PayerInput, partOf } from './issue-input.ts';
import { type MadeInvoice, makeInvoice } from './make-invoice.ts';

/** What was made: an invoice, or (null) a section of one that is issued once all of its instant is there. */
export type Issued = { invoiceId: string | null };

/** What issuing changes, and what became of each invoice that was wanted; null where `onlyIfDue` was asked and nothing is due. */
export type IssueDecision = { changes: ChangeSet; issued: (Issued | null)[] };

/**
 * Decides the invoices of a customer, one after another by the payer's tax, credits and date of now (spec/invoices#record): with their
 * lines, the credits they use, the ledger and their events. Charges of a payer with others, or of one of these, that time makes due are sections of
 * their invoice (spec/invoices#sections).
 */
export function decideInvoices(input: IssueInput, wanted: readonly InvoiceToIssue[]): IssueDecision {
  if (input.on === 'invoices') return makeInvoices(input, wanted);
  const { sections, changes } = holdSections(input, wanted);
  return { changes, issued: sections.map((section) => section && { invoiceId: null }) };
}

function makeInvoices(
  input: Extract<IssueInput, { on: 'invoices' }>,
  wanted: readonly InvoiceToIssue[],
): IssueDecision {
  const { payer, customer, credits, discounts, now } = input;
  const { currency, taxRate, timeZone } = payer;
  const today = localDateAt(now, timeZone);
  const computed = [...computeInvoices({ currency, taxRate, today, credits, discounts, parts: wanted.map(partOf) })];
  const terms = { ...input, nextId: localIds(), planOf: plansByVersion(input.agreedPlans) };
  // Credits that invoices before have left, by the id that stood for them.
  const left = new Map<string, ApplicableCredit>();
  const made = wanted.map((of, i): MadeInvoice | null => {
    const one = computed[i];
    if (!one || (of.onlyIfDue && isNothingDue(one.lines))) return null;
    const { subscriptionId, period, operationId = null, taken, counts = [] } = of;
    const about = { subscriptionId, sections: [], periodIndex: period.index, operationId, counts };
    const invoice = makeInvoice(terms, withOwner(withMadeCredits(one, left), customer, payer), about);
    if (invoice.credit && one.leaves) left.set(one.leaves.creditId, invoice.credit);
    return { ...invoice, taken: taken?.seqs ?? [] };
  });
  const changes = invoiceChanges(
    input,
    made.flatMap((one) => one ?? []),
  );
  return { changes, issued: made.map((one) => one && { invoiceId: one.invoice.invoiceId }) };
}

/** An invoice to a payer names whose lines it has. */
function withOwner(
  invoice: ComputedInvoice,
  { customerId }: { customerId: string },
  payer: PayerInput['payer'],
): ComputedInvoice {
  if (customerId === payer.customerId) return invoice;
  return { ...invoice, lines: invoice.lines.map((line) => (line.type === 'credit' ? line : { ...line, customerId })) };
}
