import { Dice } from '../simulator/dice.ts';
import { dayOfText, startOfDay, textOfDay } from '../simulator/model-calendar.ts';
import {
  type Deal,
  type DealAddition,
  type DealAddon,
  type DealBook,
  type DealComponent,
  type DealDiscount,
  type DealEvent,
  type DealLimits,
  type DealOverrides,
  type DealPhase,
  type DealPlan,
  type DealPrice,
  type DealRow,
  type DealSwitch,
  type Name,
  PLACES,
  type Texts,
} from './deal.ts';

const ZONES = ['UTC', 'America/Sao_Paulo', 'Asia/Kolkata', 'Pacific/Auckland'];
const HOUR = 3_600_000;
/** Nothing lands in the very instant of a call or an end. */
const SOME_MINUTES = 1_000_000;

/** Draws in one currency. */
class DealDice extends Dice {
  readonly currency: Deal['currency'];

  constructor(seed: number, currency?: Deal['currency']) {
    super(seed);
    this.currency = currency ?? this.pick(['USD', 'USD', 'JPY', 'KWD'] as const);
  }

  /** Of whole numbers of its smallest unit. */
  money(min: number, max: number): string {
    return this.decimal(min, max, PLACES[this.currency]);
  }
}

/** A deal that the seed decides, of one customer. */
export function randomDeal(seed: number, currency?: Deal['currency']): Deal {
  const dice = new DealDice(seed, currency);
  const begun = randomPlan(dice);
  const length = begun.billsMonths ? 31 : begun.days;
  const days = length * dice.int(2, 6) * (begun.billsMonths && begun.days === 90 ? 2 : 1);
  const trialDays = dice.chance(0.3) ? dice.int(1, 60) : 0;
  const [changes, isByPhase] = [dice.pick([0, 0, 1, 1, 2, 3]), dice.chance(0.4)];
  const first = changes === 0 ? withUnits(dice, begun) : begun;
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
    ...{ currency: dice.currency, credit: dice.chance(0.3) ? dice.money(1, 50_000) : '0' },
    ...{ seed, zone: dice.pick(ZONES), startDate, trialDays, plans: [first, ...others], days: trialDays + days },
    overrides: dice.chance(0.3) ? randomOverrides(dice, first) : null,
    phases:
      isByPhase || dice.chance(0.15) ? randomPhases(dice, [first, ...(isByPhase ? others : [])], trialDays + days) : [],
    switches: isByPhase ? [] : asked.slice(0, changes).map((day, i) => randomSwitch(dice, day, [i + 1, others[i]])),
    cancel:
      end === null
        ? null
        : {
            ...{ day: end, isPlanned: dice.chance(0.4), isInvoicedNow: dice.chance(0.6) },
            ...{ fee: dice.pick(FEES), billsUsage: dice.chance(0.8) },
          },
    discounts,
    discountedTypes: dice.pick(DISCOUNTED),
    taxRate: dice.pick(['0', '19', '8.875']),
    ...{ addons: [], pauses: [], additions: [], events: [], children: [], ignoresLate: dice.chance(0.3) },
  };
  const pauses = randomPauses(dice, deal);
  const addons = randomAddons(dice, { ...deal, pauses });
  return { ...deal, pauses, addons, additions: randomAdditions(dice, deal), events: randomEvents(dice, deal) };
}

const DISCOUNTED: Deal['discountedTypes'][] = [
  null,
  ['addon', 'prepaid_units'],
  ['recurring_fee'],
  ['recurring_fee', 'proration'],
  ['usage', 'true_up'],
];
const FEES = ['charge_prorated', 'charge_prorated', 'charge_full', 'refund'] as const;

/** In their order. */
function someDays(dice: DealDice, until: number, count: number): number[] {
  return Array.from({ length: count }, () => dice.int(0, until)).toSorted((a, b) => a - b);
}

function randomPlan(dice: DealDice): DealPlan {
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
function randomSuccessor(dice: DealDice, first: DealPlan): DealPlan {
  const plan = randomPlan(dice);
  const { calendar, days, anchorDay, billsMonths, timing } = first;
  return dice.chance(0.6) ? { ...plan, calendar, days, anchorDay, billsMonths, timing } : plan;
}

function randomFee(dice: DealDice): string {
  return dice.chance(0.2) ? '0' : dice.money(1, 30_000);
}

function randomComponent(dice: DealDice, metricId: string): DealComponent {
  const book = dice.chance(0.35) ? randomBook(dice) : null;
  const hasPrice = !book || book.unmatched === 'price';
  const freeTier = book ? '0' : randomFreeTier(dice);
  const price = hasPrice ? randomPrice(dice) : null;
  return { metricId, price, freeTier, prepaidUnits: '0', limits: randomLimits(dice, '0'), book };
}

/** Only what costs by the unit is paid ahead. */
function withUnits(dice: DealDice, plan: DealPlan): DealPlan {
  const components = plan.components.map((one) => {
    const hasUnits = one.book === null && one.price?.model === 'per_unit' && dice.chance(0.8);
    return hasUnits ? { ...one, prepaidUnits: dice.decimal(0, 200_000, 2) } : one;
  });
  return { ...plan, components };
}

function randomFreeTier(dice: DealDice): string {
  return dice.pick(['0', '0', '10', '250.5']);
}

function randomBook(dice: DealDice): DealBook {
  const groupBy = [...dice.pick([['model'], ['model', 'kind'], ['kind', 'model']] as const)];
  const rows = randomRows(dice, groupBy, { most: 8, isOverride: false });
  return { groupBy, rows, unmatched: dice.pick(['hold', 'price', 'ignore']) };
}

function randomRows(
  dice: DealDice,
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
  const terms = rows.map(termsOf);
  return rows.filter((_, i) => terms.indexOf(terms[i] ?? '') === i);
}

function termsOf({ when, from }: DealRow): string {
  return JSON.stringify([when.model, when.kind, 'model' in when, 'kind' in when, from]);
}

function randomTexts(dice: DealDice): Texts {
  return { model: dice.pick([null, 'a', 'b', 'c']), kind: dice.pick([null, 'in', 'out']) };
}

function randomPrice(dice: DealDice): DealPrice {
  if (dice.chance(0.5)) return { model: 'per_unit', price: dice.decimal(0, 5_000, 4) };
  const least = dice.chance(0.5) ? dice.decimal(0, 100, 2) : null;
  const most = dice.chance(0.5) ? dice.decimal(100, 1_000, 2) : null;
  return { model: 'percentage', percentage: dice.decimal(0, 1_000, 2), fixed: dice.decimal(0, 100, 2), least, most };
}

/** A maximum is not below `floor`, nor below the minimum. */
function randomLimits(dice: DealDice, floor: string): DealLimits {
  const minimum = dice.chance(0.3) ? dice.money(0, 20_000) : null;
  const above = Math.round(Math.max(Number(minimum ?? 0), Number(floor)) * 10 ** PLACES[dice.currency]);
  return { minimum, maximum: dice.chance(0.3) ? dice.money(above, above + 20_000) : null };
}

/** Of what a plan has; they leave a valid one. */
function randomOverrides(dice: DealDice, { fee, components }: DealPlan): DealOverrides {
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
function randomPhases(dice: DealDice, plans: DealPlan[], until: number): DealPhase[] {
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

function randomSwitch(dice: DealDice, day: number, [plan, terms]: [number, DealPlan | undefined]): DealSwitch {
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

function randomDiscount(dice: DealDice): DealDiscount {
  const off = dice.chance(0.5) ? { percent: dice.decimal(1, 10_000, 2) } : { amount: dice.money(1, 10_000) };
  return { off, periods: dice.pick([null, 1, 2, 3]) };
}

/** Over ends of periods and trials, and next to calls and ends of the life; nothing is asked for in one, and no plan changes. */
function randomPauses(dice: DealDice, { switches, cancel, phases, days }: Deal): Deal['pauses'] {
  const asked = [...switches, ...(cancel ? [cancel] : [])].map(({ day }) => day);
  const changes = phases.flatMap(({ day, plan }) => (plan === null ? [] : [day]));
  const pauses: Deal['pauses'] = [];
  for (let from = 0; from < (cancel?.day ?? days); from++) {
    const to = from + dice.int(0, dice.pick([1, 9, 9, 80]));
    const isFree = asked.every((day) => day < from || day > to) && changes.every((day) => day <= from || day > to);
    if (!dice.chance(0.01) || to >= (cancel?.day ?? days) || !isFree) continue;
    pauses.push({ from, to });
    from = to + 1;
  }
  return pauses;
}

/** On days that no pause and no cancel takes. */
function randomAddons(dice: DealDice, { pauses, cancel, days }: Deal): DealAddon[] {
  const free = someDays(dice, days - 1, dice.pick([0, 1, 2])).filter(
    (day) => day < (cancel?.day ?? days) && pauses.every(({ from, to }) => day < from || day > to),
  );
  return free.map((day) => ({ day, price: dice.money(1, 5_000), isOnce: dice.chance(0.4) }));
}

/** To some price books; one that a plan has already is refused. */
function randomAdditions(dice: DealDice, { plans, days }: Deal): DealAddition[] {
  const priceBooks = plans.flatMap(({ components }, plan) =>
    components.flatMap(({ metricId, book }) => (book ? [{ plan, metricId, book }] : [])),
  );
  const wanted = priceBooks.flatMap(({ book, ...of }) =>
    randomRows(dice, book.groupBy, { most: 3, isOverride: false })
      .filter((row) => !book.rows.some((one) => termsOf(one) === termsOf(row)))
      .map((row) => ({ ...of, row })),
  );
  const some = wanted.filter(() => dice.chance(0.5));
  const afternoons = [...new Set(someDays(dice, days - 1, some.length))];
  return afternoons.flatMap((day, i) => {
    const one = some[i];
    return one ? [{ ...one, day, row: { ...one.row, id: `added${i}` } }] : [];
  });
}

/** A quarter of them may come late. */
function randomEvents(dice: DealDice, { startDate, days, zone }: Deal): Deal['events'] {
  const start = startOfDay(dayOfText(startDate), zone);
  const events = Array.from({ length: dice.int(0, 60) }, () => ({
    metricId: dice.pick(METRICS),
    time: start + dice.int(0, days * 24) * HOUR,
    value: dice.decimal(-10_000, 200_000, 2),
    texts: randomTexts(dice),
  })).map((one): DealEvent => {
    const late = dice.int(1, dice.pick([24, 30 * 24, 90 * 24])) * HOUR;
    return dice.chance(0.25) ? { ...one, landsAt: one.time + late - SOME_MINUTES } : one;
  });
  return events.toSorted((a, b) => a.time - b.time);
}
