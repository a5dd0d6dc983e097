import type { DealBook, DealDiscount } from '../deals/deal.ts';
import type { Invoicing, Life, LifeAct, LifeComponent, LifePlan, LifeStep } from '../lives/life.ts';
import { Dice } from '../simulator/dice.ts';

/** How many days a life has, but for what time makes due behind them. */
const DAYS = 75;
const FEES = ['0', '30', '60', '90', '100', '47.11'];
const HOLDS: DealBook = { groupBy: ['model'], unmatched: 'hold', rows: [] };

/** The life that a seed stands for: of one customer, or of one that pays for another. Steps may be refused; then they change nothing. */
export function randomLife(seed: number): Life {
  const dice = new Dice(seed);
  const isFamily = dice.chance(0.35);
  const days = dice.pick([30, 30, 30, 90] as const);
  const timing = dice.pick(['in_advance', 'in_arrears'] as const);
  const billsMonths = days === 90 && dice.chance(0.5);
  const isLimited = dice.chance(0.25);
  const plans = Array.from({ length: 3 }, (): LifePlan => {
    const isOther = dice.chance(0.15);
    return {
      fee: dice.pick(FEES),
      ...(isOther ? { days: dice.pick([30, 90] as const) } : { days, billsMonths }),
      timing: isOther ? dice.pick(['in_advance', 'in_arrears'] as const) : timing,
      ...(isLimited && dice.chance(0.5) && { minimum: dice.pick(['20', '80']) }),
      ...(isLimited && dice.chance(0.5) && { maximum: dice.pick(['120', '150']) }),
      components: randomComponents(dice),
    };
  });
  const customers: Life['customers'] = isFamily
    ? [
        { id: 'p', taxRate: dice.pick(['0', '19']) },
        { id: 'a', billedTo: 'p' },
      ]
    : [{ id: 'a', taxRate: dice.pick(['0', '0', '19']) }];
  const begun = isFamily && dice.chance(0.6) ? ['p', 'a'] : ['a'];
  const firsts = begun.map((customer): LifeStep => {
    const at = dice.chance(0.8) ? 0 : dice.int(1, 20);
    return { at, customer, ...randomBegin(dice) };
  });
  const others = Array.from({ length: dice.int(2, 8) }, (): LifeStep => {
    const at = dice.int(0, DAYS) + dice.pick([0, 0.25, 0.5]);
    return { at, customer: dice.pick(begun), ...randomAct(dice, at, isFamily) };
  });
  const steps = [...firsts, ...others].toSorted((a, b) => a.at - b.at);
  const named = steps.map((step) => (isMoney(step) && isFamily ? { ...step, customer: dice.pick(['p', 'a']) } : step));
  return {
    ...{ customers, plans: Object.fromEntries(plans.map((plan, i) => [`plan${i}`, plan])), steps: named },
    ...{ until: DAYS, ...(dice.chance(0.15) && { ignoresLate: true }) },
  };
}

function randomComponents(dice: Dice): LifeComponent[] {
  const price = dice.pick(['1', '0.5']);
  const calls: LifeComponent = { metric: 'calls', price, ...(dice.chance(0.2) && { freeTier: '10' }) };
  const limits = dice.chance(0.15) ? { [dice.pick(['minimum', 'maximum'])]: '25' } : {};
  const prepaid = dice.chance(0.15) ? { prepaid: '20' } : {};
  return [
    ...(dice.chance(0.7) ? [{ ...calls, ...limits, ...prepaid }] : []),
    ...(dice.chance(0.2) ? [{ metric: 'jobs', book: { ...HOLDS, rows: rowsOf(dice) } }] : []),
  ];
}

function rowsOf(dice: Dice): DealBook['rows'] {
  const price = { model: 'per_unit', price: dice.pick(['1', '2']) } as const;
  return [{ id: 'row0', isOverride: false, when: { model: 'x' }, from: null, price, freeTier: '0' }];
}

function randomBegin(dice: Dice): LifeAct {
  const plan = (): string => `plan${dice.int(0, 2)}`;
  const days = [dice.int(3, 40), dice.int(3, 60)].toSorted((a, b) => a - b);
  const phases = dice.chance(0.12)
    ? [...new Set(days)].slice(0, dice.int(1, 2)).map((inDays) => ({ inDays, plan: plan() }))
    : [];
  return {
    ...{ do: 'subscribe', plan: plan(), phases },
    ...(dice.chance(0.12) && { trialDays: dice.int(3, 20) }),
    discounts: dice.chance(0.35) ? [randomDiscount(dice)] : [],
  };
}

function randomDiscount(dice: Dice): DealDiscount {
  const off = dice.chance(0.6)
    ? { percent: dice.pick(['50', '100', '15']) }
    : { amount: dice.pick(['20', '60', '100']) };
  return { off, periods: dice.pick([null, null, 1, 2]) };
}

function randomAct(dice: Dice, at: number, isFamily: boolean): LifeAct {
  const invoicing = (): Invoicing => dice.pick(['now', 'next']);
  const inDays = (): { inDays: number } | object => (dice.chance(0.7) ? { inDays: dice.int(1, 35) } : {});
  const kind = dice.int(0, 99);
  if (kind < 22) {
    const of = dice.chance(0.4) ? { of: dice.int(0, Math.floor(at)) } : {};
    const value = dice.pick(['5', '40', '100', '-20']);
    if (dice.chance(0.8)) return { do: 'use', metric: 'calls', value, ...of };
    return { do: 'use', metric: 'jobs', value, ...of, texts: { model: dice.pick(['x', 'y']) } };
  }
  if (kind < 44) {
    const plan = `plan${dice.int(0, 2)}`;
    return { do: 'switch', plan, invoicing: invoicing(), ...inDays(), ...(dice.chance(0.2) && { resets: true }) };
  }
  if (kind < 58) {
    const fee = dice.pick(['charge_prorated', 'charge_prorated', 'charge_full', 'refund'] as const);
    const when = dice.chance(0.25) ? { atEnd: true } : inDays();
    return { do: 'cancel', fee, invoicing: invoicing(), ...when, ...(dice.chance(0.2) && { billsUsage: false }) };
  }
  if (kind < 65) return { do: 'redeem', discount: randomDiscount(dice) };
  if (kind < 69) return { do: 'pause', ...(dice.chance(0.5) && { inDays: dice.int(1, 40) }) };
  if (kind < 73) return { do: 'resume' };
  if (kind < 78) return { do: 'attach', price: dice.pick(['7', '12.34']), ...(dice.chance(0.5) && { isOnce: true }) };
  if (kind < 84) return { do: 'pay' };
  if (kind < 87) return { do: 'void' };
  if (kind < 89) return { do: 'give_up' };
  if (kind < 92) return { do: 'refund', ...(dice.chance(0.5) && { amount: '10' }) };
  if (kind < 94) return { do: 'grant', amount: dice.pick(['15', '500']) };
  if (kind < 96) return { do: 'add_price', plan: 'plan0', metric: 'jobs', model: 'y', price: '3' };
  if (kind < 97) return { do: 'withdraw_switch' };
  if (kind < 98) return { do: 'tax', rate: dice.pick(['0', '10', '20']) };
  return isFamily ? { do: 'bill_to', payer: dice.pick(['p', null]) } : { do: 'pay' };
}

/** What is done to a customer's money may be done to that of who pays. */
function isMoney({ do: what }: LifeStep): boolean {
  return ['pay', 'void', 'give_up', 'refund', 'grant', 'tax'].includes(what);
}
