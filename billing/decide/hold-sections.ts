import { localDateAt } from '../../core/instants.ts';
import { payerIdOf } from '../accounts/payers.ts';
import type { ChangeSet, NewSection, PlannedStep } from '../change-set.ts';
import { countsPeriods, discountsAfter } from '../discounts/discounts.ts';
import { isNothingDue } from '../invoices/compute-invoice.ts';
import { sectionOf } from '../invoices/consolidated-invoice.ts';
import { type InvoiceToIssue, type IssueInput, partOf } from './issue-input.ts';

/**
 * Decides sections in the place of invoices, and what they change; null where `onlyIfDue` is asked and nothing is due. They wait for the invoice of
 * their instant, which is made once nothing else of the payer and of those billed to it is due then (spec/invoices#sections): by a
 * step of their test clock that comes after all that makes sections, or by the sweep.
 */
export function holdSections(
  { customer, discounts: before, now, dueAt }: Extract<IssueInput, { on: 'sections' }>,
  wanted: readonly InvoiceToIssue[],
): { sections: (NewSection | null)[]; changes: ChangeSet } {
  const { customerId, currency, timeZone, testClockId } = customer;
  const on = { currency, today: localDateAt(now, timeZone) };
  let discounts = [...before];
  const discountsUsed: string[] = [];
  const sections = wanted.map((of): NewSection | null => {
    const { subscriptionId, period, counts = [] } = of;
    const { discountsUsed: used, ...section } = sectionOf({ customerId, subscriptionId }, partOf(of), {
      ...on,
      discounts,
    });
    if (of.onlyIfDue && isNothingDue(section.lines)) return null;
    discounts = discountsAfter(discounts, { ...section, used });
    if (countsPeriods(section.kind)) discountsUsed.push(...used);
    return { ...section, counts, periodIndex: period.index, dueAt };
  });
  const held = sections.flatMap((section) => section ?? []);
  const step: PlannedStep = { kind: 'issue_sections', payerId: payerIdOf(customer), dueAt, testClockId };
  const pendingDeleted = wanted.flatMap(({ taken }, i) => (sections[i] ? (taken?.seqs ?? []) : []));
  return {
    sections,
    changes: { sections: held, steps: held.length > 0 ? [step] : [], discountsUsed, pendingDeleted },
  };
}
