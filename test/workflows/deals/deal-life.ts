import {
  type Deal,
  type DealDiscount,
  type DealInvoice,
  type DealLimits,
  type DealPlan,
  type DealRow,
  PLACES,
} from '../../billing/deals/deal.ts';
import { modelDeal } from '../../billing/deals/model-deal.ts';
import { randomDeal } from '../../billing/deals/random-deal.ts';
import { Dice } from '../../billing/simulator/dice.ts';
import { dayOfText, startOfDay, textOfDay } from '../../billing/simulator/model-calendar.ts';

/** 24 months. */
const LIFE_DAYS = 730;
const HOUR_MS = 3_600_000;
/** Whole in each currency, times quantities of two decimals. */
export const ADDED_PRICE = '100';
const NO_LIMITS: DealLimits = { minimum: null, maximum: null };

/** A deal as it is lived: `resumesItself` says on which days a resume was planned when the pause began. */
export type LivedDeal = Deal & { resumesItself: ReadonlySet<number> };

/** What is sold to one customer, or to one and those that it pays for, and lived by all of them in one zone for 24 months from its start. */
export type DealLife = {
  seed: number;
  /** The first one pays. */
  deals: [LivedDeal, ...LivedDeal[]];
  /** The plans are in another currency, and in the deal's by an option. */
  isOption: boolean;
  /** `PUT .../phases` instead of at the creation. */
  putsPhases: boolean;
  /** Day on whose afternoon the last customer leaves the one that pays for it. */
  leavesOn: number | null;
  /** Day on whose afternoon everything that waits for a price gets one. */
  pricesOn: number | null;
};

/** The life that a seed stands for: by turns of one customer, of one that pays for two, of one whose usage waits for a price. */
export function randomDealLife(seed: number): DealLife {
  const dice = new Dice(seed);
  const first = livedOn(randomDeal(seedOf(dice)), dice);
  const terms = { seed, isOption: dice.chance(0.5), putsPhases: dice.chance(0.5), leavesOn: null, pricesOn: null };
  if (seed % 3 === 0) return { ...terms, deals: [first] };
  if (seed % 3 === 1) {
    const own = { ...first, credit: '0' };
    const deals: DealLife['deals'] = [own, childOf(own, dice), childOf(own, dice)];
    return { ...terms, deals, leavesOn: dice.chance(0.5) ? dice.int(60, 600) : null };
  }
  const { deal, pricesOn } = dealWithHeld(dice);
  return { ...terms, deals: [deal], pricesOn };
}

/** The deal as it is where everything has had a price from the beginning. */
export function withAddedRows(deal: Deal): Deal {
  return { ...deal, plans: deal.plans.map((plan) => ({ ...plan, components: plan.components.map(withAddedRow) })) };
}

/** What is invoiced before a day on which the subscription lives. */
export function invoicesUntil(deal: Deal, day: number): DealInvoice[] {
  return modelDeal({ ...deal, days: day, cancel: null }).invoices;
}

/** Loses to any other row: of those that match the one that names most is taken. */
export const ADDED_ROW: DealRow = {
  ...{ id: 'row99', isOverride: false, when: {}, from: null, freeTier: '0' },
  price: { model: 'per_unit', price: ADDED_PRICE },
};

type Component = DealPlan['components'][number];

/** Whether the API takes the row: one with these terms is there already where nothing is held. */
export function takesAddedRow({ book }: Component): boolean {
  return (
    book?.unmatched === 'hold' && !book.rows.some(({ when, from }) => from === null && Object.keys(when).length === 0)
  );
}

function withAddedRow(component: Component): Component {
  const { book } = component;
  if (!book || !takesAddedRow(component)) return component;
  return { ...component, book: { ...book, rows: [...book.rows, ADDED_ROW] } };
}

/** Of a deal. */
function seedOf(dice: Dice): number {
  return dice.int(0, 1_000_000_000);
}

/** To the end of the life, with usage up to that; what lands late and rows that come one by one are not lived, a cancel bills at once. */
function livedOn(deal: Deal, dice: Dice, days = LIFE_DAYS): LivedDeal {
  const isLived = ({ day }: { day: number }) => day < days - 1;
  const start = startOfDay(dayOfText(deal.startDate), deal.zone);
  const inTime = deal.events.map(({ landsAt: _late, ...event }) => event);
  const later = inTime.map((event) => ({ ...event, time: start + dice.int(0, days * 24) * HOUR_MS }));
  const cancel = deal.cancel && isLived(deal.cancel) ? { ...deal.cancel, isInvoicedNow: true } : null;
  return {
    ...{ ...deal, days, switches: deal.switches.filter(isLived), phases: deal.phases.filter(isLived) },
    ...{ cancel, addons: deal.addons.filter(isLived), additions: [], ignoresLate: false },
    pauses: deal.pauses.filter(({ to }) => to < days - 1),
    resumesItself: new Set(deal.pauses.flatMap(({ to }) => (dice.chance(0.5) ? [to] : []))),
    events: [...inTime, ...later].toSorted((a, b) => a.time - b.time),
  };
}

/** Another deal in the currency and zone, by the tax, and from a day on which the one that pays has begun. */
function childOf({ currency, zone, taxRate, startDate }: Deal, dice: Dice): LivedDeal {
  let drawn = randomDeal(seedOf(dice));
  while (drawn.currency !== currency) drawn = randomDeal(seedOf(dice));
  const deal = dice.chance(0.4) ? switchedAndPaused(drawn, dice) : drawn;
  const later = dice.pick([0, 0, 30, 31, dice.int(1, 90)]);
  const begun = textOfDay(dayOfText(startDate) + later);
  const shift = startOfDay(dayOfText(begun), zone) - startOfDay(dayOfText(deal.startDate), deal.zone);
  const events = deal.events.map((event) => ({ ...event, time: event.time + shift }));
  return livedOn({ ...deal, zone, taxRate, credit: '0', startDate: begun, events }, dice, LIFE_DAYS - later);
}

/**
 * In arrears by usage months, to a dearer plan, whose charge waits for the month in which a pause begins that goes on over the quarter's end: of its
 * resume's invoices the first charges it, less a percentage, the last takes back what the pause took.
 */
function switchedAndPaused(deal: Deal, dice: Dice): Deal {
  const [first, second = first] = deal.plans as [DealPlan, ...DealPlan[]];
  const calendar = dice.pick(['fixed_days', 'anniversary'] as const);
  const quarter: Partial<DealPlan> = { days: 90, calendar, anchorDay: null, billsMonths: true, timing: 'in_arrears' };
  const money = (from: number, to: number) => dice.decimal(from, to, PLACES[deal.currency]);
  const fees = [money(0, 10_000), money(10_001, 30_000)];
  const plans = [first, second].map((plan, i) => ({ ...plan, ...quarter, limits: NO_LIMITS, fee: fees[i] ?? '0' }));
  const terms = { plan: 1, isPlanned: false, overrides: null, resets: dice.chance(0.5), isInvoicedNow: false };
  const day = deal.trialDays + dice.int(32, 44);
  const from = day + dice.int(1, 11);
  const percent: DealDiscount = { off: { percent: dice.decimal(1, 10_000, 2) }, periods: dice.pick([null, null, 3]) };
  return {
    ...{ ...deal, plans, overrides: null, phases: [], cancel: null, addons: [], switches: [{ ...terms, day }] },
    ...{ pauses: [{ from, to: from + dice.int(50, 80) }], discounts: [percent, ...deal.discounts] },
    discountedTypes: dice.pick([null, ['recurring_fee', 'proration']]),
  };
}

/** One that has held usage by the day on which it gets a price. What that changes of discounts and limits is another matter. */
function dealWithHeld(dice: Dice): { deal: LivedDeal; pricesOn: number } {
  for (;;) {
    const deal = withoutLimits(livedOn(randomDeal(seedOf(dice)), dice));
    const pricesOn = dice.int(20, LIFE_DAYS - 20);
    if (!deal.plans.some(({ components }) => components.some(takesAddedRow)) || !isFree(deal, pricesOn)) continue;
    if (invoicesUntil(deal, pricesOn).some(({ held }) => held.length > 0)) return { deal, pricesOn };
  }
}

function withoutLimits(deal: LivedDeal): LivedDeal {
  const plain = <T extends { limits?: DealLimits }>(one: T): T => ({ ...one, limits: NO_LIMITS });
  const agreed = (one: Deal['overrides']) => one && { ...plain(one), components: one.components.map(plain) };
  return {
    ...{ ...deal, credit: '0', discounts: [], overrides: agreed(deal.overrides) },
    plans: deal.plans.map((one) => ({ ...plain(one), components: one.components.map(plain) })),
    phases: deal.phases.map((one) => ({ ...one, overrides: agreed(one.overrides) })),
    switches: deal.switches.map((one) => ({ ...one, overrides: agreed(one.overrides) })),
  };
}

/** Whether nothing is asked for on a day, and around it, while the subscription lives. */
function isFree({ switches, pauses, cancel, addons, phases }: Deal, day: number): boolean {
  const asked = [...switches, ...addons, ...phases, ...(cancel ? [cancel] : [])];
  if (cancel && day > cancel.day) return false;
  const isAsked = asked.some((one) => Math.abs(one.day - day) <= 2);
  return !isAsked && pauses.every(({ from, to }) => day < from - 1 || day > to + 1);
}
