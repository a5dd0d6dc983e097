import type { Instant } from '../../../core/instants.ts';
import { CorePlayer, NO_DATE } from '../lives/core-player.ts';
import { type Bill, dateOf, instantOf, type Life } from '../lives/life.ts';
import type { CoreContract } from '../simulator/contract/core-contract.ts';
import type { KnownDifference } from './known-difference.ts';

/** What was drafted for one who pays at the end of a life, and what is issued then if nothing else happens. */
export type Compared = { customer: string; drafted: Bill[]; issued: Bill[] };

const DAY_MS = 86_400_000;
/** Longer than two periods of any of these lives. */
const WATCHED_MS = 200 * DAY_MS;

/**
 * Lives a life to its last step, drafts, and lets time pass. A draft lists the invoices up to each subscription's next boundary
 * (spec/invoices#draft): the comparison of a payer ends where something is due again of a subscription that has passed its boundary,
 * because that changes which credits and discounts there are for the invoices behind it. `known` says what is not compared; `covered`
 * names the differences that left a payer out.
 */
export function compareDraft(
  life: Life,
  known: readonly KnownDifference[] = [],
): { compared: Compared[]; covered: string[] } {
  const player = new CorePlayer(life);
  for (const step of life.steps) player.perform(step);
  const drafts = player.payers().map((customer) => ({
    ...{ customer, drafted: player.draft(customer), before: player.issued(customer).length },
    reasons: known.filter(({ covers }) => covers(player, customer)),
  }));
  const left = drafts.filter(({ reasons }) => reasons.every(({ without }) => without !== undefined));
  const covered = drafts.flatMap(({ reasons }) => reasons.flatMap(({ id, without }) => (without ? [] : [id])));
  if (left.length === 0) return { compared: [], covered };
  const ends = endsOf(player, instantOf(life.steps.at(-1)?.at ?? 0) + WATCHED_MS);
  const compared = left.map(({ customer, drafted, before, reasons }) => {
    const end = ends.get(customer);
    const shown = (bills: Bill[]) =>
      reasons.reduce(
        (some, { without }) => without?.(some) ?? some,
        bills.filter(({ date }) => date !== NO_DATE && (end === undefined || date < end)),
      );
    return { customer, drafted: shown(drafted), issued: shown(player.issued(customer).slice(before)) };
  });
  return { compared, covered };
}

/** Lets time pass, and returns the date before which each payer's draft is compared; none if no subscription has anything due twice. */
function endsOf(player: CorePlayer, until: Instant): Map<string, string> {
  const ends = new Map<string, string>();
  const passed = new Set<CoreContract>();
  const payers = player.payers();
  for (let next = player.next(); next && next.step.dueAt <= until; next = player.next()) {
    const { contract, step } = next;
    const { customerId } = contract.payer;
    const { plannedSwitch } = contract.held.subscription;
    // The end of a period within a pause bills nothing yet.
    const isWaiting = contract.held.subscription.status === 'paused' && step.kind === 'close_period';
    const isBilled = player.takeStep(next);
    // A switch that fell due in the pause is made in the same step.
    const isDueTwice = step.kind === 'resume' && isBilled && plannedSwitch !== null && plannedSwitch.at <= step.dueAt;
    if ((passed.has(contract) || isDueTwice) && !ends.has(customerId)) ends.set(customerId, dateAt(step.dueAt));
    if (payers.every((id) => ends.has(id))) break;
    const { currentPeriod } = contract.held.subscription;
    // A resume invoices the periods that ended in its pause; where none did, the next boundary is still to come.
    const isSwitchDue = plannedSwitch !== null && plannedSwitch.at <= step.dueAt;
    const isBoundary = step.kind === 'resume' ? isBilled || isSwitchDue : step.kind !== 'switch' && !isWaiting;
    if (isBoundary || (step.kind === 'switch' && currentPeriod.startsAt === step.dueAt)) passed.add(contract);
  }
  return ends;
}

function dateAt(at: Instant): string {
  return dateOf((at - instantOf(0)) / DAY_MS);
}

/** Returns a bill as one text. */
export function textOf({ kind, date, lines, tax, due }: Bill): string {
  return `${kind} ${date}: ${[...lines, ...(tax === '0' ? [] : [`tax ${tax}`])].join(', ')}; due ${due}`;
}
