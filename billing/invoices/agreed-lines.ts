import { agreedOn } from '../subscriptions/overrides.ts';
import type { Plan, PlanVersion } from '../subscriptions/subscription.ts';
import type { NewInvoiceLine } from './invoice.ts';

/** Lines of agreed plan versions, which are numbered below 0. */
export function agreedVersions(lines: readonly NewInvoiceLine[]): PlanVersion[] {
  return lines.flatMap(({ planId, version }) => {
    return planId !== null && version !== null && version < 0 ? [{ planId, version }] : [];
  });
}

/** The invoice whose lines say what was agreed on for them (spec/plans#agreed-versions). */
export function nameAgreed<T extends { lines: NewInvoiceLine[] }>(
  invoice: T,
  planOf: (version: PlanVersion) => Plan,
): T {
  if (agreedVersions(invoice.lines).length === 0) return invoice;
  const lines = invoice.lines.map((line) => {
    const [agreed] = agreedVersions([line]);
    return agreed ? { ...line, ...agreedOn(line, planOf(agreed)) } : line;
  });
  return { ...invoice, lines };
}
