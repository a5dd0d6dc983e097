import { env } from 'node:process';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { howMany } from '../../how-many.ts';
import { coreDeal } from './core-deal.ts';
import type { Deal } from './deal.ts';
import { modelDeal } from './model-deal.ts';
import { randomFamily } from './random-family.ts';

/**
 * Deals of everything that can be sold (docs/pricing.md), by the rules of billing/ and by a model that is deliberately simple: also with usage
 * that lands late, rows that come to price books, cancels that leave what they bill, and one who pays for others. What one deal in fifty would show is
 * found by so many three times out of four; the rest is for the long run, some two minutes: `DEALS=10000 SEED=20270131`.
 */
const DEALS = Number(env.DEALS ?? howMany(70, 300));
/** Fixed, so that a run is like the one before; the variable leads on to deals never made. */
const FIRST = Number(env.SEED ?? 20_261_123);
/** What all deals together must have in them to prove anything. */
const WANTED = [
  'recurring_fee',
  'prepaid_units',
  'addon',
  'usage',
  'late_usage',
  'true_up',
  'discount',
  'proration',
  'opening',
  'period',
  'closing',
  'held',
  'credit',
  'pause',
  'added row',
  'late ignored',
  'left by a cancel',
  'JPY',
  'KWD',
  'sections',
  'joins',
  'leaves',
];

test(`${DEALS} random deals are billed as a simple model says, and as they were drafted`, {
  timeout: 60_000 + DEALS * 200,
}, () => {
  const seen = new Map<string, number>();
  for (let seed = FIRST; seed < FIRST + DEALS; seed++) {
    const deal = randomFamily(seed);
    const { drafts, ...is } = coreDeal(deal);
    const should = modelDeal(deal);
    if (!isDeepStrictEqual(is, should)) expect({ deal, ...is }).toStrictEqual({ deal, ...should });
    for (const { drafted, invoiced } of drafts) {
      if (!isDeepStrictEqual(drafted, invoiced)) expect({ deal, drafted }).toStrictEqual({ deal, drafted: invoiced });
    }
    for (const { kind, lines, held, sections } of is.invoices)
      for (const what of [kind, ...lines.map(typeOf), ...held.map(() => 'held'), ...(sections[1] ? ['sections'] : [])])
        seen.set(what, (seen.get(what) ?? 0) + 1);
    for (const what of [
      deal.currency,
      ...deal.pauses.map(() => 'pause'),
      ...is.credits.map(() => 'credit'),
      ...rare(deal),
    ])
      seen.set(what, (seen.get(what) ?? 0) + 1);
  }
  console.log(`deals: ${DEALS} from seed ${FIRST}: ${JSON.stringify(Object.fromEntries(seen))}`);
  expect(WANTED.filter((what) => !seen.has(what))).toEqual([]);
});

const typeOf = (line: string) => line.replace(/^of \d+: /, '').replace(/ .*/, '');

const rare = ({ additions, ignoresLate, cancel, children }: Deal) => [
  ...children.flatMap(({ joinsAt, leavesAt }) => [...(joinsAt ? ['joins'] : []), ...(leavesAt ? ['leaves'] : [])]),
  ...additions.map(() => 'added row'),
  ...(ignoresLate ? ['late ignored'] : []),
  ...(cancel && !cancel.isInvoicedNow ? ['left by a cancel'] : []),
];
