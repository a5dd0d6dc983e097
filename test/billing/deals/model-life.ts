import { dayOfText, startOfDay } from '../simulator/model-calendar.ts';
import type { Deal, DealCancel, DealOutcome, DealOverrides, DealPlan } from './deal.ts';
import { type Amount, exact, type Line, type Window } from './model-lines.ts';

/** Days as numbers since 1970, a part of `whole` days. */
export type Days = { from: number; to: number; whole: number };
/** A plan in force in a billing period, from a day on, and what the switch to it charges, or credits. */
export type Part = { plan: DealPlan; day: number; charge?: Line; credit?: Amount };
export type Change = {
  at: number;
  day: number;
  index: number;
  plan: DealPlan;
  resets: boolean;
  isInvoicedNow: boolean;
};
/** How a period ends within it; null: by itself. */
export type Ending = DealCancel['fee'] | null;
export type Life = ReturnType<typeof lifeOf>;

const NOON = 43_200_000;

/** A deal's life before it begins. */
export function lifeOf(deal: Deal) {
  const first = dayOfText(deal.startDate);
  const at = (day: number) => startOfDay(day, deal.zone);
  const asked = Math.min(...deal.switches.map(({ day }) => day));
  // A call drops the phases that have not begun.
  const phases = deal.phases.filter(({ day }) => day <= asked);
  const timed = <T extends { day: number; isPlanned: boolean }>(one: T) => {
    const day = first + one.day + (one.isPlanned ? 1 : 0);
    return { ...one, day, at: at(day) + (one.isPlanned ? 0 : NOON) };
  };
  // A phase of another plan is a switch that was planned for the midnight before its day.
  const ofPhases = phases.flatMap(({ day, plan, overrides }) => {
    const planned = { day: day - 1, isPlanned: true, resets: false, isInvoicedNow: false };
    return plan === null ? [] : [{ ...planned, plan, overrides }];
  });
  const changes = [...deal.switches, ...ofPhases].map((one): Change => {
    return { ...timed(one), index: one.plan, plan: planOf(deal, one.plan, one.overrides) };
  });
  const plan = planOf(deal, 0, deal.overrides);
  const period: Days = { from: first, to: first + deal.trialDays, whole: deal.trialDays };
  return {
    ...{ deal, at, first, phases: phases.filter((one) => one.plan === null), asked: first + asked, lastChange: first },
    ...{ end: at(first + deal.days), cancel: deal.cancel && timed(deal.cancel), isTrial: deal.trialDays > 0 },
    changes: changes.toSorted((a, b) => a.at - b.at),
    outcome: { invoices: [], credits: [] } as DealOutcome,
    /** What credits have left, with tax. */
    credits: exact(deal.credit),
    ...{ used: deal.discounts.map(() => 0), held: [] as string[], index: 0, plan },
    /** Billing periods are counted from `startDate` by these terms; the one of now is `k`. */
    ...{ terms: { ...plan, startDate: deal.startDate }, k: 0, billing: period, period },
    ...{ parts: [{ plan, day: first }] as [Part, ...Part[]], windows: [] as Window[] },
    /** From when the plan of now counts usage, by metric where others have billed some. */
    since: { all: at(first), of: {} as Record<string, number> },
    /** What waits for the next invoice, and what is charged of the fee, in arrears still to be; which part of that percentages leave. */
    ...{ pending: [] as Line[], ahead: [] as Line[], feeShare: exact(1) },
    /** What has gone back of that: of invoices, and of what was on none yet. */
    ...{ gone: exact(0), goneWaiting: exact(0) },
    /** What the limits of the plan count in the billing period, and what they have made of it. */
    ...{ fee: exact(0), other: exact(0), truedUp: exact(0) },
  };
}

/** A plan with what is agreed on instead. */
export function planOf({ plans }: Deal, index: number, overrides: DealOverrides | null): DealPlan {
  const plan = plans[index];
  if (!plan) throw new Error(`no plan ${index}`);
  const { fee = plan.fee, limits = plan.limits, components = [] } = overrides ?? {};
  const own = plan.components.map((one) => {
    const { rows = [], ...named } = components.find(({ metricId }) => metricId === one.metricId) ?? {};
    return { ...one, ...named, book: one.book && { ...one.book, rows: [...rows, ...one.book.rows] } };
  });
  return { ...plan, fee, limits, components: own };
}
