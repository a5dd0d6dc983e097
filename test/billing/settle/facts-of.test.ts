import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PeriodFacts } from '../../../billing/settle/facts.ts';
import { factsOf } from '../../../billing/settle/facts-of.ts';
import { decimal } from '../../../core/decimal.ts';
import { howMany } from '../../how-many.ts';
import { plan, switchedOf } from '../fixtures.ts';
import { Life } from './life.ts';
import { anyCase, bothWays, type Case, on, PERIOD } from './period-case.ts';

/** The closing invoice of the period by its facts, behind an opening invoice with its prepaid units. */
function issued(facts: PeriodFacts, { discount, taxRate }: Case): string {
  const life = new Life().set(facts);
  // The opening invoice has no discount, as the rules that bill today are asked for the closing one alone.
  life.issue('INV-1', facts.periodId, ['start'], { kind: 'opening', taxRate });
  if (discount) life.discounts.push({ ...discount, subscriptionIds: ['sub_1'] });
  return life.issue('INV-2', facts.periodId, ['change', 'window', 'end'], { kind: 'closing', taxRate });
}

test('the facts of a period cost what its closing invoice charges', () => {
  fc.assert(
    fc.property(anyCase, (drawn) => {
      const { invoice, facts } = bothWays(drawn);
      expect(issued(facts, drawn)).toBe(invoice.total.toFixed(2));
    }),
    { numRuns: howMany(300, 10_000) },
  );
});

test('each plan in force is a fee from its day on', () => {
  const [small, large] = [plan({ planId: 'small' }), plan({ planId: 'large', recurringFee: decimal(60) })];
  const plans = [
    { ...on(0), subscriptionId: 'sub_1', plan: small },
    { ...on(10), subscriptionId: 'sub_2', plan: large },
  ];
  const facts = factsOf({
    ...{ periodId: 'p', period: switchedOf(plans, PERIOD), ending: null, isInAdvance: true, isClosed: false },
    ...{
      settled: [],
      units: [],
      addons: [],
      mayNotRestore: new Map([['sub_2', ['sub_1']]]),
      nameOf: (id: string) => id,
    },
  });
  expect(
    facts.fees.map(({ changeId, from, price, mayNotRestore }) => [changeId, from, price.toFixed(), mayNotRestore]),
  ).toEqual([
    ['sub_1', 0, '29', []],
    ['sub_2', 10, '60', ['sub_1']],
  ]);
  expect(facts.used).toEqual([
    { from: 0, to: 10 },
    { from: 10, to: 30 },
  ]);
});
