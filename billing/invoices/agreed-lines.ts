import { agreedOn } from '../subscriptions/overrides.ts';
import type { Plan, PlanVersion } from '../subscriptions/subscription.ts';
import type { NewInvoiceLine } from './invoice.ts';

/** Returns the agreed plan versions, which are numbered below 0, of lines or of the charges that lines are made of. */
export function agreedVersions(lines: readonly Pick<NewInvoiceLine, 'planId' | 'version'>[]): PlanVersion[] {
  return lines.flatMap(({ planId, version }) => {
    return planId !== null && version !== null && version < 0 ? [{ planId, version }] : [];
  });
}

/** Returns the look-up of plans by version. It throws for a version that is not among them. */
export function plansByVersion(plans: readonly Plan[]): (version: PlanVersion) => Plan {
  const byVersion = new Map(plans.map((plan) => [`${plan.planId} ${plan.version}`, plan]));
  return ({ planId, version }) => {
    const plan = byVersion.get(`${planId} ${version}`);
    if (!plan) throw new Error(`plan ${planId} has lost version ${version}`);
    return plan;
  };
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
