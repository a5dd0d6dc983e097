import { localDateAt } from '../../core/instants.ts';
import { type ChangeSet, localIds, type NewSection } from '../change-set.ts';
import { plansByVersion } from '../invoices/agreed-lines.ts';
import { computeConsolidated, withInvoiceNamed } from '../invoices/consolidated-invoice.ts';
import { invoiceChanges } from './invoice-changes.ts';
import type { PayerInput } from './issue-input.ts';
import { makeInvoice } from './make-invoice.ts';

/** A section that waits for its invoice: of which row it is. */
export type WaitingSection = Omit<NewSection, 'periodIndex' | 'dueAt'> & { seq: string };

/** Decides the one invoice of a payer for sections of an instant (spec/invoices#sections), and what it changes. */
export function decideConsolidated(
  input: PayerInput,
  sections: readonly WaitingSection[],
): { changes: ChangeSet; invoiceId: string } {
  const { payer, credits, now } = input;
  const today = localDateAt(now, payer.timeZone);
  const { sections: shown, ...computed } = computeConsolidated(sections, { ...payer, credits, today });
  const nextId = localIds();
  const planOf = plansByVersion(input.agreedPlans);
  const about = {
    ...{ subscriptionId: null, sections: shown, periodIndex: null, operationId: null },
    counts: sections.flatMap(({ counts }) => counts),
  };
  const made = { ...makeInvoice({ ...input, nextId, planOf }, computed, about), taken: [] };
  const { invoiceId } = made.invoice;
  const { lines } = made.invoice;
  const invoice = { ...made.invoice, lines: withInvoiceNamed(lines, invoiceId) };
  const seqs = sections.map(({ seq }) => seq);
  const changes = invoiceChanges(input, [{ ...made, invoice }]);
  return { changes: { ...changes, sectionsInvoiced: [{ seqs, invoiceId }] }, invoiceId };
}
