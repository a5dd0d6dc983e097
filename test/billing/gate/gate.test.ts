import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { howMany } from '../../how-many.ts';
import type { Life, LifePlan, LifeStep } from '../lives/life.ts';
import { compareDraft, textOf } from './compare.ts';
import { ARREARS, FREE_ARREARS, lifeOf } from './known-difference.ts';
import { KNOWN_DIFFERENCES } from './known-differences.ts';
import { randomLife } from './random-life.ts';

/**
 * A draft foretells the invoices that are issued if nothing else happens (spec/invoices#draft): drafted after every step of random
 * lives, invoice by invoice, with dates, lines in their order, tax, credits and what is due. `LIVES` and `SEED` lead to more lives.
 */
const LIVES = Number(process.env.LIVES ?? howMany(120, 4000));
const FIRST = Number(process.env.SEED ?? 20_261_128);
/** The acts that the compared lives must have, for the comparison to prove anything. */
const WANTED = [
  'use',
  'redeem',
  'switch',
  'cancel',
  'resume',
  'attach',
  'pay',
  'void',
  'refund',
  'grant',
  'tax',
  'bill_to',
];

test(`the drafts after every step of ${LIVES} random lives are issued as they were drafted`, {
  timeout: 120_000 + LIVES * 500,
}, () => {
  const seen = new Map<string, number>();
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  for (let seed = FIRST; seed < FIRST + LIVES; seed++) {
    const life = randomLife(seed);
    for (let n = 1; n <= life.steps.length; n++) {
      const steps = life.steps.slice(0, n);
      const { compared, covered } = compareDraft({ ...life, steps }, KNOWN_DIFFERENCES);
      for (const { drafted, issued } of compared) {
        if (!isDeepStrictEqual(drafted, issued))
          expect(drafted.map(textOf), `life ${seed}: ${JSON.stringify({ ...life, steps })}`).toEqual(
            issued.map(textOf),
          );
        if (issued.length === 0) continue;
        count('drafts with invoices');
        for (const act of new Set(steps.map((step) => step.do))) count(act);
      }
      for (const id of covered) count(`left out: ${id}`);
    }
  }
  console.log(`gate: ${LIVES} lives from seed ${FIRST}: ${JSON.stringify(Object.fromEntries(seen))}`);
  expect(WANTED.filter((act) => !seen.has(act))).toEqual([]);
  expect(seen.get('drafts with invoices') ?? 0).toBeGreaterThan(LIVES);
});

function drafted(life: Life) {
  const [one] = compareDraft(life).compared;
  return { drafted: one?.drafted.map(textOf), issued: one?.issued.map(textOf) };
}

test('what the only subscription leaves, canceled with `add_to_next_invoice`, is drafted with the date of its invoice', () => {
  const life = lifeOf(
    { month: { ...ARREARS, fee: '195.68' } },
    { at: 0, do: 'subscribe', plan: 'month' },
    { at: 4, do: 'cancel' },
  );
  const bills = ['closing 2027-01-31: recurring_fee 26.09; due 26.09'];
  expect(drafted(life)).toEqual({ drafted: bills, issued: bills });
});

const MONTH = { at: 0, do: 'subscribe', plan: 'month' } as const;
const IN_ADVANCE: LifePlan = { fee: '30' };
const FREE_WITH_CALLS: LifePlan = { ...FREE_ARREARS, components: [{ metric: 'calls', price: '1' }] };

test.each<[title: string, plan: LifePlan, steps: LifeStep[], bills: string[]]>([
  [
    'a planned resume behind the end of the period',
    IN_ADVANCE,
    [{ at: 25, do: 'pause', inDays: 14 }],
    ['period 2027-02-09: recurring_fee 21; due 21'],
  ],
  [
    'a planned resume within the period',
    IN_ADVANCE,
    [{ at: 10, do: 'pause', inDays: 14 }],
    ['period 2027-01-31: recurring_fee 30; due 30'],
  ],
  [
    'a planned resume that bills nothing, two periods later: the next boundary',
    FREE_WITH_CALLS,
    [
      { at: 10, do: 'pause', inDays: 60 },
      { at: 12, do: 'use', metric: 'calls', value: '5' },
    ],
    ['period 2027-04-01: usage calls x0 0; due 0'],
  ],
  [
    'the cancel of a paused subscription with the period in which it was paused',
    ARREARS,
    [
      { at: 6, do: 'cancel', atEnd: true },
      { at: 8, do: 'pause' },
    ],
    ['closing 2027-01-31: recurring_fee 8; due 8'],
  ],
  [
    'the cancel of a paused subscription within a later period: what waited at its instant, the rest with the end of the period',
    ARREARS,
    [
      { at: 8, do: 'pause' },
      { at: 9, do: 'cancel', inDays: 40 },
    ],
    ['period 2027-02-19: recurring_fee 8; due 8'],
  ],
  [
    'the cancel of a paused subscription with a later period, at which nothing is due',
    IN_ADVANCE,
    [
      { at: 9, do: 'pause' },
      { at: 53, do: 'cancel', atEnd: true },
    ],
    [],
  ],
])('%s is drafted as it is issued', (_, month, steps, bills) => {
  expect(drafted(lifeOf({ month }, MONTH, ...steps))).toEqual({ drafted: bills, issued: bills });
});

describe.each(KNOWN_DIFFERENCES)('$id: $title', ({ covers: _covers, examples }) => {
  for (const { title, life, ...today } of examples) {
    test.fails(title, () => {
      const found = drafted(life);
      expect(found.drafted).toEqual(found.issued);
    });
    test(`${title}: not yet`, () => expect(drafted(life)).toEqual(today));
  }
});
