import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundaryCharges } from '../../../billing/invoices/boundary-charges.ts';
import { computeInvoice } from '../../../billing/invoices/compute-invoice.ts';
import { isPausedAt, type Pause } from '../../../billing/periods/pauses.ts';
import { dateIn, periodOf } from '../../../billing/periods/periods.ts';
import { beginsPaused, daysOf, type SegmentedPeriod, unpausedDays } from '../../../billing/periods/segments.ts';
import { type Ending, endingAt } from '../../../billing/subscriptions/cancel.ts';
import type { Plan } from '../../../billing/subscriptions/subscription.ts';
import { prorationOf } from '../../../billing/subscriptions/switch.ts';
import { type Decimal, decimal, sum, ZERO } from '../../../core/decimal.ts';
import { addDays, daysBetween, type Instant, type LocalDate } from '../../../core/instants.ts';
import { at, boundaryOf, plan, switchedOf, wholeOf } from '../fixtures.ts';

const terms = {
  startDate: '2026-03-01',
  billingPeriod: 'monthly',
  usagePeriod: 'billing_period',
  anchorDate: null,
  timeZone: 'UTC',
} as const;
const [march, april] = [periodOf(terms, 0), periodOf(terms, 1)];

function pause(from: string, to: string | null): Pause {
  const on = (text: string) => text.slice(0, 10);
  return { pausedAt: at(from), pausedOn: on(from), resumedAt: to === null ? null : at(to), resumedOn: to && on(to) };
}

/** `from-to plan`, by days of the month, and what else is to be said of each segment. */
function told({ segments }: SegmentedPeriod): string[] {
  const day = (on: LocalDate) => on.slice(5).replace('-', '/');
  return segments.map(({ from, to, plan: { planId }, isPaused, hasEnded }) =>
    [`${day(from.on)}-${day(to.on)}`, planId, ...(isPaused ? ['paused'] : []), ...(hasEnded ? ['ended'] : [])].join(
      ' ',
    ),
  );
}

describe('the segments of a period', () => {
  const [basic, pro, free] = ['basic', 'pro', 'free'].map((planId) => plan({ planId }));
  const from = (of: Plan | undefined, iso: string) => {
    return { subscriptionId: 'sub_1', plan: of ?? plan(), at: at(iso), on: iso.slice(0, 10) };
  };
  const switched = [from(basic, '2026-03-01T00:00:00Z'), from(pro, '2026-03-11T12:00:00Z')];

  test('one where nothing cuts it', () => {
    expect(told(wholeOf(plan(), march))).toEqual(['03/01-03/31 plan_1']);
  });

  test('switch, pause, resume and cancel each add a cut', () => {
    const pauses = [pause('2026-03-14T06:00:00Z', '2026-03-19T06:00:00Z')];
    const ending = { at: at('2026-03-26T00:00:00Z'), on: '2026-03-26' };
    expect(told(switchedOf(switched, march, { pauses, ending }))).toEqual([
      '03/01-03/11 basic',
      '03/11-03/14 pro',
      '03/14-03/19 pro paused',
      '03/19-03/26 pro',
      '03/26-03/31 pro ended',
    ]);
  });

  test('a pause over both ends; a cancel in it', () => {
    const ending = { at: at('2026-03-26T00:00:00Z'), on: '2026-03-26' };
    expect(told(wholeOf(plan(), march, { pauses: [pause('2026-02-10T00:00:00Z', null)], ending }))).toEqual([
      '03/01-03/26 plan_1 paused',
      '03/26-03/31 plan_1 paused ended',
    ]);
  });

  // The fee of the period stays the first one's, and each switch has charged its own difference.
  test('a plan that was in force for no time has one of no length', () => {
    const twice = [...switched, from(free, '2026-03-11T12:00:00Z')];
    expect(told(switchedOf(twice, march))).toEqual(['03/01-03/11 basic', '03/11-03/11 pro', '03/11-03/31 free']);
  });
});

// Periods: 03-01 to 03-31 and 03-31 to 04-30, 30 days each. Days are dates: the time of day never matters.
test.each([
  [[], 30],
  [[pause('2026-03-11T12:00:00Z', '2026-03-17T08:00:00Z')], 24],
  [[pause('2026-03-11T08:00:00Z', '2026-03-11T20:00:00Z')], 30],
  [[pause('2026-03-11T08:00:00Z', null)], 10],
  [[pause('2026-02-11T08:00:00Z', '2026-03-11T08:00:00Z')], 20],
  [[pause('2026-02-11T08:00:00Z', null)], 0],
  [[pause('2026-03-02T00:00:00Z', '2026-03-05T00:00:00Z'), pause('2026-03-05T06:00:00Z', '2026-03-06T00:00:00Z')], 26],
] as [Pause[], number][])('unpausedDays %#', (pauses, days) => {
  expect(unpausedDays(wholeOf(plan(), march, { pauses }).segments)).toBe(days);
});

test('a period begins paused where its first instant lies in a pause, half-open', () => {
  const from = '2026-03-11T12:00:00Z';
  const begins = (pauses: Pause[]) => beginsPaused(wholeOf(plan(), april, { pauses }));
  expect(begins([pause(from, null)])).toBe(true);
  expect(begins([pause(from, '2026-03-31T00:00:00Z')])).toBe(false);
  expect(begins([pause(from, '2026-03-31T00:00:01Z')])).toBe(true);
  expect(begins([pause('2026-03-31T00:00:00Z', null)])).toBe(true);
});

/** spec/periods#fee-of-a-period */
describe('a period in arrears with switches, pauses and a cancel, drawn at random', () => {
  /** 30 days, one of them of 23 hours. */
  const period = periodOf({ ...terms, timeZone: 'America/New_York' }, 0);
  const HOUR = 3_600_000;

  type Life = {
    plans: { subscriptionId: string; plan: Plan; at: Instant; on: LocalDate }[];
    pauses: Pause[];
    ending: Ending | null;
  };

  const acts = fc.array(
    fc.record({ hour: fc.integer({ min: 0, max: 718 }), fee: fc.nat(20_000), pauses: fc.boolean() }),
    {
      maxLength: 7,
    },
  );
  const lives = fc
    .record({
      fee: fc.nat(20_000),
      acts,
      cancels: fc.constantFrom(null, 'charge_prorated', 'charge_prorated', 'charge_full', 'refund'),
    })
    .map(lifeOf);

  /** Acts in the order of their hours: where it is paused the next one resumes; the last one may be a cancel. */
  function lifeOf({
    fee,
    acts,
    cancels,
  }: {
    fee: number;
    acts: { hour: number; fee: number; pauses: boolean }[];
    cancels: Ending['flatFeeBehavior'] | null;
  }): Life {
    const planned = (i: number, cents: number) => {
      return plan({ planId: `plan_${i}`, recurringFee: decimal(cents).shiftedBy(-2), components: [] });
    };
    const momentOf = (hour: number) => {
      const instant = period.startsAt + hour * HOUR;
      return { at: instant, on: dateIn(period, instant) };
    };
    const first = { subscriptionId: 'sub_0', plan: planned(0, fee), at: period.startsAt, on: period.startDate };
    const life: Life = { plans: [first], pauses: [], ending: null };
    for (const [i, act] of acts.toSorted((a, b) => a.hour - b.hour).entries()) {
      const moment = momentOf(act.hour);
      const open = life.pauses.at(-1);
      if (cancels && i === acts.length - 1) {
        const how = { flatFeeBehavior: cancels, billUsage: true, invoicingBehavior: 'invoice_now' } as const;
        life.ending = endingAt(moment.at, how, period);
      } else if (open?.resumedAt === null) Object.assign(open, { resumedAt: moment.at, resumedOn: moment.on });
      else if (act.pauses)
        life.pauses.push({ pausedAt: moment.at, pausedOn: moment.on, resumedAt: null, resumedOn: null });
      else life.plans.push({ subscriptionId: `sub_${i + 1}`, plan: planned(i + 1, act.fee), ...moment });
    }
    return life;
  }

  /** Day by day: what the plan that is in force on it costs a day, unless it is paused or over. */
  function feeByDays({ plans, pauses, ending }: Life): Decimal {
    const days = Array.from({ length: period.days }, (_, day) => addDays(period.startDate, day));
    const behavior = ending?.flatFeeBehavior ?? 'charge_prorated';
    const isBilled = (date: LocalDate) =>
      behavior === 'charge_full' ||
      (behavior === 'charge_prorated' &&
        !(ending && date >= ending.on) &&
        !pauses.some(({ pausedOn, resumedOn }) => pausedOn <= date && (resumedOn === null || date < resumedOn)));
    const fees = days.filter(isBilled).map((date) => plans.findLast(({ on }) => on <= date)?.plan.recurringFee ?? ZERO);
    return sum(fees).div(period.days);
  }

  /** The lines of the period's end, and what each switch has charged, or credited, for all days that were left then. */
  function linesOf({ plans, pauses, ending }: Life): Decimal[] {
    const ended = switchedOf(plans, period, { pauses, ending });
    const boundary = boundaryOf(plans.at(-1)?.plan ?? plan(), { ended: period, pauses, ending });
    const part = { ...boundaryCharges({ ...boundary, ended }), kind: 'period', pending: [], credits: [] } as const;
    const to = { currency: 'USD', taxRate: ZERO, periodStart: null, periodEnd: null, today: period.endDate };
    const switches = plans.slice(1).map(({ plan: { recurringFee }, on }, i) => {
      const difference = recurringFee.minus(plans[i]?.plan.recurringFee ?? ZERO);
      const billedDays = daysBetween(on, period.endDate);
      const { amount, direction } = prorationOf({ difference, billedDays, days: period.days }, 2);
      return direction === 'credit' ? amount.negated() : amount;
    });
    return [...computeInvoice({ ...part, ...to }).lines.map(({ amount }) => amount), ...switches];
  }

  test('costs the sum over its segments, up to the rounding of each line', () => {
    fc.assert(
      fc.property(lives, (life) => {
        const amounts = linesOf(life);
        const off = sum(amounts).minus(feeByDays(life)).abs();
        expect(off.times(200).lte(amounts.length), `${off} of ${amounts.length} lines`).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('is tiled by its segments, each of one plan, and paused or not', () => {
    fc.assert(
      fc.property(lives, fc.integer({ min: 0, max: 718 * HOUR }), (life, after) => {
        const { segments } = switchedOf(life.plans, period, life);
        const cuts = segments.map(({ from }) => from);
        expect(cuts[0]).toEqual({ at: period.startsAt, on: period.startDate });
        expect(segments.map(({ to }) => to)).toEqual([...cuts.slice(1), { at: period.endsAt, on: period.endDate }]);
        expect(segments.every(({ from, to }) => from.at <= to.at && from.on <= to.on)).toBe(true);
        expect(daysOf(segments)).toBe(period.days);
        const instant = period.startsAt + after;
        const within = segments.filter(({ from, to }) => from.at <= instant && instant < to.at);
        const inForce = life.plans.findLast((one) => one.at <= instant)?.plan.planId;
        const isPaused = isPausedAt(life.pauses, instant);
        const hasEnded = life.ending !== null && life.ending.at <= instant;
        expect(within).toMatchObject([{ plan: { planId: inForce }, isPaused, hasEnded }]);
      }),
      { numRuns: 1_000 },
    );
  });
});
