import type { Deal, DealOverrides, DealPlan } from './deal.ts';
import type { At } from './model-usage.ts';

/** To another plan, on a day, at an instant. */
export type Change = {
  plan: DealPlan;
  index: number;
  day: number;
  at: number;
  resets: boolean;
  isInvoicedNow: boolean;
};

export const HOUR = 3_600_000;

/** What is asked for with its instants, and the events that no pause leaves out. A phase of another plan is a switch on its day. */
export function askedFor(deal: Deal, at: At) {
  const timed = <T extends { day: number; isPlanned: boolean }>(one: T) =>
    one.isPlanned ? { ...one, day: one.day + 1, at: at(one.day + 1) } : { ...one, at: at(one.day) + 12 * HOUR };
  // A call drops the phases that have not begun.
  const dropped = Math.min(...deal.switches.map(({ day }) => day));
  const phases = deal.phases.filter(({ day }) => day <= dropped);
  const byPhase = phases.map((one) => ({ ...one, at: at(one.day), resets: false, isInvoicedNow: false }));
  const changes = [...deal.switches.map(timed), ...byPhase].flatMap(({ plan, overrides, ...one }): Change[] =>
    plan === null ? [] : [{ ...one, index: plan, plan: planOf(deal, plan, overrides, at) }],
  );
  const isPaused = (time: number) =>
    deal.pauses.some(({ from, to }) => time >= at(from) + 12 * HOUR && time < at(to) + 18 * HOUR);
  return {
    ...{ phases: phases.filter(({ plan }) => plan === null), dropped, cancel: deal.cancel && timed(deal.cancel) },
    changes: changes.toSorted((a, b) => a.at - b.at),
    events: deal.events.filter(({ time }) => !isPaused(time)),
  };
}

/** A plan with what is agreed on instead. */
export function planOf({ plans, additions }: Deal, index: number, overrides: DealOverrides | null, at: At): DealPlan {
  const plan = plans[index];
  if (!plan) throw new Error(`no plan ${index}`);
  const { fee = plan.fee, limits = plan.limits, components = [] } = overrides ?? {};
  const own = plan.components.map((one) => {
    const { rows = [], ...named } = components.find(({ metricId }) => metricId === one.metricId) ?? {};
    const added = additions.filter((of) => of.plan === index && of.metricId === one.metricId);
    const later = added.map(({ day, row }) => ({ ...row, addedAt: at(day) + 15 * HOUR }));
    return { ...one, ...named, book: one.book && { ...one.book, rows: [...rows, ...one.book.rows, ...later] } };
  });
  return { ...plan, fee, limits, components: own };
}
