import { Dice } from './dice.ts';
import type { Life, LifeAddon, LifeComponent, LifeMetric, LifeSubscription, Move } from './life.ts';

const DAY = 86_400_000;
const HALF_HOUR = 1_800_000;
/** 24 months of 30 days, and two years of 365. */
const LIFE_DAYS = 731;

/** In some of them midnight does not exist on some days, in some offsets are of half and quarter hours. */
const ZONES = ['UTC', 'America/New_York', 'America/Santiago', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Africa/Cairo'];
const CURRENCIES = [
  ['JPY', 0],
  ['USD', 2],
  ['EUR', 2],
  ['KWD', 3],
] as const;

/** The life that a seed stands for. */
export function randomLife(seed: number): Life {
  const dice = new Dice(seed);
  const [currency, places] = dice.pick(CURRENCIES);
  const firstDay = Date.UTC(2024, dice.int(0, 23), dice.int(1, 28));
  const metrics = randomMetrics(dice);
  const addons = randomAddons(dice, places);
  const subscriptions = Array.from({ length: dice.pick([1, 1, 2, 3]) }, (_, i) =>
    randomSubscription(dice, i, { firstDay, metrics, places }),
  );
  const terms = { dice, startsAt: firstDay - 2 * DAY, endsAt: firstDay + LIFE_DAYS * DAY, places };
  return {
    seed,
    currency,
    places,
    zone: dice.pick(ZONES),
    taxRate: randomRate(dice),
    graceSeconds: dice.pick([0, 0, 0, 1, 3_600, 86_400]),
    metrics,
    addons,
    subscriptions,
    moves: randomMoves({ ...terms, metrics, addons, subscriptions }),
    startsAt: terms.startsAt,
    endsAt: terms.endsAt,
  };
}

function randomMetrics(dice: Dice): LifeMetric[] {
  return Array.from({ length: dice.int(1, 3) }, (_, i) => ({
    metricId: `metric_${i}`,
    aggregation: dice.pick(['count', 'sum', 'sum', 'max', 'unique']),
    eventName: `event_${dice.int(0, 1)}`,
  }));
}

function randomAddons(dice: Dice, places: number): LifeAddon[] {
  return (['one_time', 'recurring', 'quantity'] as const).map((kind) => ({
    addonId: `addon_${kind}`,
    kind,
    // The price of a quantity add-on is a unit price, finer than money.
    price: kind === 'quantity' ? dice.decimal(0, 20_000, 5) : dice.decimal(1, 20_000, places),
  }));
}

type Frame = { firstDay: number; metrics: LifeMetric[]; places: number };

function randomSubscription(dice: Dice, i: number, { firstDay, metrics, places }: Frame): LifeSubscription {
  const billed = metrics.filter(() => dice.chance(0.8));
  const ownPrepaid = billed.filter(() => dice.chance(0.15)).map(({ metricId }) => [metricId, randomUnits(dice)]);
  const calendar = dice.pick(['fixed_days', 'fixed_days', 'anniversary', 'calendar'] as const);
  return {
    subscriptionId: `sub_${i}`,
    // Two of a kind often close at the same instant.
    startDate: new Date(firstDay + dice.pick([0, 0, 30, 90, dice.int(0, 100)]) * DAY).toISOString().slice(0, 10),
    days: dice.pick([30, 30, 30, 90, 365] as const),
    calendar,
    anchorDay: calendar === 'calendar' ? dice.pick([1, 1, 15, 29, 30, 31]) : null,
    timing: dice.pick(['in_arrears', 'in_advance'] as const),
    fee: dice.chance(0.2) ? '0' : dice.decimal(1, 100_000, places),
    components: billed.map(({ metricId }) => randomComponent(dice, metricId)),
    ownPrepaid: Object.fromEntries(ownPrepaid),
  };
}

function randomUnits(dice: Dice): string {
  return dice.chance(0.3) ? '0' : dice.decimal(1, 300, dice.pick([0, 0, 1]));
}

function randomComponent(dice: Dice, metricId: string): LifeComponent {
  const pricingModel = dice.pick(['per_unit', 'tiered', 'volume', 'package'] as const);
  const tiered = pricingModel === 'tiered' || pricingModel === 'volume';
  return {
    metricId,
    pricingModel,
    rounding: dice.pick(['round_down', 'round_up', 'round_nearest', 'no_rounding', 'no_rounding'] as const),
    freeTier: dice.chance(0.4) ? dice.decimal(0, 300, dice.pick([0, 1])) : '0',
    price: tiered ? null : randomPrice(dice),
    packageSize: pricingModel === 'package' ? dice.decimal(1, 200, dice.pick([0, 0, 1])) : null,
    tiers: tiered ? randomTiers(dice) : null,
    prepaid: dice.chance(0.3) ? randomUnits(dice) : '0',
  };
}

/** Often such that half of the smallest unit falls due, as 0.005 and 0.125 make it. */
function randomPrice(dice: Dice): string {
  return dice.pick([
    '0.5',
    '0.005',
    '0.125',
    '0.0005',
    dice.decimal(0, 5_000, 2),
    dice.decimal(0, 100_000, 5),
    dice.decimal(0, 1_000_000_000, 12),
  ]);
}

function randomTiers(dice: Dice): LifeComponent['tiers'] {
  let edge = 0;
  const edges = Array.from({ length: dice.int(0, 3) }, () => {
    edge += dice.int(1, 25);
    return dice.chance(0.2) ? `${edge}.5` : String(edge);
  });
  return [...edges, null].map((upTo) => ({
    upTo,
    unitPrice: randomPrice(dice),
    flatFee: dice.chance(0.3) ? dice.decimal(0, 3_000, 2) : '0',
  }));
}

function randomRate(dice: Dice): string {
  return dice.pick(['0', '0', '10.5', '19', '7.7', dice.decimal(0, 100_000, 3)]);
}

type Setting = Pick<Life, 'metrics' | 'addons' | 'subscriptions' | 'startsAt' | 'endsAt' | 'places'> & { dice: Dice };

function randomMoves(setting: Setting): Move[] {
  const { dice, startsAt, endsAt } = setting;
  const usage = Array.from({ length: dice.int(0, 160) }, () => randomTrack(setting));
  const others = Array.from({ length: dice.int(0, 70) }, () => {
    const at = onGrid(dice, startsAt, endsAt);
    return dice.chance(0.05) ? refundStory(dice, setting.places, at) : [randomMove(setting, at)];
  });
  return [...usage, ...others.flat()].sort((a, b) => a.at - b.at);
}

/** Full and half hours, or a millisecond beside one: periods begin and end at such instants. */
function onGrid(dice: Dice, from: number, to: number): number {
  const slots = Math.floor((to - from) / HALF_HOUR);
  return from + dice.int(0, slots - 1) * HALF_HOUR + dice.pick([0, 0, -1, 1, 123_456]);
}

function randomTrack({ dice, subscriptions, startsAt, endsAt }: Setting): Move {
  const { startDate, days } = dice.pick(subscriptions);
  const edge = Date.parse(startDate) + dice.int(0, Math.floor(LIFE_DAYS / days)) * days * DAY;
  const nearEdge = dice.chance(0.25);
  const time = nearEdge ? onGrid(dice, edge - DAY, edge + DAY) : onGrid(dice, startsAt, endsAt);
  const delay = dice.chance(0.15) ? dice.int(0, 100 * DAY) : dice.chance(0.03) ? -dice.int(0, DAY) : 0;
  // A late and large correction makes an invoice negative.
  const [min, max] = delay > 0 && dice.chance(0.15) ? [-4_000, -400] : [dice.chance(0.1) ? -40 : 0, 60];
  const value = dice.chance(0.1) ? null : dice.decimal(min, max, dice.pick([0, 0, 0, 1, 3]));
  return { at: time + delay, do: 'track', event: { eventName: `event_${dice.int(0, 1)}`, time, value } };
}

function randomMove({ dice, addons, metrics, subscriptions, startsAt, places }: Setting, at: number): Move {
  const subscription = dice.int(0, subscriptions.length - 1);
  const addon = dice.int(0, addons.length - 1);
  const which = dice.pick([0, 0, 0, 1, 1, 2, 3, 5]);
  const quantity = addons[addon]?.kind === 'quantity' ? dice.int(1, 5) : 1;
  const days = dice.chance(0.4) ? null : dice.int(0, 90);
  const prepay = (): Move => {
    const { metricId: metric } = dice.pick(metrics);
    return { at, do: 'prepay', subscription, metric, units: randomUnits(dice), now: dice.chance(0.5) };
  };
  const moves: (() => Move)[] = [
    () => ({ at, do: 'attach', subscription, addon, quantity }),
    () => ({ at, do: 'attach', subscription, addon, quantity }),
    () => ({ at, do: 'detach', subscription, addon }),
    () => ({ at, do: 'grant', amount: dice.decimal(1, 30_000, places), days }),
    () => ({ at, do: 'grant', amount: dice.decimal(1, 30_000, places), days }),
    prepay,
    prepay,
    () => ({ at, do: 'pay', which }),
    () => ({ at, do: 'pay', which }),
    () => ({ at, do: 'pay', which }),
    () => ({ at, do: 'void', which }),
    () => ({ at, do: 'giveUp', which }),
    () => randomRefund(dice, places, { at, which }),
    () => randomRefund(dice, places, { at, which }),
    () => ({ at, do: 'look' }),
    () => ({ at, do: 'look' }),
    () => ({ at, do: 'voidCredit', which }),
    () => ({ at, do: 'moveExpiry', which, days: dice.chance(0.3) ? null : dice.int(-20, 60) }),
    () => ({ at, do: 'settle', which: dice.int(0, 1), trigger: dice.pick(['complete', 'cancel']) }),
    () => rareMove(dice, { at, subscription, settled: at > startsAt + 110 * DAY }),
  ];
  return dice.pick(moves)();
}

function randomRefund(dice: Dice, places: number, move: { at: number; which: number }): Move {
  const method = dice.pick(['bank_transfer', 'store_credit'] as const);
  return { ...move, do: 'refund', amount: dice.chance(0.3) ? null : dice.decimal(1, 9_000, places), method };
}

/** Rarely met by chance: money is paid, goes back in parts, and some of it is kept after all. */
function refundStory(dice: Dice, places: number, at: number): Move[] {
  const which = dice.int(0, 2);
  const refunds = Array.from({ length: 4 }, (_, i) => {
    const settle: Move = { at: at + 2 * i + 2, do: 'settle', which: 0, trigger: dice.pick(['complete', 'cancel']) };
    return [randomRefund(dice, places, { at: at + 2 * i + 1, which }), ...(dice.chance(0.7) ? [settle] : [])];
  });
  return [{ at, do: 'pay', which }, ...refunds.flat()];
}

type Rare = { at: number; subscription: number; settled: boolean };

/** The zone changes only once all subscriptions have begun: instants of a first period are stored at creation. */
function rareMove(dice: Dice, { at, subscription, settled }: Rare): Move {
  const moves: Move[] = [
    { at, do: 'setTax', rate: randomRate(dice) },
    { at, do: 'setLateUsage', policy: dice.pick(['next_invoice', 'next_invoice', 'ignore']) },
    settled ? { at, do: 'setZone', zone: dice.pick(ZONES) } : { at, do: 'look' },
    dice.chance(0.4) ? { at, do: 'endRenewal', subscription } : { at, do: 'look' },
  ];
  return dice.pick(moves);
}
