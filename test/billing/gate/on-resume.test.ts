import { expect, test } from 'vitest';
import { howMany } from '../../how-many.ts';
import { CorePlayer } from '../lives/core-player.ts';
import type { Bill, Life, LifeStep } from '../lives/life.ts';
import { Dice } from '../simulator/dice.ts';
import { textOf } from './compare.ts';
import { ARREARS, lifeOf } from './known-difference.ts';
import { randomLife } from './random-life.ts';

/**
 * What a draft shows on the condition `on_resume` is what a resume makes that is asked for at once (spec/invoices#draft). `LIVES` and
 * `SEED` lead to more lives.
 */
const LIVES = Number(process.env.LIVES ?? howMany(60, 2000));
const FIRST = Number(process.env.SEED ?? 20_261_128);

/** Lives a life, drafts, and resumes the subscription of its last step's customer; undefined if a resume is refused. */
function resumedAfter(life: Life): { drafted: Bill[]; issued: Bill[] } | undefined {
  const player = new CorePlayer(life);
  for (const step of life.steps) player.perform(step);
  const { at = 0, customer = life.customers[0]?.id ?? '' } = life.steps.at(-1) ?? {};
  const { payer, drafted } = player.draftOnResume(customer);
  const before = player.issued(payer).length;
  if (!player.perform({ at, customer, do: 'resume' })) return undefined;
  return { drafted, issued: player.issued(payer).slice(before) };
}

/**
 * A random life whose customer is paused on some day and left alone until another. It has no planned switches: one that falls due in a
 * pause is a step of its own behind the resume.
 */
function pausedLife(seed: number): Life {
  const life = randomLife(seed);
  const dice = new Dice(seed);
  const { customer } = life.steps[0] ?? {};
  const act = { ...(customer && { customer }) };
  const others = life.steps.flatMap((step): LifeStep[] => {
    if (step.do === 'subscribe') return [{ ...step, phases: [] }];
    const isLeft = step.do !== 'resume' && step.do !== 'pause' && !(step.do === 'switch' && step.inDays !== undefined);
    return isLeft ? [step] : [];
  });
  const pausedAt = dice.int(3, 40);
  const steps = [...others, { at: pausedAt, ...act, do: 'pause' as const }].toSorted((a, b) => a.at - b.at);
  const last = { at: 76 + dice.int(0, 30), ...act, do: 'use' as const, metric: 'calls', value: '0' };
  return { ...life, steps: [...steps, last] };
}

test(`what ${LIVES} random pauses would bill on a resume is billed by a resume then`, { timeout: 600_000 }, () => {
  let billed = 0;
  for (let seed = FIRST; seed < FIRST + LIVES; seed++) {
    const life = pausedLife(seed);
    const found = resumedAfter(life);
    if (!found) continue;
    expect(found.drafted.map(textOf), `life ${seed}: ${JSON.stringify(life)}`).toEqual(found.issued.map(textOf));
    if (found.drafted.length > 0) billed++;
  }
  expect(billed).toBeGreaterThan(LIVES / 10);
});

test('the parts of two subscriptions that stay paused use up no credits of each other, nor of what is invoiced without a resume', () => {
  const life = {
    ...lifeOf(
      { month: ARREARS },
      ...['a', 'b', 'p'].map((customer) => ({ at: 0, customer, do: 'subscribe' as const, plan: 'month' })),
      { at: 0, customer: 'p', do: 'grant', amount: '20' },
      ...['a', 'b'].map((customer) => ({ at: 10, customer, do: 'pause' as const })),
      { at: 40, customer: 'p', do: 'grant', amount: '0.01' },
    ),
    customers: [{ id: 'p' }, { id: 'a', billedTo: 'p' }, { id: 'b', billedTo: 'p' }],
  };
  const player = new CorePlayer(life);
  for (const step of life.steps) player.perform(step);
  expect(player.draft('p').map(textOf)).toEqual(['period 2027-03-02: recurring_fee 30, credit -0.01; due 29.99']);
  for (const customer of ['a', 'b']) {
    expect(player.draftOnResume(customer).drafted.map(textOf)).toEqual([
      `period 2027-02-10: ${customer}: recurring_fee 10, credit -0.01; due 9.99`,
    ]);
  }
});
