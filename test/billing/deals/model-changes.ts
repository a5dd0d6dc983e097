import type { Deal, DealOverrides, DealPlan } from './deal.ts';

/** Something that is asked for or agreed on, on a day: a call happens at noon, behind what time makes due. */
type Timed = { day: number; at: number; isCall: boolean };
/** To another plan. */
export type Change = Timed & { plan: DealPlan; index: number; resets: boolean; isInvoicedNow: boolean };

const HOUR = 3_600_000;

/** What is asked for with its instants, and the events that no pause leaves out. A phase of another plan is a switch on its day. */
export function askedFor(deal: Deal, at: (day: number) => number) {
  const timed = <T extends { day: number; isPlanned: boolean }>({ day, isPlanned, ...one }: T) =>
    isPlanned
      ? { ...one, day: day + 1, at: at(day + 1), isCall: false }
      : { ...one, day, at: at(day) + 12 * HOUR, isCall: true };
  // A call drops the phases that have not begun.
  const dropped = Math.min(...deal.switches.map(({ day }) => day));
  const phases = deal.phases.filter(({ day }) => day <= dropped);
  const byPhase = phases.map((one) => ({
    ...one,
    at: at(one.day),
    isCall: false,
    resets: false,
    isInvoicedNow: false,
  }));
  const changes = [...deal.switches.map(timed), ...byPhase].flatMap(({ plan, overrides, ...one }): Change[] =>
    plan === null ? [] : [{ ...one, index: plan, plan: planOf(deal, plan, overrides, at) }],
  );
  const pauses = deal.pauses.map((one) => ({ ...one, at: at(one.from) + 12 * HOUR, until: at(one.to) + 18 * HOUR }));
  return {
    ...{
      phases: phases.filter(({ plan }) => plan === null),
      dropped,
      cancel: deal.cancel && timed(deal.cancel),
      pauses,
    },
    changes: changes.toSorted((a, b) => a.at - b.at),
    events: deal.events.filter(({ time }) => !pauses.some((pause) => time >= pause.at && time < pause.until)),
  };
}

/** A plan with what is agreed on instead. */
export function planOf(
  { plans, additions }: Deal,
  index: number,
  overrides: DealOverrides | null,
  at: (day: number) => number,
): DealPlan {
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
