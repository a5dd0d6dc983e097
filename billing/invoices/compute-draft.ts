import { type Decimal, sum, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { CreditApplication } from '../credits/credits.ts';
import type { ComputedInvoice, InvoicesInput } from './compute-invoice.ts';
import { inLineOrder, type LineType } from './invoice.ts';

/** The whole draft: the sum of its invoices (tax too, so that it never differs from them by a rounding). */
export function sumOfInvoices<Line extends { type: LineType }>(
  parts: readonly ComputedInvoice<Line>[],
  { currency, taxRate }: Pick<InvoicesInput, 'currency' | 'taxRate'>,
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
    periodStart: edgeOf(parts, 'periodStart', Math.min),
    periodEnd: edgeOf(parts, 'periodEnd', Math.max),
    lines: inLineOrder(lines),
    subtotal: total((part) => part.subtotal),
    taxRate,
    taxAmount: total((part) => part.taxAmount),
    total: total((part) => part.total),
    creditsApplied: total((part) => part.creditsApplied),
    applications: mergeApplications(parts.flatMap((part) => part.applications)),
    amountDue,
    overpayment: total((part) => part.overpayment),
    discountsUsed: [...new Set(parts.flatMap((part) => part.discountsUsed))],
    held: parts.flatMap((part) => part.held),
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

/** Where periods begin first, or end last; null where none is known. */
export function edgeOf(
  parts: readonly Pick<ComputedInvoice, 'periodStart' | 'periodEnd'>[],
  key: 'periodStart' | 'periodEnd',
  pick: (...values: number[]) => number,
): Instant | null {
  const values = parts.flatMap((part) => part[key] ?? []);
  return values.length === 0 ? null : pick(...values);
}
