import { describe, expect, test } from 'vitest';
import type { Life, Outcome } from '../lives/life.ts';
import type { Example } from './example.ts';

/**
 * Defines the tests of an example. If the rule is not kept today, its test is expected to fail, and a second one holds what the life
 * comes to instead: a life that cannot be performed fails the second one.
 */
export function testExample(example: Example, outcomeOf: (life: Life) => Promise<Outcome>): void {
  const { id, title, why, life, expected, today } = example;
  let lived: Promise<Outcome> | undefined;
  const live = () => {
    lived ??= outcomeOf(life);
    return lived;
  };
  describe(id, () => {
    if (today === undefined) {
      test(`${title}: ${why}`, async () => expect(await live()).toMatchObject(expected));
      return;
    }
    // It fails as expected at the first try: a second one would count as a flake.
    test.fails(`${title}: ${why}`, { retry: 0 }, async () => expect(await live()).toMatchObject(expected));
    test(`${title}: not yet`, async () => expect(await live()).toMatchObject(today));
  });
}
