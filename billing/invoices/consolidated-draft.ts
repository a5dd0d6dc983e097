import type { Instant, LocalDate } from '../../core/instants.ts';
import type { ApplicableCredit } from '../credits/credits.ts';
import { creditsAfter } from '../credits/credits.ts';
import { type PlannedCredit, plannedInTurn } from '../credits/planned-credits.ts';
import { discountsAfter } from '../discounts/discounts.ts';
import { type BillingRules, planOf } from '../state/billing-rules.ts';
import type { CustomerState } from '../state/customer-state.ts';
import { NO_DATE } from '../subscriptions/upcoming.ts';
import { nameAgreed } from './agreed-lines.ts';
import { type ComputedInvoice, computeInvoices, newestCredit, settleInvoice } from './compute-invoice.ts';
import {
  type ComputedSection,
  type ConsolidatedInvoice,
  type ConsolidatedPayer,
  computeConsolidated,
  sectionOf,
} from './consolidated-invoice.ts';
import type { DraftCondition, DraftPart } from './draft-parts.ts';
import type { NewInvoiceLine } from './invoice.ts';

/** A part of the draft of a payer, or of one billed to it, with the plans that it was made by. */
export type PartOfPayer = { customerId: string; part: DraftPart; rules: Pick<BillingRules, 'plans'> } & Pick<
  CustomerState,
  'discounts'
>;

/** A section that waits for the invoice of its instant, which is made once all that is due then is there; `standIn` stands for the id of that. */
export type DueSection = ComputedSection & Pick<DraftPart, 'dueAt' | 'standIn'>;

/** Each as the part of the payer's invoice that it will be: by the payer's tax, and without credits. */
export function sectionsApart(sections: readonly DueSection[], payer: Omit<ConsolidatedPayer, 'credits'>) {
  return sections.map(({ lines, subscriptionId, ...section }) => {
    const { currency, taxRate, today } = payer;
    const settled = settleInvoice(lines, { ...section, currency, taxRate, today, credits: [] });
    return { ...settled, subscriptionId, issuedOn: today };
  });
}

/** An invoice that is made on a condition, of one subscription. */
export type ConditionalDraft = ComputedInvoice & { condition: DraftCondition } & Pick<
    DraftPart,
    'subscriptionId' | 'issuedOn'
  >;

/**
 * The invoices of parts that have a condition, each subscription's by the payer's credits of now: they use up nothing of one another, nor
 * of invoices without a condition (spec/invoices#draft).
 */
export function* conditionalDrafts(
  parts: readonly PartOfPayer[],
  { customerId: payerId, ...payer }: ConsolidatedPayer,
): Generator<ConditionalDraft> {
  const conditional = parts.filter(({ part }) => part.condition !== null);
  for (const own of Map.groupBy(conditional, ({ part }) => part.subscriptionId).values()) {
    const [first] = own;
    const computed = computeInvoices({
      ...payer,
      discounts: first?.discounts ?? [],
      parts: own.map(({ part }) => part),
    });
    let i = 0;
    for (const { leaves: _leaves, ...invoice } of computed) {
      const of = own[i++];
      if (!of) throw new Error('more invoices than parts');
      const { customerId, part, rules } = of;
      const { condition, subscriptionId, issuedOn } = part;
      const named = customerId === payerId ? invoice.lines : invoice.lines.map((line) => lineOf(line, customerId));
      const draft = { ...invoice, lines: named, condition, subscriptionId, issuedOn };
      yield nameAgreed(draft, (version) => planOf(rules, version));
    }
  }
}

/** A line of a payer's invoice, which names whose it is. */
function lineOf(line: NewInvoiceLine, customerId: string): NewInvoiceLine {
  return line.type === 'credit' ? line : { ...line, customerId };
}

/**
 * The consolidated invoices that are to come (spec/invoices#sections): one for each instant at which something will be due, or waits for
 * what is due with it, by the payer's credits one after another. Each is computed as it is taken. Parts with a condition are on none. `creditsLeft`: what is
 * credited to the payer without an invoice.
 */
export function* consolidatedDrafts(
  all: readonly PartOfPayer[],
  payer: ConsolidatedPayer,
  waiting: readonly DueSection[] = [],
  creditsLeft: readonly PlannedCredit[] = [],
): Generator<ConsolidatedInvoice & { issuedOn: LocalDate | null }> {
  const parts = all.filter(({ part }) => part.condition === null);
  let credits: ApplicableCredit[] = [...payer.credits];
  const planned = plannedInTurn([...parts.flatMap(({ part }) => part.prorationCredits), ...creditsLeft]);
  const discountsOf = new Map(parts.map(({ customerId, discounts }) => [customerId, discounts]));
  for (const { dueAt, group, there } of invoicesOf(parts, waiting)) {
    const issuedOn = group[0]?.part.issuedOn ?? payer.today;
    // It is made when all else of its instant is done.
    credits.push(...planned.come(({ createdAt }) => createdAt <= dueAt));
    const sections = group.map(({ customerId, part, rules }) => {
      const discounts = discountsOf.get(customerId) ?? [];
      const on = { currency: payer.currency, today: issuedOn, discounts };
      const section = sectionOf({ customerId, subscriptionId: part.subscriptionId }, part, on);
      discountsOf.set(customerId, discountsAfter(discounts, { ...part, used: section.discountsUsed }));
      return nameAgreed(section, (version) => planOf(rules, version));
    });
    const computed = computeConsolidated([...there, ...sections], { ...payer, credits, today: issuedOn });
    credits = creditsAfter(credits, computed.applications);
    if (computed.overpayment.gt(0)) credits.push(newestCredit(computed, credits));
    const standIns = [...there, ...group.map(({ part }) => part)].map(({ standIn }) => standIn);
    planned.invoiced(standIns, computed.amountDue);
    yield { ...computed, issuedOn: dueAt === NO_DATE ? null : issuedOn };
  }
}

/** What a consolidated invoice is made of: what is due at an instant, and what waits there for it. */
type DueTogether = { dueAt: Instant; group: PartOfPayer[]; there: DueSection[] };

/** Returns what is due together, in order of issue. Each part without a date is due by itself. */
function invoicesOf(parts: readonly PartOfPayer[], waiting: readonly DueSection[]): DueTogether[] {
  const instants = new Set([...waiting, ...parts.map(({ part }) => part)].map(({ dueAt }) => dueAt));
  const [partsAt, waitingAt] = [
    Map.groupBy(parts, ({ part }) => part.dueAt),
    Map.groupBy(waiting, ({ dueAt }) => dueAt),
  ];
  return [...instants]
    .toSorted((a, b) => a - b)
    .flatMap((dueAt): DueTogether[] => {
      const group = partsAt.get(dueAt) ?? [];
      if (dueAt === NO_DATE) return group.map((one) => ({ dueAt, group: [one], there: [] }));
      return [{ dueAt, group, there: waitingAt.get(dueAt) ?? [] }];
    });
}
