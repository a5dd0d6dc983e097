import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BookReader,
  matchingRowsOf,
  type PriceBook,
  type PriceRow,
  type PropertyTexts,
  pricedSince,
  pricedStretches,
  rowFor,
  rowKey,
  rowsInOrder,
} from '../../../billing/pricing/price-book.ts';
import { decimal, ZERO } from '../../../core/decimal.ts';
import { type Instant, startOfLocalDay } from '../../../core/instants.ts';

const day = (n: number) => Date.UTC(2026, 10, n);
const READER: BookReader = { startsAt: day(1), timeZone: 'UTC', testClockId: null };
const GROUP_BY = ['model', 'kind', 'region'];

function row(priceId: string, when: PropertyTexts, over: Partial<PriceRow> = {}): PriceRow {
  const price = { pricingModel: 'per_unit', overagePrice: decimal('0.1') } as const;
  return { priceId, when, from: null, price, freeTier: ZERO, isOverride: false, addition: null, seq: 0n, ...over };
}

const book = (...rows: PriceRow[]): PriceBook => ({ groupBy: GROUP_BY, rows, unmatched: 'hold' });

function priced(of: PriceBook, texts: PropertyTexts, timeCreated: Instant = day(20), reader = READER) {
  return rowFor(rowsInOrder(of, reader), { texts, timeCreated })?.priceId ?? null;
}

describe('rowFor', () => {
  const all = book(
    row('any', {}),
    row('kind', { kind: 'in' }),
    row('model', { model: 'a' }),
    row('both', { model: 'a', kind: 'in' }),
    row('outer', { model: 'a', region: 'eu' }),
    row('without', { kind: null }),
  );

  // By hand (spec/price-books#precedence).
  it.each([
    [{ model: 'a', kind: 'in', region: 'us' }, 'both'],
    [{ model: 'a', kind: 'in', region: 'eu' }, 'both'],
    [{ model: 'a', kind: 'out', region: 'eu' }, 'outer'],
    [{ model: 'a', kind: 'out' }, 'model'],
    [{ model: 'b', kind: 'in' }, 'kind'],
    [{ model: 'b', kind: 'out' }, 'any'],
    [{ model: 'b', kind: null }, 'without'],
    [{ model: 'b' }, 'without'],
  ])('%j takes the row %s', (texts, expected) => {
    expect(priced(all, texts)).toBe(expected);
  });

  it('takes the latest that holds by then, and a more exact one that holds not yet leaves the event to another', () => {
    const dated = book(
      row('old', { model: 'a' }),
      row('new', { model: 'a' }, { from: '2026-11-12' }),
      row('exact', { model: 'a', kind: 'in' }, { from: day(15) }),
    );
    const texts = { model: 'a', kind: 'in' };
    expect([11, 12, 14, 15].map((n) => priced(dated, texts, day(n)))).toEqual(['old', 'new', 'new', 'exact']);
    expect(priced(dated, texts, day(12) - 1)).toBe('old');
    expect(priced(dated, { model: 'b' })).toBeNull();
  });

  it('reads a date at the midnight of the customer', () => {
    const dated = book(row('new', {}, { from: '2026-11-12' }));
    const zone = 'America/New_York';
    const midnight = startOfLocalDay('2026-11-12', zone);
    const inZone = (at: Instant) => priced(dated, {}, at, { ...READER, timeZone: zone });
    expect([inZone(midnight - 1), inZone(midnight)]).toEqual([null, 'new']);
  });

  it('leaves what a row priced to it where a better one is added, until the next period begins', () => {
    const addition = { at: day(10), on: { clock_1: day(3) } };
    const added = book(
      row('model', { model: 'a' }),
      row('better', { model: 'a', kind: 'in' }, { addition }),
      row('other', { model: 'b' }, { addition }),
      row('best', { model: 'b', kind: 'in' }, { addition: { at: day(11), on: {} } }),
    );
    const texts = { model: 'a', kind: 'in' };
    expect(priced(added, texts)).toBe('model');
    expect(priced(added, { model: 'b', kind: 'in' })).toBe('other');
    const next = { ...READER, startsAt: day(11) };
    expect(priced(added, texts, day(20), next)).toBe('better');
    expect(priced(added, { model: 'b', kind: 'in' }, day(20), next)).toBe('best');
    // In the time of a clock the call was on the third.
    expect(priced(added, texts, day(20), { ...READER, startsAt: day(2), testClockId: 'clock_1' })).toBe('model');
    expect(priced(added, texts, day(20), { ...READER, startsAt: day(3), testClockId: 'clock_1' })).toBe('better');
    expect(priced(added, texts, day(20), { ...READER, testClockId: 'clock_2' })).toBe('better');
  });

  it('asks the rows of an override first, however little they name, and the others where none of them holds by then', () => {
    const agreed = book(
      row('any of mine', {}, { from: day(10), isOverride: true }),
      row('a of mine', { model: 'a' }, { from: day(15), isOverride: true }),
      row('any', {}),
      row('a in', { model: 'a', kind: 'in' }),
      row('new', { model: 'a', kind: 'in', region: 'eu' }, { from: day(20) }),
    );
    const texts = { model: 'a', kind: 'in', region: 'eu' };
    const expected = ['a in', 'any of mine', 'any of mine', 'a of mine', 'a of mine'];
    expect([9, 10, 14, 15, 20].map((n) => priced(agreed, texts, day(n)))).toEqual(expected);
    expect([9, 20].map((n) => priced(agreed, { model: 'b' }, day(n)))).toEqual(['any', 'any of mine']);
  });
});

describe('any book', () => {
  const text = fc.constantFrom('a', 'b', null);
  const when = fc.dictionary(fc.constantFrom(...GROUP_BY), text, { maxKeys: 3 });
  const from = fc.constantFrom<PriceRow['from']>(null, '2026-11-05', day(5) + 1, '2026-11-12', day(20));
  const addition = fc.constantFrom<PriceRow['addition']>(null, null, { at: day(4), on: {} }, { at: day(9), on: {} });
  const rows = fc
    .uniqueArray(fc.record({ when, from, isOverride: fc.boolean() }), {
      ...{ selector: (one) => `${one.isOverride} ${rowKey(one)}`, maxLength: 12, size: 'max' },
    })
    .chain((keys) =>
      fc.tuple(fc.constant(keys), fc.array(addition, { minLength: keys.length, maxLength: keys.length })),
    )
    .map(([keys, additions]) => {
      // What is agreed on comes with its plan version.
      const made = keys.map(({ when: of, from: since, isOverride }, i) => {
        return row(`price_${i}`, of, { from: since, isOverride, addition: isOverride ? null : (additions[i] ?? null) });
      });
      // As they are stored: first what came with the plan, then what was added, in its order.
      const stored = made.toSorted((a, b) => (a.addition?.at ?? 0) - (b.addition?.at ?? 0));
      return stored.map((one, i) => ({ ...one, seq: BigInt(i + 1) }));
    });
  const texts = fc.record({ model: text, kind: text, region: text });

  /** The rule in the words of spec/price-books: of each list that is asked the row that no other one of it comes before. */
  function modelRow(
    of: PriceRow[],
    event: { texts: PropertyTexts; timeCreated: Instant },
    { startsAt, billedTo = 1_000n }: BookReader = READER,
  ): PriceRow | undefined {
    const since = (one: PriceRow) =>
      typeof one.from === 'string' ? startOfLocalDay(one.from, 'UTC') : (one.from ?? Number.NEGATIVE_INFINITY);
    const fits = ({ when: texts }: PriceRow) => Object.entries(texts).every(([name, is]) => event.texts[name] === is);
    const holding = of.filter((one) => fits(one) && since(one) <= event.timeCreated);
    const isLater = ({ addition: added, seq }: PriceRow) => added !== null && (added.at > startsAt || seq > billedTo);
    const comesBefore = (a: PriceRow, b: PriceRow) => {
      const [names, others] = [a, b].map(({ when: texts }) =>
        GROUP_BY.map((name) => (name in texts ? '0' : '1')).join(''),
      );
      const count = (mask = '') => mask.replaceAll('1', '').length;
      if (count(names) !== count(others)) return count(names) > count(others);
      return names === others ? since(a) > since(b) : String(names) < String(others);
    };
    const first = (some: PriceRow[]) => some.find((one) => !some.some((other) => comesBefore(other, one)));
    const own = holding.filter((one) => !one.isOverride && !isLater(one));
    return first(holding.filter(({ isOverride }) => isOverride)) ?? first(own) ?? holding.find(isLater);
  }

  it('gives an event the row that its model says', () => {
    const readers = fc.record({ startsAt: fc.constantFrom(day(1), day(4), day(5)), billedTo: fc.bigInt(0n, 12n) });
    fc.assert(
      fc.property(
        rows,
        texts,
        fc.nat(29),
        readers,
        fc.boolean(),
        (of, combination, n, { startsAt, billedTo }, isBilled) => {
          const reader = { ...READER, startsAt, ...(isBilled && { billedTo }) };
          const event = { texts: combination, timeCreated: day(1 + n) };
          expect(rowFor(rowsInOrder(book(...of), reader), event)).toBe(modelRow(of, event, reader));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('prices each instant by one stretch, as event by event, and no row comes back', () => {
    fc.assert(
      fc.property(rows, texts, (of, combination) => {
        const ordered = rowsInOrder(book(...of), READER);
        const matching = matchingRowsOf(ordered)(combination);
        const stretches = pricedStretches(matching, { startsAt: day(1), endsAt: day(30) });
        expect(stretches[0]?.startsAt).toBe(day(1));
        expect(stretches.at(-1)?.endsAt).toBe(day(30));
        for (const [i, { startsAt, endsAt, row: own }] of stretches.entries()) {
          expect(stretches[i + 1]?.startsAt ?? day(30)).toBe(endsAt);
          for (const timeCreated of [startsAt, endsAt - 1]) {
            expect(rowFor(ordered, { texts: combination, timeCreated })).toBe(own ?? undefined);
          }
        }
        const used = stretches.map(({ row: own }) => own);
        expect(new Set(used).size).toBe(used.length);
      }),
    );
  });

  it('has a price for a combination from the same instant on in every zone, and in the last one none before', () => {
    fc.assert(
      fc.property(rows, texts, fc.nat(60), (of, combination, half) => {
        const timeCreated = day(1) + half * 43_200_000;
        const since = pricedSince(book(...of))(combination);
        const has = (timeZone: string) =>
          priced(book(...of), combination, timeCreated, { ...READER, timeZone }) !== null;
        if (timeCreated >= since) expect(['Pacific/Kiritimati', 'UTC', 'Etc/GMT+12'].every(has)).toBe(true);
        else expect(has('Etc/GMT+12')).toBe(false);
      }),
    );
  });

  // What customers of several clocks hold is asked together, by the clock of the first of them.
  it('leaves the same events without a price on every clock', () => {
    fc.assert(
      fc.property(rows, texts, fc.nat(29), fc.constantFrom(day(0), day(7), day(20)), (of, combination, n, at) => {
        const told = of.map((one) =>
          one.addition ? { ...one, addition: { ...one.addition, on: { clock: at } } } : one,
        );
        const [real, none, frozen] = [null, 'later', 'clock'].map((testClockId) => {
          const ordered = rowsInOrder(book(...told), { ...READER, testClockId });
          const matching = matchingRowsOf(ordered)(combination);
          const stretches = pricedStretches(matching, { startsAt: day(1), endsAt: day(30) });
          const isPriced = rowFor(ordered, { texts: combination, timeCreated: day(1 + n) }) !== undefined;
          return { isPriced, unpriced: stretches.filter(({ row: own }) => own === null) };
        });
        expect([none, frozen]).toEqual([real, real]);
      }),
    );
  });

  it('never reprices what was billed, whenever the rows that came since say that they were added', () => {
    fc.assert(
      fc.property(rows, texts, fc.nat(29), fc.nat(12), (of, combination, n, known) => {
        const event = { texts: combination, timeCreated: day(1 + n) };
        // A clock that is wrong, or goes on while a row is added: it says before the period began.
        const late = of.map((one, i) => (i < known ? one : { ...one, addition: { at: day(0), on: {} } }));
        const was = rowFor(rowsInOrder(book(...late.slice(0, known)), READER), event);
        const is = rowFor(rowsInOrder(book(...late), { ...READER, billedTo: BigInt(known) }), event);
        if (was) expect(is).toBe(was);
      }),
    );
  });

  it('never gives another row what one has priced, when more are added in the period', () => {
    fc.assert(
      fc.property(rows, texts, fc.nat(29), (of, combination, n) => {
        const before = of.slice(0, -1);
        const more = [
          ...before,
          row('added', of.at(-1)?.when ?? {}, { from: of.at(-1)?.from ?? null, addition: { at: day(10), on: {} } }),
        ];
        const event = { texts: combination, timeCreated: day(1 + n) };
        const was = rowFor(rowsInOrder(book(...before), READER), event);
        const is = rowFor(rowsInOrder(book(...more), READER), event);
        expect(is?.priceId ?? null).toBe(was?.priceId ?? (is?.priceId === 'added' ? 'added' : null));
      }),
    );
  });
});
