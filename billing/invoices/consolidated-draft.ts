import type { ApplicableCredit } from '../credits/credits.ts';
import { creditsAfter } from '../credits/credits.ts';
import { discountsAfter } from '../discounts/discounts.ts';
import type { BillingRules } from '../snapshot/billing-rules.ts';
import type { CustomerSnapshot } from '../snapshot/customer-snapshot.ts';
import { nameAgreed } from './agreed-lines.ts';
import { newestCredit } from './compute-invoice.ts';
import {
  type ConsolidatedInvoice,
  type ConsolidatedPayer,
  computeConsolidated,
  sectionOf,
} from './consolidated-invoice.ts';
import type { DraftPart } from './draft-parts.ts';

/** A part of the draft of a payer, or of one billed to it, with the rules that it was made by. */
export type PartOfPayer = { customerId: string; part: DraftPart } & Pick<BillingRules, 'planOf'> &
  Pick<CustomerSnapshot, 'discounts'>;

/**
 * The consolidated invoices that are to come (spec/invoices#sections): one for each instant at which something will be due, by the
 * payer's credits one after another. Each is computed as it is taken.
 */
export function* consolidatedDrafts(
  parts: readonly PartOfPayer[],
  payer: ConsolidatedPayer,
): Generator<ConsolidatedInvoice & Pick<DraftPart, 'issuedOn'>> {
  const byInstant = Map.groupBy(
    parts.toSorted((a, b) => a.part.dueAt - b.part.dueAt),
    ({ part }) => part.dueAt,
  );
  let credits: ApplicableCredit[] = [...payer.credits];
  const discountsOf = new Map(parts.map(({ customerId, discounts }) => [customerId, discounts]));
  for (const group of byInstant.values()) {
    const issuedOn = group[0]?.part.issuedOn ?? payer.today;
    credits.push(...group.flatMap(({ part }) => part.prorationCredits ?? []));
    const sections = group.map(({ customerId, part, planOf }) => {
      const discounts = discountsOf.get(customerId) ?? [];
      const on = { currency: payer.currency, today: issuedOn, discounts };
      const section = sectionOf({ customerId, subscriptionId: part.subscriptionId }, part, on);
      discountsOf.set(customerId, discountsAfter(discounts, { ...part, used: section.discountsUsed }));
      return nameAgreed(section, planOf);
    });
    const computed = computeConsolidated(sections, { ...payer, credits, today: issuedOn });
    credits = creditsAfter(credits, computed.applications);
    if (computed.overpayment.gt(0)) credits.push(newestCredit(computed, credits));
    yield { ...computed, issuedOn };
  }
}
