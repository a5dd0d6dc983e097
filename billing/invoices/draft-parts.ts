import { type Instant, type LocalDate, localDateAt } from '../../core/instants.ts';
import type { ChargedPart } from '../credits/charged-part.ts';
import { plannedProration } from '../credits/proration-credits.ts';
import { type CountedLate, lateCharges, lateUsage } from '../metering/late-usage.ts';
import { resumedPauses } from '../periods/pauses.ts';
import type { CustomerSnapshot } from '../snapshot/customer-snapshot.ts';
import { changed, type NeedsUsage, needsNothing } from '../snapshot/usage-question.ts';
import { type Closure, closingBoundaries, openingInput, plannedEnding } from '../subscriptions/closing-boundaries.ts';
import { switchParts } from '../subscriptions/draft-switch.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import { boundaryCharges } from './boundary-charges.ts';
import type { DraftInput } from './compute-draft.ts';
import { openingPart } from './opening-invoice.ts';
import { billableLines } from './pending-items.ts';

/** A part of the draft, with what its late usage was counted from. */
export type DraftPart = DraftInput['parts'][number] & {
  subscriptionId: string;
  issuedOn: LocalDate;
  late: CountedLate[];
};

/**
 * What each live subscription's next boundary would invoice now, in order of close (spec/invoices#late-usage, spec/credits#application); what waits, and late
 * usage of ended ones, is on the first to close. Each is made as it is taken.
 */
export function* draftParts(snapshot: CustomerSnapshot): Generator<NeedsUsage<DraftPart[]>> {
  const live = inOrderOfClose(snapshot.subscriptions);
  const firstToClose = live.find(({ status }) => status === 'active') ?? live.find(({ status }) => status === 'paused');
  const lateOf = lateByHeir(snapshot);
  for (const subscription of live) {
    const isFirst = subscription === firstToClose;
    yield subscription.status === 'pending'
      ? needsNothing(openingParts(snapshot, subscription))
      : closingParts(snapshot, subscription, { isFirst, late: lateOf(subscription.subscriptionId, isFirst) });
  }
}

/** Credits go to the invoices in this order (spec/credits#application). */
function inOrderOfClose(subscriptions: readonly Subscription[]): Subscription[] {
  return subscriptions.toSorted(
    (a, b) => boundaryOf(a) - boundaryOf(b) || (a.subscriptionId < b.subscriptionId ? -1 : 1),
  );
}

/** The next instant at which it is invoiced: a pending one at its start, others at the end of their period. */
function boundaryOf({ status, currentPeriod }: Subscription): Instant {
  return status === 'pending' ? currentPeriod.startsAt : currentPeriod.endsAt;
}

/** The opening invoice of a pending subscription, where its activation will make one. */
function openingParts({ customer, rules }: CustomerSnapshot, subscription: Subscription): DraftPart[] {
  const { currency, timeZone } = customer;
  const part = openingPart(openingInput(subscription, rules), { currency });
  const issuedOn = localDateAt(subscription.currentPeriod.startsAt, timeZone);
  return part ? [{ ...part, late: [], issuedOn, subscriptionId: subscription.subscriptionId }] : [];
}

/** The next boundary of an active subscription; of a paused one, what a resume now would bill. */
function closingParts(
  snapshot: CustomerSnapshot,
  subscription: Subscription,
  { isFirst, late }: { isFirst: boolean; late: NeedsUsage<CountedLate[]> },
): NeedsUsage<DraftPart[]> {
  const { account, customer, rules, at } = snapshot;
  const { subscriptionId, status } = subscription;
  const pauses = rules.pausesOf(subscriptionId);
  const today = localDateAt(at, customer.timeZone);
  const closure =
    status === 'paused'
      ? { pauses: resumedPauses(pauses, { at, on: today }), ending: null, closes: false }
      : { pauses, ending: plannedEnding(subscription, customer), closes: true };
  const charged = switchParts(snapshot, subscription) ?? endParts(snapshot, subscription, closure);
  const pending = isFirst ? billableLines(snapshot.pending, account).lines : [];
  const madeAt = (closesAt: Instant) =>
    closesAt === subscription.currentPeriod.endsAt ? closesAt + account.invoiceGraceSeconds * 1000 : closesAt;
  const finish = (parts: readonly ChargedPart[], lateOfAll: CountedLate[]) => {
    // An invoice with only a proration takes nothing along.
    const taker = parts.findIndex(({ kind }) => kind !== 'proration');
    return parts.map(({ back, closesAt, ...part }, i) => ({
      ...part,
      late: i === taker ? lateOfAll : [],
      pending: [...(i === taker ? pending : []), ...(back?.waived ? [back.waived] : [])],
      prorationCredits: back?.credits ?? [],
      issuedOn: status === 'paused' ? today : localDateAt(Math.max(at, madeAt(closesAt)), customer.timeZone),
      subscriptionId,
    }));
  };
  return both(charged, late, finish);
}

/**
 * Late usage for a subscription's next invoice: of its own periods, of those of the ones it has taken the place of ("after a
 * switch ... on the successor's invoice"), and `withEnded` of those that have ended for good ("after the last period on any
 * later invoice of the customer"). An account may have it ignored.
 */
function lateByHeir({ account, watermarks, billedLate, rules }: CustomerSnapshot) {
  const watermarksOf = Map.groupBy(watermarks, ({ heirId }) => heirId);
  const ended = watermarks.filter(({ hasEnded }) => hasEnded);
  const billedOf = Map.groupBy(billedLate, ({ subscriptionId }) => subscriptionId);
  return (heirId: string, withEnded: boolean): NeedsUsage<CountedLate[]> => {
    if (account.lateUsage === 'ignore') return needsNothing([]);
    const all = [...(watermarksOf.get(heirId) ?? []), ...(withEnded ? ended : [])];
    const ours = all.toSorted((a, b) => (a.subscriptionId < b.subscriptionId ? -1 : 1));
    const billed = ours.flatMap(({ subscriptionId }) => billedOf.get(subscriptionId) ?? []);
    return changed(lateUsage(ours, billed, rules), lateCharges);
  };
}

/** What the end of the current period bills, and of those that wait for it; a planned cancel's last. */
function endParts(snapshot: CustomerSnapshot, subscription: Subscription, closure: Closure): NeedsUsage<ChargedPart[]> {
  const { customer, rules } = snapshot;
  const { ending } = closure;
  return changed(closingBoundaries({ customer, subscription, closure }, rules), (boundaries) => {
    const last = boundaries.at(-1);
    const back = ending && last && plannedProration({ customer, subscription, boundary: last, ending }, snapshot);
    return boundaries.map((boundary) => ({
      ...boundaryCharges(boundary),
      kind: boundary.next === null ? 'closing' : 'period',
      periodStart: boundary.ended?.startsAt ?? null,
      periodEnd: boundary.ended?.endsAt ?? null,
      closesAt: ending?.at ?? subscription.currentPeriod.endsAt,
      ...(back && boundary === last && { back }),
    }));
  });
}

function both<A, B, T>(a: NeedsUsage<A>, b: NeedsUsage<B>, join: (a: A, b: B) => T): NeedsUsage<T> {
  const middle = a.questions.length;
  return {
    questions: [...a.questions, ...b.questions],
    by: (values) => join(a.by(values.slice(0, middle)), b.by(values.slice(middle))),
  };
}
