import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MetricRule } from '../../../billing/catalog/metrics.ts';
import { lateLine } from '../../../billing/invoices/invoice-lines.ts';
import { stillHeld } from '../../../billing/invoices/pending-items.ts';
import type { BilledCombination, BilledUsage } from '../../../billing/metering/billed-usage.ts';
import { bookQuestionOf, countByBook } from '../../../billing/metering/book-usage.ts';
import { lateCharges, lateUsage } from '../../../billing/metering/late-usage.ts';
import type { HeldUsage } from '../../../billing/pricing/held-usage.ts';
import {
  type PriceRow,
  type PropertyTexts,
  rowFor,
  rowsInOrder,
  type Unmatched,
} from '../../../billing/pricing/price-book.ts';
import { type BillingRules, planKey, planOf } from '../../../billing/state/billing-rules.ts';
import { decimal, toPlain, ZERO } from '../../../core/decimal.ts';
import { component, event, NO_RULES, plan } from '../fixtures.ts';

/** A billed period whose price book gets rows (spec/price-books#additions). */
const day = (n: number) => Date.UTC(2026, 10, n);
const WINDOW = { startsAt: day(1), endsAt: day(30) };
const COUNT: MetricRule = {
  ...{ aggregationType: 'count', eventName: null, propertyName: null },
  ...{ numericFilters: [], categoricalFilters: [], timeFilter: null },
};

function row(
  n: number,
  when: PropertyTexts,
  { from = null, addedOn = null }: { from?: number | null; addedOn?: number | null } = {},
): PriceRow {
  const price = { pricingModel: 'per_unit', overagePrice: decimal(n) } as const;
  const addition = addedOn === null ? null : { at: day(addedOn), on: {} };
  return { priceId: `price_${n}`, when, from, price, freeTier: ZERO, isOverride: false, addition, seq: BigInt(n) };
}

type Used = { model: string; at: number };
const used = (model: string, n: number): Used => ({ model, at: day(n) });

/** What the table of billed combinations says of the window. */
type State = { rowsKnown: bigint; billed: ReadonlyMap<string, BilledCombination> };
const keyOf = ({ texts, priceId }: BilledCombination) => `${texts.model} ${priceId}`;

function rulesOf(rows: readonly PriceRow[], unmatched: Unmatched): BillingRules {
  const book = { groupBy: ['model'], rows, unmatched };
  const sold = plan({ components: [{ ...component({ overagePrice: decimal(100) }), book }] });
  return {
    ...NO_RULES,
    plans: { [planKey({ planId: 'plan_1', version: 3 })]: sold },
    metrics: { metric_1: { ...COUNT, metricId: 'metric_1', metricName: 'Calls' } as never },
  };
}

const eventsOf = (all: readonly Used[]) =>
  all.map(({ model, at }) => event({ model }, { customerId: 'acme', timeCreated: at }));
const scope = { customerId: 'acme', intervals: [WINDOW], timeZone: 'UTC' };

/** The period as it was billed by the rows of then, with the events that had come. */
function billedBy(rows: readonly PriceRow[], all: readonly Used[], unmatched: Unmatched): State {
  const [of] = planOf(rulesOf(rows, unmatched), { planId: 'plan_1', version: 3 }).components;
  const question = of && bookQuestionOf(of, WINDOW, { timeZone: 'UTC', testClockId: null });
  if (!question) throw new Error('no price book');
  const counted = countByBook(COUNT, eventsOf(all), scope, question).map(({ row: by, ...one }): BilledCombination => {
    const isHeld = by === null && unmatched === 'hold';
    return { ...one, ...WINDOW, priceId: by?.priceId ?? null, isHeld, rowsKnown: BigInt(rows.length) };
  });
  return { rowsKnown: BigInt(rows.length), billed: new Map(counted.map((one) => [keyOf(one), one])) };
}

/** Counts again by what has been read, and saves it over what is there by then, as the service does. */
function countAgain(
  read: State,
  saved: State,
  rows: readonly PriceRow[],
  all: readonly Used[],
  unmatched: Unmatched = 'hold',
) {
  const rules = rulesOf(rows, unmatched);
  const combinations = [...read.billed.values()];
  const billed: BilledUsage = {
    ...{ subscriptionId: 'sub_1', metricId: 'metric_1', planId: 'plan_1', version: 3, timeZone: 'UTC', ...WINDOW },
    ...{ prepaidUnits: ZERO, usage: { value: ZERO, eventsCount: ZERO }, chargedRate: null },
    book: { rowsKnown: read.rowsKnown, combinations },
  };
  const needed = lateUsage([{ subscriptionId: 'sub_1', countedTo: 1n, ...WINDOW }], [billed], rules);
  const [question] = needed.questions;
  if (!question?.book) throw new Error('a price book is asked by combinations');
  const counted = countByBook(COUNT, eventsOf(all), scope, question.book);
  const late = needed.by([{ value: ZERO, eventsCount: ZERO, combinations: counted }]);
  const after = new Map(saved.billed);
  const periods = late.periods.map(({ billed: one, charge }) => {
    if (!one.combination) throw new Error('late usage of a price book is of a combination');
    const was = saved.billed.get(keyOf(one.combination))?.usage ?? { value: ZERO, eventsCount: ZERO };
    after.set(keyOf(one.combination), one.combination);
    return { billed: one, charge: { ...charge, before: was } };
  });
  const [first] = periods;
  const rowsKnown = first?.billed.combination?.rowsKnown ?? saved.rowsKnown;
  return { state: { rowsKnown, billed: after }, charges: lateCharges({ ...late, periods }) };
}

const linesOf = ({ charges }: ReturnType<typeof countAgain>) =>
  charges.map((charge) => {
    const { quantity, amount, priceId } = lateLine(charge, 2);
    return `${charge.wasHeld ? 'held' : 'late'} x${toPlain(quantity ?? ZERO)} ${toPlain(amount)} by ${priceId}`;
  });

/** What a cancel has left of the window as held: 2 of `new`. */
const LEFT: HeldUsage = {
  ...{ subscriptionId: 'sub_1', planId: 'plan_1', version: 3, metricId: 'metric_1', group: { model: 'new' } },
  ...{ quantity: decimal(2), eventsCount: decimal(2), firstEventAt: day(5), rowsKnown: 1n },
  ...{ periodStart: WINDOW.startsAt, periodEnd: WINDOW.endsAt, windowStart: WINDOW.startsAt },
};

const heldText = ({ quantity, eventsCount, firstEventAt, periodEnd }: HeldUsage) => {
  const [first, end] = [firstEventAt, periodEnd].map((at) => new Date(at).getUTCDate());
  return `${toPlain(quantity)} of ${toPlain(eventsCount)} from day ${first}, until ${end}`;
};

describe('rows that are added behind a billed period', () => {
  const first = [row(1, { model: 'a' })];
  const all = [used('a', 3), used('a', 4), used('new', 5), used('new', 12)];

  it('bill what it held, once, and nothing of what rows have priced', () => {
    const billed = billedBy(first, all, 'hold');
    const rows = [
      ...first,
      row(2, { model: 'new' }, { addedOn: 40 }),
      row(3, { model: 'a' }, { from: day(4), addedOn: 41 }),
    ];
    const once = countAgain(billed, billed, rows, all);
    expect(linesOf(once)).toEqual(['held x2 4 by price_2']);
    expect(linesOf(countAgain(once.state, once.state, rows, all))).toEqual([]);
    const late = countAgain(once.state, once.state, rows, [...all, used('new', 6)]);
    expect(linesOf(late)).toEqual(['late x1 2 by price_2']);
  });

  it('from a date on leave what was before it to another row', () => {
    const billed = billedBy(first, all, 'hold');
    const dated = [...first, row(2, { model: 'new' }, { from: day(10), addedOn: 40 })];
    const some = countAgain(billed, billed, dated, all);
    expect(linesOf(some)).toEqual(['held x1 2 by price_2']);
    expect(stillHeld([LEFT], some.charges).map(heldText)).toEqual(['1 of 1 from day 5, until 10']);
    const rows = [...dated, row(3, {}, { addedOn: 41 })];
    const rest = countAgain(some.state, some.state, rows, all);
    expect(linesOf(rest)).toEqual(['held x1 3 by price_3']);
    expect(stillHeld([LEFT], rest.charges)).toEqual([]);
  });

  it('price nothing of what another combination, window or metric has left', () => {
    const billed = billedBy(first, all, 'hold');
    const { charges } = countAgain(billed, billed, [...first, row(2, { model: 'new' }, { addedOn: 40 })], all);
    const others = [{ group: { model: 'b' } }, { windowStart: day(2) }, { metricId: 'metric_2' }];
    const left = others.map((one) => ({ ...LEFT, ...one }));
    expect(stillHeld(left, charges)).toEqual(left);
    expect(stillHeld([LEFT], charges)).toEqual([]);
  });

  it.each([
    ['price', 'late x1 100 by undefined'],
    ['ignore', undefined],
  ] as const)(
    'unmatched %s: change nothing, and what comes late is as it would have been in time',
    (unmatched, line) => {
      const billed = billedBy(first, all, unmatched);
      const rows = [...first, row(2, { model: 'new' }, { addedOn: 40 })];
      const more = [...all, used('new', 6)];
      const late = countAgain(billed, billed, rows, more, unmatched);
      expect(linesOf(late)).toEqual(line ? [line] : []);
      expect(linesOf(countAgain(late.state, late.state, rows, more, unmatched))).toEqual([]);
    },
  );

  it('bill each event once, whoever counts what with the rows and the records of when', () => {
    const model = fc.constantFrom('a', 'b', 'c');
    const events = fc.array(fc.record({ model, at: fc.integer({ min: 1, max: 29 }).map(day) }), {
      minLength: 1,
      maxLength: 20,
    });
    const whens = fc.array(
      fc.record({
        when: fc.oneof(fc.constant({}), fc.record({ model })),
        from: fc.constantFrom(null, day(10), day(20)),
      }),
      {
        ...{ minLength: 2, maxLength: 5 },
      },
    );
    // At each saving: how many events had come, how many rows were read, and whether the records were read before the last saving.
    const counting = fc.record({ came: fc.nat(20), rows: fc.nat(5), isOld: fc.boolean() });
    fc.assert(
      fc.property(events, whens, fc.array(counting, { maxLength: 5 }), fc.nat(20), (all, added, countings, atFirst) => {
        const rows = added.map(({ when, from }, i) => row(i + 1, when, { from, addedOn: i === 0 ? null : 40 + i }));
        const known = rows.slice(0, 1);
        const states = [billedBy(known, all.slice(0, atFirst), 'hold')];
        let came = atFirst;
        for (const { came: more, rows: read, isOld } of [...countings, { came: 20, rows: 5, isOld: false }]) {
          const saved = states.at(-1) ?? states[0];
          const before = (isOld && states.at(-2)) || saved;
          if (!saved || !before) throw new Error('nothing was billed');
          came = Math.max(came, more);
          // Rows are read after the records, and so are all that any record until then was made by.
          const until = states.slice(0, states.indexOf(before) + 1);
          const readable = Math.max(read, ...until.map(({ rowsKnown }) => Number(rowsKnown)));
          states.push(countAgain(before, saved, rows.slice(0, readable), all.slice(0, came)).state);
        }
        const last = states.at(-1);
        const counts = new Map(
          [...(last?.billed ?? [])].map(([key, { usage }]) => [key, usage.eventsCount.toNumber()]),
        );
        const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
        expect(total).toBe(all.length);
        const ordered = rowsInOrder(
          { groupBy: ['model'], rows, unmatched: 'hold' },
          { ...WINDOW, timeZone: 'UTC', testClockId: null },
        );
        for (const [key, count] of counts) {
          const priced = all.filter((one) => {
            const by = rowFor(ordered, { texts: { model: one.model }, timeCreated: one.at });
            return key === `${one.model} ${by?.priceId ?? null}`;
          });
          expect([key, count]).toEqual([key, priced.length]);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
