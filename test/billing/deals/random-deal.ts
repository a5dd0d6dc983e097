import { Dice } from '../simulator/dice.ts';
import { dayOfText, startOfDay, textOfDay } from '../simulator/model-calendar.ts';
import type { Deal, DealComponent, DealDiscount, DealLimits, DealPrice } from './deal.ts';
import { usagePeriods } from './model-deal.ts';

const ZONES = ['UTC', 'America/Sao_Paulo', 'Asia/Kolkata', 'Pacific/Auckland'];
const HOUR = 3_600_000;

/** A deal that the seed decides. */
export function randomDeal(seed: number): Deal {
  const dice = new Dice(seed);
  const calendar = dice.pick(['fixed_days', 'anniversary', 'calendar'] as const);
  const days = dice.pick([30, 30, 90, 365] as const);
  const billsMonths = days !== 30 && dice.chance(0.6);
  const startDate = textOfDay(dayOfText('2027-01-01') + dice.int(0, 900));
  const fee = dice.chance(0.2) ? '0' : dice.decimal(1, 30_000, 2);
  const usagePeriods = dice.int(2, 6) * (billsMonths && days === 90 ? 2 : 1);
  const zone = dice.pick(ZONES);
  const components = Array.from({ length: dice.int(0, 3) }, (_, i) => randomComponent(dice, `m${i}`));
  const length = billsMonths ? 31 : days;
  const deal: Deal = {
    ...{ seed, zone, startDate, days, calendar, billsMonths, fee, components, usagePeriods },
    anchorDay: calendar === 'calendar' ? dice.pick([1, 15, 28, 29, 30, 31]) : null,
    trialDays: dice.chance(0.3) ? dice.int(1, 60) : 0,
    billsTrial: dice.chance(0.5),
    timing: dice.pick(['in_arrears', 'in_advance']),
    limits: randomLimits(dice, fee),
    discounts: Array.from({ length: dice.pick([0, 0, 1, 2, 3]) }, () => randomDiscount(dice)),
    discountedTypes: dice.pick<Deal['discountedTypes']>([null, null, ['recurring_fee'], ['usage', 'true_up']]),
    taxRate: dice.pick(['0', '19', '8.875']),
    cancelDay: dice.chance(0.5) ? dice.int(0, length * usagePeriods) : null,
    pauses: [],
    events: [],
  };
  const pauses = randomPauses(dice, deal);
  return { ...deal, pauses, events: randomEvents(dice, deal, length * usagePeriods) };
}

function randomComponent(dice: Dice, metricId: string): DealComponent {
  return { metricId, price: randomPrice(dice), limits: randomLimits(dice, '0') };
}

function randomPrice(dice: Dice): DealPrice {
  if (dice.chance(0.5)) {
    return { model: 'per_unit', price: dice.decimal(0, 5_000, 4), freeTier: dice.pick(['0', '10', '250.5']) };
  }
  const least = dice.chance(0.5) ? dice.decimal(0, 100, 2) : null;
  const most = dice.chance(0.5) ? dice.decimal(100, 1_000, 2) : null;
  return { model: 'percentage', percentage: dice.decimal(0, 1_000, 2), fixed: dice.decimal(0, 100, 2), least, most };
}

/** A maximum is not below `floor`, nor below the minimum. */
function randomLimits(dice: Dice, floor: string): DealLimits {
  const minimum = dice.chance(0.3) ? dice.decimal(0, 20_000, 2) : null;
  const above = Math.max(Number(minimum ?? 0), Number(floor)) * 100;
  const maximum = dice.chance(0.3) ? dice.decimal(Math.ceil(above), Math.ceil(above) + 20_000, 2) : null;
  return { minimum, maximum };
}

function randomDiscount(dice: Dice): DealDiscount {
  const off = dice.chance(0.5) ? { percent: dice.decimal(1, 10_000, 2) } : { amount: dice.decimal(1, 10_000, 2) };
  return { off, periods: dice.pick([null, 1, 2, 3]) };
}

/** Each within a usage period, in which nothing is canceled. */
function randomPauses(dice: Dice, deal: Deal): Deal['pauses'] {
  const start = dayOfText(deal.startDate);
  return [...usagePeriods(deal)].flatMap((period) => {
    const [first, last] = [period.from - start, period.to - start - 1];
    const isEnd = deal.cancelDay !== null && deal.cancelDay <= last;
    if (isEnd || !dice.chance(0.15)) return [];
    const from = dice.int(first, last);
    return [{ from, to: dice.int(from, last) }];
  });
}

function randomEvents(dice: Dice, { components, startDate, trialDays, zone }: Deal, days: number): Deal['events'] {
  if (components.length === 0) return [];
  const start = startOfDay(dayOfText(startDate), zone);
  const events = Array.from({ length: dice.int(0, 40) }, () => ({
    metricId: dice.pick(components).metricId,
    time: start + dice.int(-24 * trialDays, days * 24) * HOUR,
    value: dice.decimal(-10_000, 200_000, 2),
  }));
  return events.toSorted((a, b) => a.time - b.time);
}
