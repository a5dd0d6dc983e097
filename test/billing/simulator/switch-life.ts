import { Dice } from './dice.ts';

/**
 * The life of one subscription that switches plans, is paused and is canceled: a script, in days from its start at midnight
 * UTC. Amounts are whole cents, and fees a multiple of their period's days, so that every share of one is exact and nothing
 * is rounded: what it costs in the end does not depend on how it was split into lines.
 */
export type SwitchPlan = {
  days: 30 | 90;
  timing: 'in_arrears' | 'in_advance';
  /** Cents a day. */
  dailyFee: number;
  /** Cents per event, by metric; a metric that is not there is not billed. */
  prices: Partial<Record<Metric, number>>;
  /** Units that are paid ahead, by metric; of one that is not there, none. */
  units?: Partial<Record<Metric, number>>;
  /** A first tier of the price, by metric: so many events of a line of usage for so many cents each. */
  firstTier?: Partial<Record<Metric, { upTo: number; cents: number }>>;
};

const FEES = ['charge_prorated', 'charge_prorated', 'charge_full', 'refund'] as const;
export const METRICS = ['call', 'job'] as const;
export type Metric = (typeof METRICS)[number];
export type UsageBehavior = 'transfer_to_new_subscription' | 'reset_usage';
export type Invoicing = 'add_to_next_invoice' | 'invoice_now';

export type SwitchAct =
  | { do: 'switch'; plan: number; usage: UsageBehavior; invoicing: Invoicing; inDays: number }
  | { do: 'withdraw' }
  | { do: 'attach'; addon: number }
  | { do: 'pause' }
  | { do: 'resume' }
  | { do: 'cancel'; fee: 'charge_prorated' | 'charge_full' | 'refund'; invoicing?: Invoicing; inDays?: number };

/** `at` is in days since the start; a switch or cancel with `inDays` above 0 is planned. The last act is a cancel, at once. */
export type SwitchLife = {
  plans: SwitchPlan[];
  acts: ({ at: number } & SwitchAct)[];
  events: { at: number; metric: Metric }[];
  /** Percentage, with which every amount has a tax of whole cents. */
  taxRate?: number;
  /** Prices of add-ons that are charged once, in cents; each is attached once at most. */
  addons?: number[];
};

/** The life that a seed stands for. Acts may be refused; then they change nothing. */
export function randomSwitchLife(seed: number, { acts, events }: { acts: number; events: number }): SwitchLife {
  const dice = new Dice(seed);
  // Most plans are alike, so that most switches carry their period on.
  const [days, timing] = [dice.pick([30, 30, 90] as const), dice.pick(['in_arrears', 'in_advance'] as const)];
  const plans = Array.from({ length: 4 }, (): SwitchPlan => {
    const isOther = dice.chance(0.25);
    return {
      days: isOther ? dice.pick([30, 90] as const) : days,
      timing: isOther ? dice.pick(['in_arrears', 'in_advance'] as const) : timing,
      dailyFee: dice.chance(0.2) ? 0 : dice.int(1, 400),
      prices: Object.fromEntries(METRICS.filter(() => dice.chance(0.7)).map((metric) => [metric, dice.int(1, 99)])),
    };
  });
  const end = dice.int(20, 110) + dice.pick([0, 0.5]);
  const times = Array.from({ length: acts }, () => dice.int(0, Math.floor(end) - 1) + dice.pick([0, 0.25, 0.5, 0.75]));
  const fee = dice.pick(FEES);
  const last = { at: end, do: 'cancel', fee } as const;
  return {
    plans,
    acts: [...times.sort((a, b) => a - b).map((at) => ({ at, ...randomAct(dice) })), last],
    events: Array.from({ length: events }, () => ({
      at: dice.int(0, Math.floor(end * 24)) / 24,
      metric: dice.pick(METRICS),
    })),
  };
}

/**
 * The same life, with prepaid units or tiers, add-ons, tax, planned cancels, cancels that are invoiced at once, and calls at
 * the same instant.
 */
export function withMore(life: SwitchLife, seed: number): SwitchLife {
  const dice = new Dice(seed);
  const { plans, acts, events } = life;
  const hasUnits = dice.chance(0.5);
  const hasTiers = !hasUnits && dice.chance(0.7);
  const addons = Array.from({ length: dice.int(0, 3) }, () => dice.int(1, 90) * 10);
  return {
    plans: plans.map((plan) => {
      const units = hasUnits ? METRICS.filter((metric) => metric in plan.prices && dice.chance(0.5)) : [];
      const { prices } = plan;
      return {
        ...plan,
        dailyFee: plan.dailyFee * 10,
        prices: Object.fromEntries(METRICS.flatMap((one) => (one in prices ? [[one, (prices[one] ?? 0) * 10]] : []))),
        units: Object.fromEntries(units.map((metric) => [metric, dice.int(1, 8)])),
        firstTier: hasTiers ? firstTiers(plan, dice) : {},
      };
    }),
    acts: withAttached(atOnce(acts, dice), addons, dice).flatMap((act): typeof acts => {
      // Refused in a pause; then the one after it is not.
      if (act.do === 'cancel') return dice.chance(0.5) ? [{ ...act, invoicing: 'invoice_now' } as const, act] : [act];
      if (act.do !== 'switch' || !dice.chance(0.04)) return [act];
      return [{ at: act.at, do: 'cancel', fee: dice.pick(FEES), inDays: dice.int(1, 40) } as const];
    }),
    events,
    taxRate: dice.pick([0, 10]),
    addons,
  };
}

function firstTiers({ prices }: SwitchPlan, dice: Dice): NonNullable<SwitchPlan['firstTier']> {
  const tiered = METRICS.filter((metric) => metric in prices && dice.chance(0.7));
  return Object.fromEntries(tiered.map((metric) => [metric, { upTo: dice.int(1, 6), cents: dice.int(0, 99) * 10 }]));
}

/** Attaches each of the add-ons before one of the acts, at its time. */
function withAttached(acts: SwitchLife['acts'], addons: readonly number[], dice: Dice): SwitchLife['acts'] {
  const before = addons.map(() => dice.int(0, acts.length - 1));
  return acts.flatMap((act, i) => [
    ...before.flatMap((place, addon) => (place === i ? [{ at: act.at, do: 'attach', addon } as const] : [])),
    act,
  ]);
}

/** Some acts but the last at the time of the one before: test clocks stand still between calls. */
function atOnce(acts: SwitchLife['acts'], dice: Dice): SwitchLife['acts'] {
  let at = 0;
  return acts.map((act) => {
    if (act.do === 'cancel' || !dice.chance(0.2)) at = act.at;
    return { ...act, at };
  });
}

function randomAct(dice: Dice): SwitchAct {
  if (dice.chance(0.2)) return { do: dice.pick(['pause', 'resume', 'resume']) };
  if (dice.chance(0.05)) return { do: 'withdraw' };
  const usage = dice.pick(['transfer_to_new_subscription', 'reset_usage'] as const);
  const invoicing = dice.pick(['add_to_next_invoice', 'invoice_now'] as const);
  return { do: 'switch', plan: dice.int(0, 3), usage, invoicing, inDays: dice.pick([0, 0, dice.int(1, 30)]) };
}
