import { env } from 'node:process';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { coreDeal } from './core-deal.ts';
import { modelDeal } from './model-deal.ts';
import { randomDeal } from './random-deal.ts';

/** Deals of months, percentages, limits and discounts (docs/pricing.md), by the rules of billing/ and by a model that is deliberately simple. */
const DEALS = 10_000;
/** Fixed, so that a run is like the one before; the variable leads on to deals never made. */
const FIRST = Number(env.SIMULATOR_SEED ?? 20_261_123);
/** What all deals together must have in them to prove anything. */
const WANTED = ['recurring_fee', 'usage', 'true_up', 'discount', 'opening', 'period', 'closing'];

test(`${DEALS} random deals are billed as a simple model says`, { timeout: 600_000 }, () => {
  const seen = new Set<string>();
  for (let seed = FIRST; seed < FIRST + DEALS; seed++) {
    const deal = randomDeal(seed);
    const [is, should] = [coreDeal(deal), modelDeal(deal)];
    if (!isDeepStrictEqual(is, should)) expect({ deal, invoices: is }).toStrictEqual({ deal, invoices: should });
    for (const { kind, lines } of is) for (const what of [kind, ...lines.map(typeOf)]) seen.add(what);
  }
  console.log(`deals: ${DEALS} from seed ${FIRST}`);
  expect(WANTED.filter((what) => !seen.has(what))).toEqual([]);
});

const typeOf = (line: string) => line.slice(0, line.indexOf(' '));
