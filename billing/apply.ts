import type { ChangeSet, NewCredit, NewPendingItems, NewWatermark } from './change-set.ts';
import type { ApplicableCredit } from './credits/credits.ts';
import type { ApplicableDiscount } from './discounts/discounts.ts';
import type { ChargeableAddon } from './invoices/addon-charges.ts';
import type { PendingInvoice } from './invoices/pending-invoice.ts';
import type { PendingItems } from './invoices/pending-items.ts';
import type { InheritedWatermark } from './metering/late-usage.ts';
import { isCountOf } from './metering/line-counts.ts';
import { type BillingRules, limitedKey, type OwnTerms } from './state/billing-rules.ts';
import type { CustomerState } from './state/customer-state.ts';

/**
 * Returns the state of a customer after a change set. It shares what the change set does not change. New credits have their local ids,
 * and new pending items the `seq` {@link NOT_SAVED}.
 *
 * It knows what issuing, charging and billing of boundaries change: credits, discounts, pending items, add-ons, limited amounts, watermarks
 * and fees that are taken. It does not know yet what is derived from the lines of invoices: `rules.limitedLines`, `rules.switchCharges`,
 * `chargedFees`, `invoicesAtHand` and `billedLate`. Sections that wait are no part of the state.
 */
export function apply(state: CustomerState, changes: ChangeSet): CustomerState {
  const { pendingInvoices } = state;
  const invoices = withFeesTaken(pendingInvoices, changes);
  return {
    ...state,
    credits: creditsAfter(state, changes),
    discounts: discountsAfter(state.discounts, changes),
    pending: pendingAfter(state, changes),
    pendingInvoices: invoices,
    rules: rulesAfter(state.rules, changes, invoices),
    watermarks: watermarksAfter(state, changes),
  };
}

/** The `seq` of pending items that are not saved yet. */
export const NOT_SAVED = 'new';

function creditsAfter(
  { credits, customer: { customerId } }: Pick<CustomerState, 'credits' | 'customer'>,
  { credits: made = [], creditApplications = [] }: ChangeSet,
): readonly ApplicableCredit[] {
  if (made.length === 0 && creditApplications.length === 0) return credits;
  const own = made.filter((credit) => credit.customerId === customerId).map(applicable);
  const applied = Map.groupBy(creditApplications, ({ creditId }) => creditId);
  return [...credits, ...own].flatMap((credit) => {
    const taken = applied.get(credit.creditId) ?? [];
    const amountRemaining = taken.reduce((left, { amount }) => left.minus(amount), credit.amountRemaining);
    return amountRemaining.gt(0) ? { ...credit, amountRemaining } : [];
  });
}

function applicable({ customerId: _owner, customerToday: _today, ...credit }: NewCredit): ApplicableCredit {
  return credit;
}

/** A discount ends with its last period. */
function discountsAfter(
  discounts: readonly ApplicableDiscount[],
  { discountsUsed = [] }: ChangeSet,
): readonly ApplicableDiscount[] {
  if (discountsUsed.length === 0) return discounts;
  return discounts.flatMap((discount) => {
    const times = discountsUsed.filter((id) => id === discount.discountId).length;
    if (times === 0 || discount.periodsRemaining === null) return discount;
    const periodsRemaining = discount.periodsRemaining - times;
    return periodsRemaining > 0 ? { ...discount, periodsRemaining } : [];
  });
}

function pendingAfter(
  { pending, customer: { customerId } }: Pick<CustomerState, 'pending' | 'customer'>,
  { pendingTaken = [], pendingDeleted = [], pendingAdded = [] }: ChangeSet,
): PendingItems {
  const gone = new Set([...pendingTaken.flatMap(({ seqs }) => seqs), ...pendingDeleted]);
  const own = pendingAdded.filter(({ owner }) => owner.customerId === customerId);
  if (gone.size === 0 && own.length === 0) return pending;
  const lines = pending.lines.filter((_, i) => !gone.has(pending.seqs[i] ?? ''));
  return {
    seqs: [...pending.seqs.filter((seq) => !gone.has(seq)), ...own.flatMap((one) => one.lines.map(() => NOT_SAVED))],
    lines: [...lines, ...own.flatMap((one) => one.lines)],
    counts: [...countsIn({ ...pending, lines }), ...own.flatMap(countsIn)],
  };
}

/** Returns the counts of lines, one for each of them that has one. */
function countsIn({ lines, counts }: Pick<NewPendingItems, 'lines' | 'counts'>): PendingItems['counts'] {
  return lines.flatMap((line) => counts.find((count) => isCountOf(count, line)) ?? []);
}

function withFeesTaken(
  pendingInvoices: readonly PendingInvoice[],
  { nextFeesTaken = [] }: ChangeSet,
): readonly PendingInvoice[] {
  if (nextFeesTaken.length === 0) return pendingInvoices;
  return pendingInvoices.map((pending) => {
    const { owner, period } = pending;
    const isTaken = nextFeesTaken.some(
      ({ subscriptionId, periodIndex }) => subscriptionId === owner.subscriptionId && periodIndex === period.index,
    );
    return isTaken ? { ...pending, nextFeeTaken: true } : pending;
  });
}

function rulesAfter(
  rules: BillingRules,
  { addonsBilled = [], limitedAmounts = [] }: ChangeSet,
  pendingInvoices: readonly PendingInvoice[],
): BillingRules {
  const amounts = new Map(limitedAmounts.map((one) => [limitedKey(one), one]));
  return {
    ...rules,
    pendingInvoices,
    // A state has those of periods in which something came late.
    limitedAmounts: rules.limitedAmounts.map((kept) => {
      const { charged, endsAt, limits } = amounts.get(limitedKey(kept)) ?? kept;
      return { ...kept, charged, endsAt, limits };
    }),
    terms: addonsBilled.length === 0 ? rules.terms : termsAfter(rules.terms, addonsBilled),
  };
}

/** An add-on that is charged once is no longer attached. Any other keeps the last period that it was charged for. */
function termsAfter(
  terms: BillingRules['terms'],
  addonsBilled: NonNullable<ChangeSet['addonsBilled']>,
): BillingRules['terms'] {
  const billedOf = Map.groupBy(addonsBilled, ({ addonSubscriptionId }) => addonSubscriptionId);
  const after = (addon: ChargeableAddon): ChargeableAddon[] => {
    const billed = billedOf.get(addon.addonSubscriptionId) ?? [];
    if (billed.length === 0) return [addon];
    if (addon.kind === 'one_time') return [];
    const billedTo = Math.max(addon.billedTo ?? 0, ...billed.map(({ periodIndex }) => periodIndex));
    return [{ ...addon, billedTo }];
  };
  const ofEach = Object.entries(terms).map(([id, own]): [string, OwnTerms] => {
    return [id, { ...own, addons: own.addons.flatMap(after) }];
  });
  return Object.fromEntries(ofEach);
}

function watermarksAfter(
  state: Pick<CustomerState, 'watermarks' | 'customer'>,
  { watermarks: made = [] }: ChangeSet,
): readonly InheritedWatermark[] {
  const own = made.filter(({ customerId }) => customerId === state.customer.customerId);
  if (own.length === 0) return state.watermarks;
  const byId = new Map(state.watermarks.map((one) => [one.subscriptionId, one]));
  for (const one of own) byId.set(one.subscriptionId, spanning(byId.get(one.subscriptionId), one));
  return [...byId.values()].toSorted((a, b) => (a.subscriptionId < b.subscriptionId ? -1 : 1));
}

/** A watermark that spans a billed period as well. A first one is of a subscription that goes on. */
function spanning(before: InheritedWatermark | undefined, made: NewWatermark): InheritedWatermark {
  const { subscriptionId, countedTo, startsAt, endsAt } = made;
  if (!before) return { subscriptionId, countedTo, startsAt, endsAt, heirIds: [subscriptionId], hasEnded: false };
  const isFurther = countedTo > before.countedTo;
  return {
    ...before,
    countedTo: isFurther ? before.countedTo : countedTo,
    startsAt: Math.min(before.startsAt, startsAt),
    endsAt: Math.max(before.endsAt, endsAt),
  };
}
