import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Metric, UsageEvent } from '../../billing/catalog/metrics.ts';
import { aggregate } from '../../billing/metering/aggregate.ts';
import { type Decimal, decimal, toPlain } from '../../core/decimal.ts';
import { keepKnownUsage, type UsageQuestion, type ValueSource } from '../../services/entitlements/known-usage.ts';
import type { CustomerQuestion } from '../../sql/clickhouse/metrics/metric-by-customer.ts';
import { event, rule } from '../billing/fixtures.ts';

type Landed = UsageEvent & { position: bigint };

const NAMES = ['call', 'other'];
const CUSTOMERS = ['c1', 'c2', 'c3'];
const DAY = 86_400_000;

const metric = (metricId: string, over: Partial<Metric>) => ({ ...rule(over), metricId }) as Metric;
const METRICS = [
  metric('count', { eventName: 'call' }),
  metric('all', {}),
  metric('sum', { aggregationType: 'sum', propertyName: 'n', eventName: 'call' }),
  metric('max', { aggregationType: 'max', propertyName: 'n' }),
  metric('unique', { aggregationType: 'unique', propertyName: 'n', eventName: 'other' }),
];

/** A ClickHouse in memory whose answers come when they are told to, so that they overtake each other. */
function heldStore() {
  const events: Landed[] = [];
  const held: (() => void)[] = [];
  const asked = { touched: 0, values: 0 };
  const hold = <T>(answer: () => T) => new Promise<T>((resolve) => held.push(() => resolve(answer())));
  const valueAt = ({ customerId, metric, timeZone, start, end, above = -1n }: CustomerQuestion, upTo: bigint) => {
    const landed = events.filter(({ position }) => position > above && position <= upTo);
    return aggregate(metric, landed, { customerId, timeZone, intervals: [{ startsAt: start, endsAt: end }] }).value;
  };
  const source: ValueSource = {
    landed: () => hold(() => ({ position: BigInt(events.length), asOf: events.length })),
    touched: ({ above, upTo }) => {
      asked.touched++;
      const some = events.filter(({ position }) => position > above && position <= upTo);
      return hold(() => some.map(({ customerId, eventName }) => ({ accountId: 'a', customerId, eventName })));
    },
    values: (questions, upTo) => {
      if (questions.length > 0) asked.values++;
      return hold(() => questions.map((question) => valueAt(question, upTo)));
    },
  };
  return { source, held, asked, events, valueAt };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

async function releaseAll(held: (() => void)[]) {
  for (await settle(); held.length > 0; await settle()) held.shift()?.();
}

function question(customerId: string, metric: Metric, end = 10 * DAY): UsageQuestion {
  return { accountId: 'a', customerId, metric, timeZone: 'UTC', start: 0, end };
}

function fixture() {
  const store = heldStore();
  const clock = { at: 1_000_000, now: () => clock.at };
  const known = keepKnownUsage(store.source, clock);
  const land = (customerId: string, n: number, eventName = 'call') => {
    const properties = { n: { number: String(n) } };
    const made = event(properties, { customerId, eventName, timeCreated: (n % 12) * DAY });
    store.events.push({ ...made, position: BigInt(store.events.length + 1) });
  };
  const answer = async (asked: UsageQuestion) => {
    const promise = known.ask(asked);
    await releaseAll(store.held);
    return toPlain((await promise).value);
  };
  return { ...store, clock, known, land, answer };
}

describe('what is known', () => {
  const [count, , sum, max] = METRICS as [Metric, Metric, Metric, Metric];

  test('is answered at once, and again without the store', async () => {
    const { land, answer, asked } = fixture();
    land('c1', 2);
    expect(await answer(question('c1', count))).toBe('1');
    expect(await answer(question('c1', count))).toBe('1');
    expect(asked.values).toBe(1);
  });

  test('grows by what landed since, and only those that it touched are asked', async () => {
    const { land, answer, asked, known, clock, held } = fixture();
    land('c1', 2);
    expect(await answer(question('c1', sum))).toBe('2');
    expect(await answer(question('c2', sum))).toBe('0');
    land('c1', 3);
    clock.at += 200;
    const refreshed = known.refreshIfAsked();
    await releaseAll(held);
    await refreshed;
    expect(await answer(question('c1', sum))).toBe('5');
    expect(asked).toEqual({ touched: 1, values: 3 });
  });

  test('is refreshed before it answers after an idle time, and forgotten after a long one', async () => {
    const { land, answer, clock, asked } = fixture();
    expect(await answer(question('c1', count))).toBe('0');
    land('c1', 1);
    expect(await answer(question('c1', count))).toBe('0');
    clock.at += 1_000;
    expect(await answer(question('c1', count))).toBe('1');
    expect(asked.touched).toBe(1);
    land('c1', 1);
    clock.at += 120_000;
    expect(await answer(question('c1', count))).toBe('2');
    expect(asked.touched).toBe(1);
  });

  test('of a max is asked anew when it was touched', async () => {
    const { land, answer, clock } = fixture();
    land('c1', 7);
    expect(await answer(question('c1', max))).toBe('7');
    land('c1', 9);
    clock.at += 1_000;
    expect(await answer(question('c1', max))).toBe('9');
  });

  test.each([count, max])(
    'that took longer to ask than many refreshes is not asked again for what does not touch it',
    async (metric) => {
      const clock = { at: 1_000_000, now: () => clock.at };
      const { promise, resolve } = Promise.withResolvers<Decimal[]>();
      const asked: CustomerQuestion[] = [];
      let position = 1n;
      const source: ValueSource = {
        landed: async () => ({ position: ++position, asOf: Number(position) }),
        touched: async () => [{ accountId: 'a', customerId: 'c2', eventName: 'call' }],
        values: async (questions) => {
          asked.push(...questions);
          return promise;
        },
      };
      const known = keepKnownUsage(source, clock);
      const refreshes = async () => {
        for (let i = 0; i < 5; i++) {
          clock.at += 200;
          await known.refreshIfAsked();
        }
      };
      const first = known.ask(question('c1', metric));
      await refreshes();
      resolve([decimal(7)]);
      expect((await first).value.toFixed()).toBe('7');
      expect(await known.ask(question('c1', metric))).toMatchObject({ asOf: Number(position) });
      await refreshes();
      expect(await known.ask(question('c1', metric))).toMatchObject({ asOf: Number(position) });
      expect(asked).toHaveLength(1);
    },
  );

  test('another window is another question', async () => {
    const { land, answer } = fixture();
    land('c1', 5);
    expect(await answer(question('c1', count))).toBe('1');
    expect(await answer(question('c1', count, 5 * DAY))).toBe('0');
  });

  test('a store that is away fails the check, and the next one asks again', async () => {
    const { source, clock } = fixture();
    let isAway = true;
    const landed = async () => {
      if (isAway) throw new Error('away');
      return { position: 0n, asOf: 0 };
    };
    const values = async (questions: CustomerQuestion[]) => questions.map(() => count.unitCost);
    const known = keepKnownUsage({ ...source, landed, values }, clock);
    await expect(known.ask(question('c1', count))).rejects.toThrow('away');
    isAway = false;
    await expect(known.ask(question('c1', count))).resolves.toMatchObject({ asOf: 0 });
  });
});

describe('accounts', () => {
  const [count] = METRICS as [Metric];
  const of = (accountId: string, customerId = 'c1') => ({ ...question(customerId, count), accountId });

  /** A store in which usage of the account `bad` is `trouble`, and everybody has as many events as there are positions. */
  function shared(trouble: () => Promise<never>) {
    const clock = { at: 1_000_000, now: () => clock.at };
    const store = { position: 1n, asked: [] as string[][] };
    const source: ValueSource = {
      landed: async () => ({ position: store.position, asOf: Number(store.position) }),
      touched: async () => null,
      values: async (questions, upTo) => {
        store.asked.push(questions.map(({ accountId }) => accountId));
        if (questions.some(({ accountId }) => accountId === 'bad')) return trouble();
        return questions.map(({ above = 0n }) => decimal(Number(upTo - above)));
      },
    };
    return { clock, store, known: keepKnownUsage(source, clock) };
  }

  test.each([
    ['fail', () => Promise.reject(new Error('too much'))],
    ['never come', () => new Promise<never>(() => {})],
  ])('one whose values %s holds up no other, at first and when they are brought up to date', async (_, trouble) => {
    let isBad = false;
    const { clock, store, known } = shared(() => (isBad ? trouble() : Promise.resolve([decimal(0)] as never)));
    await known.ask(of('bad'));
    for (isBad = true; store.position < 5n; store.position++) {
      const refused = known.ask(of('bad', 'c2')).then(
        () => 'answered',
        () => 'failed',
      );
      const answers = await Promise.all(['good', 'other'].map((accountId) => known.ask(of(accountId))));
      expect(answers.map(({ value }) => value.toFixed())).toEqual([String(store.position), String(store.position)]);
      expect(await Promise.race([refused, settle().then(() => 'waiting')])).not.toBe('answered');
      clock.at += 1_000;
    }
    expect(store.asked.filter((accounts) => new Set(accounts).size > 1)).toEqual([]);
    isBad = false;
  });

  test('one whose values failed has its answer again once they are there', async () => {
    let isBad = true;
    const { known } = shared(() =>
      isBad ? Promise.reject(new Error('too much')) : Promise.resolve([decimal(7)] as never),
    );
    await expect(known.ask(of('bad'))).rejects.toThrow('too much');
    isBad = false;
    expect((await known.ask(of('bad'))).value.toFixed()).toBe('7');
  });
});

test('whatever overtakes what, an answer is the value at some moment since the check, or up to 400 ms before', async () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('land' as const), customer: fc.nat(2), n: fc.nat(11), name: fc.nat(1) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('ask' as const),
        customer: fc.nat(2),
        metric: fc.nat(4),
        end: fc.constantFrom(5, 10),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('refresh' as const) }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('release' as const), which: fc.nat(3) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('release all' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(100, 300, 900) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120, size: 'max' }), async (steps) => {
      const { land, known, clock, held, events, valueAt } = fixture();
      const checks: Promise<void>[] = [];
      /** How many events had landed by then, so that what an answer may miss is known. */
      const history: { at: number; landed: number }[] = [{ at: clock.at, landed: 0 }];
      for (const one of steps) {
        if (one.kind === 'land') land(CUSTOMERS[one.customer] ?? '', one.n, NAMES[one.name]);
        if (one.kind === 'refresh') void known.refreshIfAsked();
        if (one.kind === 'release') held.splice(one.which % Math.max(1, held.length), 1)[0]?.();
        if (one.kind === 'release all') await releaseAll(held);
        if (one.kind === 'wait') clock.at += one.ms;
        history.push({ at: clock.at, landed: events.length });
        if (one.kind === 'ask') {
          const asked = question(CUSTOMERS[one.customer] ?? '', METRICS[one.metric] as Metric, one.end * DAY);
          const atLeast = history.findLast(({ at }) => at < clock.at - 400)?.landed ?? 0;
          checks.push(
            known.ask(asked).then(({ value, asOf }) => {
              // `asOf` is the number of events that had landed: the value is exactly the one at that moment.
              expect(toPlain(value)).toBe(toPlain(valueAt(asked, BigInt(asOf))));
              expect(asOf).toBeGreaterThanOrEqual(atLeast);
            }),
          );
        }
        await settle();
      }
      await releaseAll(held);
      await Promise.all(checks);
    }),
    { numRuns: 300 },
  );
});
