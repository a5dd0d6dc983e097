import { payerIdOf } from '../../billing/accounts/payers.ts';
import type { ComputedSection } from '../../billing/invoices/consolidated-invoice.ts';
import type { ChargeCount } from '../../billing/metering/line-counts.ts';
import { SECTIONS_RANK } from '../../billing/periods/schedule.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import { planSteps } from '../../sql/postgres/due-steps.ts';
import { insertSections } from '../../sql/postgres/invoices/invoice-sections.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';

/** A section of an instant, with what its usage was counted from, and the period of its subscription that it is of. */
export type HeldSection = ComputedSection & { counts: readonly ChargeCount[]; periodIndex: number };

/**
 * Has sections of a customer wait for the invoice of their instant, which is made once nothing else of the payer and of those billed
 * to it is due then (spec/invoices#sections): by a step of its test clock, which comes after all that makes sections, or the sweep.
 */
export async function holdSections(
  tx: Transaction,
  accountId: string,
  customer: Pick<Customer, 'customerId' | 'billedTo' | 'testClockId'>,
  sections: readonly HeldSection[],
  dueAt: Instant,
): Promise<void> {
  if (sections.length === 0) return;
  await insertSections(
    tx,
    accountId,
    sections.map((section) => ({ ...section, dueAt })),
  );
  const step = { subject: sectionsSubject(payerIdOf(customer), dueAt), kind: 'issue_sections', dueAt } as const;
  await planSteps(tx, { accountId, testClockId: customer.testClockId }, [{ ...step, rank: SECTIONS_RANK }]);
}

/** The step of a test clock that issues what a payer's sections of an instant wait for. */
export function sectionsSubject(payerId: string, dueAt: Instant): string {
  return `sections/${dueAt}/${payerId}`;
}
