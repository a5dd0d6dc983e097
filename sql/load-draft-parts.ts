import type { Account } from '../billing/account.ts';
import { boundaryCharges } from '../billing/boundary-charges.ts';
import type { DraftInput } from '../billing/compute-draft.ts';
import { type Instant, type LocalDate, localDateAt } from '../billing/instants.ts';
import { openingPart } from '../billing/opening-invoice.ts';
import { resumedPauses } from '../billing/pauses.ts';
import type { Customer, Subscription } from '../billing/subscription.ts';
import { lateCharges, loadLateUsage } from './late-usage.ts';
import type { CountedLate } from './line-counts.ts';
import { loadPlannedBack } from './load-give-backs.ts';
import {
  type Closure,
  type InvoiceSources,
  loadBoundaries,
  loadOpening,
  plannedEnding,
} from './load-invoice-inputs.ts';
import { type ChargedPart, loadSwitchParts } from './load-switch-draft.ts';
import { listPauses } from './pauses.ts';
import { inTransaction } from './postgres.ts';
import { billableLines, listWaitingLines } from './waiting-lines.ts';

/** A part of the draft, with what its late usage was counted from. */
export type DraftPart = DraftInput['parts'][number] & {
  subscriptionId: string;
  issuedOn: LocalDate;
  late: CountedLate[];
};

/** `upTo`: usage at higher positions of the stream is not read; without it all that has landed counts. */
type DraftQuestion = { customer: Customer; subscriptions: readonly Subscription[]; at: Instant; upTo?: bigint };

/**
 * What each live subscription's next boundary would invoice at `at`, in order of close (contract 8 and 9); what waits, and
 * late usage of ended ones, is on the first to close.
 */
export async function loadDraftParts(
  sources: InvoiceSources,
  account: Account,
  question: DraftQuestion,
): Promise<DraftPart[]> {
  const live = inOrderOfClose(question.subscriptions);
  const firstToClose = live.find(({ status }) => status === 'active') ?? live.find(({ status }) => status === 'paused');
  const parts = live.map(async (subscription) => {
    if (subscription.status === 'pending') return loadOpeningPart(sources, account, question.customer, subscription);
    return loadClosingParts(sources, account, question, { subscription, isFirst: subscription === firstToClose });
  });
  return (await Promise.all(parts)).flat();
}

/** Credits go to the invoices in this order (contract 9). */
function inOrderOfClose(subscriptions: readonly Subscription[]): Subscription[] {
  return subscriptions.toSorted(
    (a, b) => boundaryOf(a) - boundaryOf(b) || (a.subscriptionId < b.subscriptionId ? -1 : 1),
  );
}

/** The next instant at which it is invoiced: a pending one at its start, others at the end of their period. */
function boundaryOf({ status, currentPeriod }: Subscription): Instant {
  return status === 'pending' ? currentPeriod.startsAt : currentPeriod.endsAt;
}

/** The next boundary of an active subscription; of a paused one, what a resume now would bill. */
async function loadClosingParts(
  sources: InvoiceSources,
  account: Account,
  { customer, at, upTo }: DraftQuestion,
  { subscription, isFirst }: { subscription: Subscription; isFirst: boolean },
): Promise<DraftPart[]> {
  const { accountId } = account;
  const { subscriptionId, status } = subscription;
  const { pauses, waiting } = await inTransaction(sources.postgres, accountId, async (tx) => ({
    pauses: await listPauses(tx, accountId, subscriptionId),
    waiting: isFirst ? await listWaitingLines(tx, accountId, customer.customerId, { lock: false }) : null,
  }));
  const resumed = { at, on: localDateAt(at, customer.timeZone) };
  const closure =
    status === 'paused'
      ? { pauses: resumedPauses(pauses, resumed), ending: null, closes: false }
      : { pauses, ending: plannedEnding(subscription, customer), closes: true };
  const limit = upTo !== undefined && { upTo };
  const switched = await loadSwitchParts(sources, accountId, { customer, subscription, pauses, ...limit });
  const parts = switched ?? (await loadEndParts(sources, accountId, { customer, subscription }, closure, upTo));
  const late = await loadLateUsage(sources, accountId, customer, { subscriptionId, withEnded: isFirst, ...limit });
  const madeAt = (closesAt: Instant) =>
    closesAt === subscription.currentPeriod.endsAt ? closesAt + account.invoiceGraceSeconds * 1000 : closesAt;
  // An invoice with only a proration takes nothing along.
  const taker = parts.findIndex(({ kind }) => kind !== 'proration');
  return parts.map(({ back, closesAt, ...part }, i) => ({
    ...part,
    late: account.lateUsage === 'ignore' || i !== taker ? [] : lateCharges(late),
    waiting: [
      ...(i === taker && waiting ? billableLines(waiting, account).lines : []),
      ...(back?.waived ? [back.waived] : []),
    ],
    givenBack: back?.credits ?? [],
    issuedOn: localDateAt(status === 'paused' ? at : Math.max(at, madeAt(closesAt)), customer.timeZone),
    subscriptionId,
  }));
}

/** What the end of the current period bills, and of those that wait for it; a planned cancel's last. */
async function loadEndParts(
  sources: InvoiceSources,
  accountId: string,
  { customer, subscription }: { customer: Customer; subscription: Subscription },
  closure: Closure,
  upTo: bigint | undefined,
): Promise<ChargedPart[]> {
  const { ending } = closure;
  const boundaries = await loadBoundaries(sources, accountId, customer, subscription, closure, upTo);
  const last = boundaries.at(-1);
  const back =
    ending && last && (await loadPlannedBack(sources, accountId, { customer, subscription, boundary: last, ending }));
  return boundaries.map((boundary) => ({
    ...boundaryCharges(boundary),
    kind: boundary.next === null ? 'closing' : 'period',
    periodStart: boundary.ended?.startsAt ?? null,
    periodEnd: boundary.ended?.endsAt ?? null,
    closesAt: ending?.at ?? subscription.currentPeriod.endsAt,
    ...(back && boundary === last && { back }),
  }));
}

/** The opening invoice of a pending subscription, where its activation will make one. */
async function loadOpeningPart(
  { postgres }: InvoiceSources,
  { accountId }: Account,
  { currency, timeZone }: Customer,
  subscription: Subscription,
): Promise<DraftPart[]> {
  const opening = await inTransaction(postgres, accountId, (tx) => loadOpening(tx, accountId, subscription));
  const part = openingPart(opening, { currency });
  const issuedOn = localDateAt(subscription.currentPeriod.startsAt, timeZone);
  return part ? [{ ...part, late: [], issuedOn, subscriptionId: subscription.subscriptionId }] : [];
}
