import { heldIn } from '../invoices/boundary-charges.ts';
import type { PendingInvoice } from '../invoices/pending-invoice.ts';
import { unpaused } from '../periods/pauses.ts';
import type { HeldUsage } from '../pricing/held-usage.ts';
import { rowsKnown } from '../pricing/price-book.ts';
import { type BillingRules, componentOf, metricOf, pausesOf } from '../state/billing-rules.ts';
import { changed, type NeedsUsage, needsNothing, together } from '../state/usage-question.ts';
import { closingBoundaries, pendingBoundary, plannedEnding } from '../subscriptions/closing-boundaries.ts';
import { isLive } from '../subscriptions/states.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import type { BilledUsage } from './billed-usage.ts';
import { heldOf } from './book-charges.ts';
import { bookQuestionOf, inLineOrderOfBook } from './book-usage.ts';

/** A subscription with those of its periods that are over and whose invoices are pending. */
export type Holder = { subscription: Subscription; pending: readonly PendingInvoice[] };

/**
 * What a subscription holds for want of a price in periods that are not billed yet, oldest first: those whose invoices are pending, those
 * that wait for a resume, and the current one (spec/price-books#unmatched).
 */
export function heldUnbilled({ subscription, pending }: Holder, rules: BillingRules): NeedsUsage<HeldUsage[]> {
  const over = pending.map((one) => changed(pendingBoundary(one, rules), heldIn));
  return changed(together([...over, heldOfLife(subscription, rules)]), (held) => held.flat());
}

/** Of what lives: usage that a planned cancel will not bill is not held. */
function heldOfLife(subscription: Subscription, rules: BillingRules): NeedsUsage<HeldUsage[]> {
  const { status, subscriptionId, currentPeriod } = subscription;
  if (!isLive(status) || status === 'pending') return needsNothing([]);
  const ending = plannedEnding(subscription);
  const closure = { pauses: pausesOf(rules, subscriptionId), ending, closes: ending?.billUsage !== false };
  const closed = { customer: { timeZone: currentPeriod.timeZone }, subscription, closure };
  return changed(closingBoundaries(closed, rules), (boundaries) => boundaries.flatMap(heldIn));
}

/** Whether its price book has had rows added since it was billed: what it held may have a price. */
export function hasNewRows(billed: BilledUsage, rules: Pick<BillingRules, 'plans'>): boolean {
  const { book } = componentOf(billed, rules);
  return book !== undefined && billed.book !== undefined && rowsKnown(book) > billed.book.rowsKnown;
}

/** What a billed window holds by the rows of now, counted again. */
export function heldAgain(billed: BilledUsage, rules: BillingRules): NeedsUsage<HeldUsage[]> {
  const { subscriptionId, metricId, timeZone } = billed;
  const component = componentOf(billed, rules);
  const { book } = component;
  const customer = { timeZone, testClockId: rules.testClockId };
  const question = bookQuestionOf(component, billed, customer, billed.book?.rowsKnown);
  if (!book || !question) return needsNothing([]);
  const times = unpaused(billed, pausesOf(rules, subscriptionId));
  return {
    questions: [{ metric: metricOf(rules, metricId), timeZone, ...times, perEvent: null, book: question }],
    by: ([usage]) => heldOf(inLineOrderOfBook(question, usage?.combinations ?? [], billed), book, billed),
  };
}
