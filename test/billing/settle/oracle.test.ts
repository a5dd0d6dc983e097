import { expect, test } from 'vitest';
import type { FeeChange, PeriodFacts } from '../../../billing/settle/facts.ts';
import { reversible } from '../../../billing/settle/terms.ts';
import { decimal } from '../../../core/decimal.ts';
import { howMany } from '../../how-many.ts';
import { Dice } from '../simulator/dice.ts';
import { add, type Fraction, fraction, multiply, NOUGHT, toUnits, unitsText, whole } from '../simulator/fractions.ts';
import { Life, percentOff, period, usage } from './life.ts';

const LIVES = howMany(2_000, 50_000);
const DAYS = 30;

/** An invoice of a life as the oracle knows it: which layers and usage it charged, and by which terms. */
type Noted = { payer: string; rate: number; percents: readonly number[]; layers: readonly string[]; hasUsage: boolean };

/** A life whose facts the oracle computes once, at its end. */
type Drawn = { life: Life; noted: Noted[]; changes: FeeChange[]; endDay: number; units: number };

/**
 * Draws the life of one subscription in one billing period: switches up and down, coupons, a payer who is replaced, a cancel, and usage
 * that is corrected late. Every invoice is paid in full, and nothing is refunded by hand.
 */
function draw(seed: number): Drawn {
  const dice = new Dice(seed);
  const life = new Life();
  const isInAdvance = dice.chance(0.6);
  const changes: FeeChange[] = [];
  const noted: Noted[] = [];
  const percents: number[] = [];
  const billedTo = new Map<string, string>();
  let terms = { payer: 'first', rate: dice.pick([0, 7, 19]) };
  let [endDay, units, day] = [DAYS, 0, 0];
  const facts = (isClosed: boolean): PeriodFacts => {
    const priced = isClosed ? [usage(units)] : [];
    return period('p', { isInAdvance, isClosed, fees: changes, used: [{ from: 0, to: endDay }], priced });
  };
  const bill = (due: 'start' | 'change' | 'end', layers: readonly string[]) => {
    const kind = due === 'change' ? 'proration' : 'period';
    life.issue(`INV-${noted.length}`, 'p', [due], { payerId: terms.payer, taxRate: terms.rate, kind });
    for (const id of layers) billedTo.set(id, terms.payer);
    noted.push({ ...terms, percents: [...percents], layers, hasUsage: due === 'end' });
    life.settle();
  };
  const change = (price: string) => {
    const changeId = `c${changes.length}`;
    const mayNotRestore = [...billedTo].filter(([, payer]) => payer !== terms.payer).map(([id]) => id);
    const origin = { subscriptionId: 'sub', planId: 'plan', version: 1, planName: 'Pro' };
    changes.push({ ...origin, changeId, from: day, price: decimal(price), mayNotRestore });
    life.set(facts(false));
    return changeId;
  };
  const first = change(dice.decimal(0, 20_000, 2));
  if (isInAdvance) bill('start', [first]);
  const steps = dice.int(0, 5);
  for (let i = 0; i < steps; i++) {
    day = Math.min(DAYS - 1, day + dice.int(0, 8));
    const kind = dice.pick(['switch', 'switch', 'switch', 'coupon', 'payer']);
    if (kind === 'coupon' && percents.length < 2) {
      const percent = dice.int(1, 100);
      percents.push(percent);
      life.discounts.push(percentOff(percent, null, `percent-${percents.length}`));
    }
    if (kind === 'payer') terms = { payer: dice.pick(['first', 'second']), rate: dice.pick([0, 7, 19]) };
    if (kind === 'switch') bill('change', [change(dice.decimal(0, 20_000, 2))]);
  }
  if (dice.chance(0.5)) endDay = Math.min(DAYS, day + dice.int(0, 8));
  units = dice.int(0, 500);
  life.set(facts(true)).settle();
  bill('end', isInAdvance ? [] : [first]);
  const corrections = dice.int(0, 3);
  for (let i = 0; i < corrections; i++) {
    units = dice.int(0, 500);
    life.set(facts(true)).settle();
  }
  return { life, noted, changes, endDay, units };
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** What each layer is worth in the end, day by day: every day has its own stack of layers, which knows nothing of the others. */
function layersAtEnd({ changes, endDay }: Pick<Drawn, 'changes' | 'endDay'>): Map<string, Fraction> {
  const worth = new Map<string, Fraction>();
  for (let day = 0; day < endDay; day++) {
    const stack: { id: string; cents: bigint }[] = [];
    const removed: { id: string; cents: bigint }[] = [];
    for (const { changeId, from, price, mayNotRestore } of changes) {
      if (from > day) break;
      let rise = BigInt(price.shiftedBy(2).toFixed()) - stack.reduce((sum, { cents }) => sum + cents, 0n);
      while (rise < 0n) {
        const top = stack.pop();
        if (!top) throw new Error('a price below zero');
        const off = least(top.cents, -rise);
        removed.push({ id: top.id, cents: off });
        if (off < top.cents) stack.push({ id: top.id, cents: top.cents - off });
        rise += off;
      }
      for (let i = removed.length - 1; i >= 0 && rise > 0n; i--) {
        const piece = removed[i];
        if (!piece || mayNotRestore.includes(piece.id)) continue;
        const back = least(piece.cents, rise);
        stack.push({ id: piece.id, cents: back });
        piece.cents -= back;
        rise -= back;
      }
      if (rise > 0n) stack.push({ id: changeId, cents: rise });
    }
    for (const { id, cents } of stack)
      worth.set(id, add(worth.get(id) ?? NOUGHT, { n: cents, d: 100n * BigInt(DAYS) }));
  }
  return worth;
}

/** What each payer has paid in the end: its invoices, each computed once over the final facts, in smallest units. */
function paidByOracle(drawn: Drawn): Map<string, bigint> {
  const worth = layersAtEnd(drawn);
  const paid = new Map<string, bigint>();
  for (const { payer, rate, percents, layers, hasUsage } of drawn.noted) {
    const lines = layers.map((id) => toUnits(worth.get(id) ?? NOUGHT, 2));
    if (hasUsage) lines.push(BigInt(drawn.units) * 100n);
    let net = lines.reduce((sum, units) => sum + units, 0n);
    for (const percent of percents) {
      net -= toUnits(multiply(whole(net), fraction(`${percent / 100}`)), 0);
    }
    const tax = toUnits(multiply(whole(net), fraction(`${rate / 100}`)), 0);
    paid.set(payer, (paid.get(payer) ?? 0n) + net + tax);
  }
  return paid;
}

test(`in ${LIVES} random lives each payer has paid its invoices, computed once over the final facts`, () => {
  for (let seed = 1; seed <= LIVES; seed++) {
    const drawn = draw(seed);
    const expected = paidByOracle(drawn);
    for (const payer of ['first', 'second']) {
      const paid = drawn.life.paid.get(payer)?.toFixed() ?? '0';
      expect({ seed, payer, paid }).toEqual({ seed, payer, paid: unitsText(expected.get(payer) ?? 0n, 2) });
    }
    for (const charge of drawn.life.records.charges) {
      const { lineId, net, back } = charge;
      const isWithin = !back.lt(0) && !back.gt(net) && !reversible(charge).lt(0);
      expect({ seed, lineId, isWithin }).toEqual({ seed, lineId, isWithin: true });
    }
  }
});
