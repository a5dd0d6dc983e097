import { type Decimal, ZERO } from '../../core/decimal.ts';
import type { LocalDate } from '../../core/instants.ts';
import type { ApplicableCredit } from '../credits/credits.ts';
import type { ApplicableDiscount } from '../discounts/discounts.ts';
import { edgeOf } from './compute-draft.ts';
import { type ComputedInvoice, computeInvoice, type InvoicePart, settleInvoice } from './compute-invoice.ts';
import type { InvoiceSection, NewInvoiceLine } from './invoice.ts';

/** A section with its lines, rounded and in order, before it is on an invoice. */
export type ComputedSection = InvoiceSection & Pick<ComputedInvoice, 'lines' | 'held'>;

/** What is billed of a subscription as a section of an invoice, less its discounts: without tax and credits, which are the payer's (spec/invoices#sections). */
export function sectionOf(
  owner: { customerId: string; subscriptionId: string },
  part: InvoicePart,
  on: { currency: string; today: LocalDate; discounts: readonly ApplicableDiscount[] },
): ComputedSection & Pick<ComputedInvoice, 'discountsUsed'> {
  const computed = computeInvoice({ ...part, ...on, taxRate: ZERO, credits: [] });
  const { kind, periodStart, periodEnd, subtotal, lines, held, discountsUsed } = computed;
  return { ...owner, kind, periodStart, periodEnd, subtotal, lines, held, discountsUsed };
}

const STAND_IN = 'section/';

/** Stands for the id of the invoice that a section waits for, in what other sections of its instant give back of it. */
export function standInOf(seq: string): string {
  return `${STAND_IN}${seq}`;
}

/** Whether an id is a {@link standInOf}. */
export function isStandIn(invoiceId: string): boolean {
  return invoiceId.startsWith(STAND_IN);
}

/** Lines that give back of a section of their own invoice name that. */
export function withInvoiceNamed<T extends Pick<NewInvoiceLine, 'givenBackOf'>>(
  lines: readonly T[],
  invoiceId: string,
): T[] {
  return lines.map((line) =>
    line.givenBackOf && isStandIn(line.givenBackOf) ? { ...line, givenBackOf: invoiceId } : line,
  );
}

/** Who is billed for sections: by its tax and credits, on its date of issue. */
export type ConsolidatedPayer = {
  customerId: string;
  currency: string;
  taxRate: Decimal;
  credits: readonly ApplicableCredit[];
  today: LocalDate;
};

/** An invoice of several subscriptions, of the payer and of those billed to it. */
export type ConsolidatedInvoice = ComputedInvoice & { sections: InvoiceSection[] };

/**
 * The one invoice of what falls due at an instant (spec/invoices#sections): the payer's sections first, then by customer and
 * subscription; the lines section by section, each in its own order; then tax, rounded once for all, and credits.
 */
export function computeConsolidated(
  all: readonly ComputedSection[],
  { customerId: payerId, ...payer }: ConsolidatedPayer,
): ConsolidatedInvoice {
  const sections = all.toSorted((a, b) => compareSections(a, b, payerId));
  const lines = sections.flatMap(({ customerId, lines: own }) =>
    customerId === payerId ? own : own.map((line) => ({ ...line, customerId })),
  );
  const kinds = new Set(sections.map(({ kind }) => kind));
  const invoice = settleInvoice(lines, {
    ...payer,
    kind: kinds.size === 1 ? (sections[0]?.kind ?? 'period') : 'period',
    periodStart: edgeOf(sections, 'periodStart', Math.min),
    periodEnd: edgeOf(sections, 'periodEnd', Math.max),
    held: sections.flatMap(({ held }) => held),
  });
  return {
    ...invoice,
    sections: sections.map(({ customerId, subscriptionId, kind, periodStart, periodEnd, subtotal }) => {
      return { customerId, subscriptionId, kind, periodStart, periodEnd, subtotal };
    }),
  };
}

function compareSections(a: InvoiceSection, b: InvoiceSection, payerId: string): number {
  if (a.customerId !== b.customerId) {
    if (a.customerId === payerId || b.customerId === payerId) return a.customerId === payerId ? -1 : 1;
    return a.customerId < b.customerId ? -1 : 1;
  }
  if (a.subscriptionId !== b.subscriptionId) return a.subscriptionId < b.subscriptionId ? -1 : 1;
  return (a.periodStart ?? 0) - (b.periodStart ?? 0);
}
