import { type Decimal, sum, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import { computeInvoice, type InvoicePart } from '../invoices/compute-invoice.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import type { PendingItems } from '../invoices/pending-items.ts';
import type { PeriodKey } from '../periods/periods.ts';
import { holdersOf, plansInForce } from '../periods/segments.ts';
import { switchedOf } from '../state/billing-rules.ts';
import { type CustomerState, type Foreseen, paidAheadOf } from '../state/customer-state.ts';
import type { PlannedDowngrade } from '../subscriptions/draft-switch.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import { withCreditedBefore } from './credited-waiting.ts';
import { feesToCome } from './fees-to-come.ts';

/** Lines that are billed, and will be on the invoice for whose id `standIn` stands. */
export type Drafted = { standIn: string; lines: readonly NewInvoiceLine[] };

/** What has been charged ahead and what waits, as the parts of a draft come to be invoiced one after another. */
export type AheadInTurn = {
  /** The state, in which what a planned end or switch finds of both is as it will be by then. */
  state: Foreseen;
  /** Tells which downgrades are planned. */
  plan(downgrades: readonly PlannedDowngrade[]): void;
  /** Planned downgrades before an instant have credited. */
  downgraded(before: Instant): void;
  /** What they have credited of the fee that a pending invoice is to charge in advance, without tax. */
  creditedOf(pending: PeriodKey): Decimal;
  /** A part is drafted; `isTaking`: with what waited. */
  take(part: InvoicePart & { standIn: string; issuedOn: string }, isTaking: boolean): void;
};

/** `sections` wait for their invoices. */
export function aheadInTurn(now: CustomerState, sections: readonly Drafted[]): AheadInTurn {
  let { pending } = now;
  const drafted = [...sections];
  const { currency } = now.customer;
  const { taxRate } = now.payer;
  const owners = new Map(
    [...now.pendingInvoices.map(({ owner }) => owner), ...now.subscriptions].map((one) => [one.subscriptionId, one]),
  );
  const feesOf = (subscription: Subscription) => {
    const { subscriptionId, currentPeriod: period } = subscription;
    const plans = plansInForce(subscription, period, switchedOf(now.rules, subscriptionId, period));
    const paid = { holders: holdersOf(plans), period: period.billing };
    return drafted.flatMap(({ standIn, lines }) => feesToCome(lines, { invoiceId: standIn, taxRate, currency }, paid));
  };
  const ahead = paidAheadOf(now);
  const state: Foreseen = {
    ...now,
    get pending() {
      return pending;
    },
    chargedFeesOf: (id) => {
      const subscription = owners.get(id);
      return [...ahead.chargedFeesOf(id), ...(subscription ? feesOf(subscription) : [])];
    },
    invoiceAtHand: (id) => (drafted.some(({ standIn }) => standIn === id) ? null : ahead.invoiceAtHand(id)),
  };
  let toCome: readonly PlannedDowngrade[] = [];
  const ofFees = new Map<string, Decimal>();
  const isAsked = now.subscriptions.some(endsOrSwitches);
  return {
    state,
    plan: (downgrades) => {
      toCome = downgrades.toSorted((a, b) => a.at - b.at);
    },
    downgraded: (before) => {
      const made = toCome.filter(({ at }) => at < before);
      toCome = toCome.filter((one) => !made.includes(one));
      for (const { credited, pendingOpening } of made) {
        const { parts, ofLines } = credited();
        pending = { ...pending, lines: pending.lines.map((line) => withCreditedBefore(line, ofLines)) };
        if (pendingOpening) ofFees.set(keyOf(pendingOpening), sum(parts.map(({ ofFee = ZERO }) => ofFee)));
      }
    },
    creditedOf: (of) => ofFees.get(keyOf(of)) ?? ZERO,
    take: (part, isTaking) => {
      if (isTaking) pending = NOTHING_WAITS;
      if (!isAsked) return;
      const on = { currency, taxRate, today: part.issuedOn, discounts: now.discounts, credits: [] };
      drafted.push({ standIn: part.standIn, lines: computeInvoice({ ...part, ...on }).lines });
    },
  };
}

const NOTHING_WAITS: PendingItems = { seqs: [], lines: [], counts: [] };

/** Whether an end or a switch is planned for it that may credit what was charged in advance. */
function endsOrSwitches({ chargeTiming, plannedCancel, plannedSwitch }: Subscription): boolean {
  return chargeTiming === 'in_advance' && (plannedCancel !== null || plannedSwitch !== null);
}

function keyOf({ subscriptionId, periodIndex }: PeriodKey): string {
  return `${subscriptionId} ${periodIndex}`;
}
