import { Dice } from '../simulator/dice.ts';
import { dayOfText, startOfDay, textOfDay } from '../simulator/model-calendar.ts';
import type {
  Deal,
  DealBook,
  DealComponent,
  DealDiscount,
  DealLimits,
  DealOverrides,
  DealPhase,
  DealPlan,
  DealPrice,
  DealRow,
  DealSwitch,
  Name,
  Texts,
} from './deal.ts';
import { modelDeal } from './model-deal.ts';

const ZONES = ['UTC', 'America/Sao_Paulo', 'Asia/Kolkata', 'Pacific/Auckland'];
const [HOUR, DAY] = [3_600_000, 86_400_000];

/** A deal that the seed decides. */
export function randomDeal(seed: number): Deal {
  const dice = new Dice(seed);
  const first = randomPlan(dice);
  const length = first.billsMonths ? 31 : first.days;
  const days = length * dice.int(2, 6) * (first.billsMonths && first.days === 90 ? 2 : 1);
  const trialDays = dice.chance(0.3) ? dice.int(1, 60) : 0;
  const [changes, isByPhase] = [dice.pick([0, 0, 1, 1, 2, 3]), dice.chance(0.4)];
  const others = Array.from({ length: changes }, () => randomSuccessor(dice, first));
  // Nothing else is asked for on the day before or behind a call.
  const calls = someDays(dice, trialDays + days - 1, changes + 1).filter(
    (_, i, all) => (all[i] ?? 0) - (all[i - 1] ?? -2) > 1,
  );
  const isEnded = dice.chance(0.5);
  const end = isEnded ? (calls.at(-1) ?? null) : null;
  const asked = isEnded ? calls.slice(0, -1) : calls;
  const startDate = textOfDay(dayOfText('2027-01-01') + dice.int(0, 900));
  const discounts = Array.from({ length: dice.pick([0, 0, 1, 2, 3]) }, () => randomDiscount(dice));
  const deal: Deal = {
    ...{ seed, zone: dice.pick(ZONES), startDate, trialDays, plans: [first, ...others], days: trialDays + days },
    overrides: dice.chance(0.3) ? randomOverrides(dice, first) : null,
    phases:
      isByPhase || dice.chance(0.15) ? randomPhases(dice, [first, ...(isByPhase ? others : [])], trialDays + days) : [],
    switches: isByPhase ? [] : asked.slice(0, changes).map((day, i) => randomSwitch(dice, day, [i + 1, others[i]])),
    cancel: end === null ? null : { day: end, isPlanned: dice.chance(0.4), fee: dice.pick(FEES) },
    discounts,
    discountedTypes: dice.pick(DISCOUNTED),
    taxRate: dice.pick(['0', '19', '8.875']),
    ...{ pauses: [], events: [] },
  };
  const pauses = randomPauses(dice, deal);
  return { ...deal, pauses, events: randomEvents(dice, deal) };
}

const DISCOUNTED: Deal['discountedTypes'][] = [
  null,
  ['recurring_fee'],
  ['recurring_fee', 'proration'],
  ['usage', 'true_up'],
];
const FEES = ['charge_prorated', 'charge_prorated', 'charge_full', 'refund'] as const;

/** In their order. */
function someDays(dice: Dice, until: number, count: number): number[] {
  return Array.from({ length: count }, () => dice.int(0, until)).toSorted((a, b) => a - b);
}

function randomPlan(dice: Dice): DealPlan {
  const calendar = dice.pick(['fixed_days', 'anniversary', 'calendar'] as const);
  const days = dice.pick([30, 30, 90, 365] as const);
  const fee = randomFee(dice);
  return {
    ...{ calendar, days, fee, billsMonths: days !== 30 && dice.chance(0.6), billsTrial: dice.chance(0.5) },
    anchorDay: calendar === 'calendar' ? dice.pick([1, 15, 28, 29, 30, 31]) : null,
    timing: dice.pick(['in_arrears', 'in_advance']),
    limits: randomLimits(dice, fee),
    components: METRICS.filter(() => dice.chance(0.5)).map((metricId) => randomComponent(dice, metricId)),
  };
}

const METRICS = ['m0', 'm1', 'm2'];

/** Most are counted as the first, so that most switches carry its period on. */
function randomSuccessor(dice: Dice, first: DealPlan): DealPlan {
  const plan = randomPlan(dice);
  const { calendar, days, anchorDay, billsMonths, timing } = first;
  return dice.chance(0.6) ? { ...plan, calendar, days, anchorDay, billsMonths, timing } : plan;
}

function randomFee(dice: Dice): string {
  return dice.chance(0.2) ? '0' : dice.decimal(1, 30_000, 2);
}

function randomComponent(dice: Dice, metricId: string): DealComponent {
  const book = dice.chance(0.35) ? randomBook(dice) : null;
  const hasPrice = !book || book.unmatched === 'price';
  const freeTier = book ? '0' : randomFreeTier(dice);
  return { metricId, price: hasPrice ? randomPrice(dice) : null, freeTier, limits: randomLimits(dice, '0'), book };
}

function randomFreeTier(dice: Dice): string {
  return dice.pick(['0', '0', '10', '250.5']);
}

function randomBook(dice: Dice): DealBook {
  const groupBy = [...dice.pick([['model'], ['model', 'kind'], ['kind', 'model']] as const)];
  const rows = randomRows(dice, groupBy, { most: 8, isOverride: false });
  return { groupBy, rows, unmatched: dice.pick(['hold', 'price', 'ignore']) };
}

function randomRows(
  dice: Dice,
  groupBy: Name[],
  { most, isOverride }: { most: number; isOverride: boolean },
): DealRow[] {
  const rows = Array.from({ length: dice.int(1, most) }, (_, i): DealRow => {
    const named = groupBy.filter(() => dice.chance(0.6)).map((name) => [name, randomTexts(dice)[name]]);
    const terms = { when: Object.fromEntries(named), from: dice.chance(0.4) ? dice.int(-10, 200) : null };
    const id = `${isOverride ? 'agreed' : 'row'}${i}`;
    return { id, isOverride, ...terms, price: randomPrice(dice), freeTier: randomFreeTier(dice) };
  });
  // Two rows with the same terms are refused.
  const terms = rows.map(({ when, from }) =>
    JSON.stringify([when.model, when.kind, 'model' in when, 'kind' in when, from]),
  );
  return rows.filter((_, i) => terms.indexOf(terms[i] ?? '') === i);
}

function randomTexts(dice: Dice): Texts {
  return { model: dice.pick([null, 'a', 'b', 'c']), kind: dice.pick([null, 'in', 'out']) };
}

function randomPrice(dice: Dice): DealPrice {
  if (dice.chance(0.5)) return { model: 'per_unit', price: dice.decimal(0, 5_000, 4) };
  const least = dice.chance(0.5) ? dice.decimal(0, 100, 2) : null;
  const most = dice.chance(0.5) ? dice.decimal(100, 1_000, 2) : null;
  return { model: 'percentage', percentage: dice.decimal(0, 1_000, 2), fixed: dice.decimal(0, 100, 2), least, most };
}

/** A maximum is not below `floor`, nor below the minimum. */
function randomLimits(dice: Dice, floor: string): DealLimits {
  const minimum = dice.chance(0.3) ? dice.decimal(0, 20_000, 2) : null;
  const above = Math.ceil(Math.max(Number(minimum ?? 0), Number(floor)) * 100);
  return { minimum, maximum: dice.chance(0.3) ? dice.decimal(above, above + 20_000, 2) : null };
}

/** Of what a plan has; they leave a valid one. */
function randomOverrides(dice: Dice, { fee, components }: DealPlan): DealOverrides {
  const newFee = dice.chance(0.6) ? randomFee(dice) : undefined;
  const own = components.flatMap(({ metricId, book, price }) => {
    if (dice.chance(0.5)) return [];
    // A free tier is no field of a price; a percentage has none.
    const named =
      !book && price?.model === 'per_unit'
        ? { price: { model: 'per_unit', price: dice.decimal(0, 5_000, 4) } as const }
        : {};
    const rows = book && dice.chance(0.5) ? randomRows(dice, book.groupBy, { most: 3, isOverride: true }) : null;
    return [
      { metricId, ...named, ...(rows && { rows }), ...(dice.chance(0.5) && { limits: randomLimits(dice, '0') }) },
    ];
  });
  return { ...(newFee && { fee: newFee }), limits: randomLimits(dice, newFee ?? fee), components: own };
}

/** To each of the plans behind the first, and some of the plan before. */
function randomPhases(dice: Dice, plans: DealPlan[], until: number): DealPhase[] {
  const own = plans.flatMap((plan, i) => [
    ...(i > 0 ? [[i, plan] as const] : []),
    ...(dice.chance(0.5) ? [[null, plan] as const] : []),
  ]);
  const days = [...new Set(someDays(dice, until - 1, own.length))];
  return days.map((day, i) => {
    const [plan, terms] = own[i] ?? [null, undefined];
    return { day: day + 1, plan, overrides: terms && dice.chance(0.6) ? randomOverrides(dice, terms) : null };
  });
}

function randomSwitch(dice: Dice, day: number, [plan, terms]: [number, DealPlan | undefined]): DealSwitch {
  const overrides = terms && dice.chance(0.3) ? randomOverrides(dice, terms) : null;
  return {
    day,
    isPlanned: dice.chance(0.4),
    plan,
    overrides,
    resets: dice.chance(0.5),
    isInvoicedNow: dice.chance(0.5),
  };
}

function randomDiscount(dice: Dice): DealDiscount {
  const off = dice.chance(0.5) ? { percent: dice.decimal(1, 10_000, 2) } : { amount: dice.decimal(1, 10_000, 2) };
  return { off, periods: dice.pick([null, 1, 2, 3]) };
}

/** Each where nothing else happens, and no period ends. */
function randomPauses(dice: Dice, deal: Deal): Deal['pauses'] {
  const start = dayOfText(deal.startDate);
  const { invoices } = modelDeal(deal);
  const ends = invoices.flatMap(({ from, to }) => [from, to]).map((at) => Math.floor((at + 14 * HOUR) / DAY) - start);
  const asked = [...deal.switches, ...(deal.cancel ? [deal.cancel] : [])].flatMap(({ day }) => [day, day + 1]);
  const others = new Set([...ends, ...asked, ...deal.phases.map(({ day }) => day)]);
  const pauses: Deal['pauses'] = [];
  for (let day = deal.trialDays; day < (deal.cancel?.day ?? deal.days); day++) {
    const to = day + dice.int(0, 9);
    if (!dice.chance(0.01) || to >= deal.days || range(day - 1, to + 1).some((one) => others.has(one))) continue;
    pauses.push({ from: day, to });
    day = to + 1;
  }
  return pauses;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function randomEvents(dice: Dice, { startDate, days, zone }: Deal): Deal['events'] {
  const start = startOfDay(dayOfText(startDate), zone);
  const events = Array.from({ length: dice.int(0, 60) }, () => ({
    metricId: dice.pick(METRICS),
    time: start + dice.int(0, days * 24) * HOUR,
    value: dice.decimal(-10_000, 200_000, 2),
    texts: randomTexts(dice),
  }));
  return events.toSorted((a, b) => a.time - b.time);
}
