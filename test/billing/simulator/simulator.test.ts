import { env } from 'node:process';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { howMany } from '../../how-many.ts';
import { coreLife } from './core-life.ts';
import type { Entry } from './life.ts';
import { modelLife } from './model-life.ts';
import { randomLife } from './random-life.ts';

/**
 * Customers live 24 months by the rules of billing/, and again by a model that tells the same rules as simply as they can be
 * told, with its own numbers, calendar, prices and records. Whatever comes of a life must be the same on both sides.
 */
const LIVES = howMany(100, 1_000);
/** Fixed, so that a run is like the one before; the variable leads on to lives never lived. */
const FIRST = Number(env.SIMULATOR_SEED ?? 20_261_300);
/** Seeds of lives to be lived again: those that a failure has named. */
const AGAIN: number[] = [];

test(`${LIVES} random lives are what a simple model says`, { timeout: 900_000 }, () => {
  const seen = new Set<string>();
  for (let seed = FIRST; seed < FIRST + LIVES; seed++) for (const what of liveTwice(seed)) seen.add(what);
  console.log(`simulator: ${LIVES} lives from seed ${FIRST}`);
  expect([...WANTED].filter((what) => !seen.has(what))).toEqual([]);
});

test.each(AGAIN)('life %i', (seed) => {
  liveTwice(seed);
});

/** Throws where core and model part; answers what has happened. */
function liveTwice(seed: number): string[] {
  const life = randomLife(seed);
  const core = attempt(seed, () => coreLife(life));
  const model = attempt(seed, () => modelLife(life));
  const at = core.findIndex((entry, i) => !isDeepStrictEqual(entry, model[i]));
  if (at < 0 && core.length === model.length) return core.flatMap(happenings);
  const [is, should] = [core[at], model[at]].map((entry) => JSON.stringify(entry, null, 1));
  expect(is, `life ${seed} (put it into AGAIN to live it alone), entry ${at} of what came of it`).toBe(should);
  throw new Error(`life ${seed}: the model has ${model.length} entries, the core ${core.length}`);
}

function attempt(seed: number, live: () => Entry[]): Entry[] {
  try {
    return live();
  } catch (cause) {
    throw new Error(`life ${seed} (put it into AGAIN to live it alone) broke off`, { cause });
  }
}

/** What lives must have in them, together, to prove anything. */
const WANTED = new Set([
  ...['opening', 'period', 'closing', 'proration'].flatMap((kind) => [`${kind} open`, `${kind} paid`]),
  ...['recurring_fee', 'prepaid_units', 'usage', 'addon', 'proration', 'late_usage', 'credit'].map(
    (type) => `line ${type}`,
  ),
  ...['attach', 'detach', 'prepay', 'voidCredit', 'moveExpiry', 'pay', 'void', 'giveUp', 'refund', 'settle'].flatMap(
    (move) => {
      return [`${move} done`, `${move} refused`];
    },
  ),
  'endRenewal done',
  'overpaid',
]);

function happenings(entry: Entry): string[] {
  if (entry.entry === 'move') return [`${entry.do} ${entry.outcome}`];
  if (entry.entry !== 'invoice') return [];
  const lines = entry.lines.map(({ type }) => `line ${type}`);
  return [`${entry.kind} ${entry.status}`, ...lines, ...(entry.overpayment === '0' ? [] : ['overpaid'])];
}
