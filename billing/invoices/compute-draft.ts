import { type Decimal, sum, ZERO } from '../../core/decimal.ts';
import type { Instant, LocalDate } from '../../core/instants.ts';
import { type ApplicableCredit, type CreditApplication, creditsAfter } from '../credits/credits.ts';
import { type ComputedInvoice, computeInvoice, type InvoiceInput } from './compute-invoice.ts';
import { inLineOrder, type LineType } from './invoice.ts';

/** `parts`: what each live subscription would be invoiced, in order of close, then of subscription id (spec/credits#application). */
export type DraftInput = {
  currency: string;
  taxRate: Decimal;
  today: LocalDate;
  credits: readonly ApplicableCredit[];
  parts: readonly DraftPartInput[];
};

/** `issuedOn`: the date that the invoice will have, by default today. `prorationCredits`: credits that its boundary makes before it (spec/credits#application). */
type DraftPartInput = Omit<InvoiceInput, 'currency' | 'taxRate' | 'today' | 'credits'> & {
  issuedOn?: LocalDate;
  prorationCredits?: readonly ApplicableCredit[];
};

/**
 * The invoices of a customer's draft (spec/invoices#draft), each made as it is taken: computed as the final one will be, on its date, credits used up
 * by one part missing for the next.
 */
export function* draftInvoices(input: DraftInput): Generator<ComputedInvoice> {
  const { currency, taxRate } = input;
  let credits = [...input.credits];
  for (const part of input.parts) {
    credits.push(...(part.prorationCredits ?? []));
    const computed = computeInvoice({ ...part, currency, taxRate, today: part.issuedOn ?? input.today, credits });
    credits = creditsAfter(credits, computed.applications);
    yield computed;
  }
}

/** The whole draft: the sum of its invoices (tax too, so that it never differs from them by a rounding). */
export function sumOfInvoices<Line extends { type: LineType }>(
  parts: readonly ComputedInvoice<Line>[],
  { currency, taxRate }: Pick<DraftInput, 'currency' | 'taxRate'>,
): ComputedInvoice<Line> {
  const total = (pick: (part: ComputedInvoice<Line>) => Decimal) => sum(parts.map(pick));
  const lines = parts.flatMap((part) => part.lines);
  const amountDue = total((part) => part.amountDue);
  // Of one kind where all parts are, such as the closing invoice of the only subscription.
  const kinds = new Set(parts.map(({ kind }) => kind));
  return {
    kind: kinds.size === 1 ? ([...kinds][0] ?? 'period') : 'period',
    status: amountDue.gt(0) ? 'open' : 'paid',
    currency,
    periodStart: edge(parts, 'periodStart', Math.min),
    periodEnd: edge(parts, 'periodEnd', Math.max),
    lines: inLineOrder(lines),
    subtotal: total((part) => part.subtotal),
    taxRate,
    taxAmount: total((part) => part.taxAmount),
    total: total((part) => part.total),
    creditsApplied: total((part) => part.creditsApplied),
    applications: mergeApplications(parts.flatMap((part) => part.applications)),
    amountDue,
    overpayment: total((part) => part.overpayment),
  };
}

function mergeApplications(applications: CreditApplication[]): CreditApplication[] {
  const byId = new Map<string, CreditApplication>();
  for (const { credit, amount } of applications) {
    const { creditId } = credit;
    byId.set(creditId, { credit, amount: amount.plus(byId.get(creditId)?.amount ?? ZERO) });
  }
  return [...byId.values()];
}

function edge(
  parts: readonly Pick<ComputedInvoice, 'periodStart' | 'periodEnd'>[],
  key: 'periodStart' | 'periodEnd',
  pick: (...values: number[]) => number,
): Instant | null {
  const values = parts.flatMap((part) => part[key] ?? []);
  return values.length === 0 ? null : pick(...values);
}
