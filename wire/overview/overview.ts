import { z } from '@hono/zod-openapi';
import type { Receivables } from '../../billing/overview/receivables.ts';
import type { Decimal } from '../../core/decimal.ts';
import { invalid } from '../../core/domain-error.ts';
import {
  addDays,
  daysBetween,
  type Instant,
  isLocalDate,
  isoFromInstant,
  type LocalDate,
} from '../../core/instants.ts';
import { currencyToWire, currencyWire, dateInput, dateWire, decimalWire, instantWire } from '../primitives.ts';

/** Days of an overview without dates (spec/overview#days). */
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

/** Days for which usage can be stored. */
const dayInput = dateInput.refine((date) => date >= '1970-01-01' && date < '2300-01-01', 'Must be from 1970 to 2299.');

/** Query of GET /api/overview: days of UTC. */
export const overviewQuery = z
  .object({
    start: dayInput.optional().openapi({ description: 'First day, of UTC.', example: '2026-11-01' }),
    end: dayInput.optional().openapi({ description: 'The day after the last one, of UTC.', example: '2026-12-01' }),
  })
  .superRefine(({ start, end }, context) => {
    const areDates = isLocalDate(start ?? '') && isLocalDate(end ?? '');
    const message = areDates && start && end && problemWith(start, end);
    if (message) context.addIssue({ code: 'custom', path: ['end'], message });
  });

/**
 * The days that are asked for: the last 30 up to `today` where nothing else is said.
 * @throws DomainError `invalid` for a start that is not before the end, and for more than 366 days.
 */
export function overviewDays(query: z.output<typeof overviewQuery>, today: LocalDate) {
  const end = query.end ?? addDays(today, 1);
  const start = query.start ?? addDays(end, -DEFAULT_DAYS);
  const message = problemWith(start, end);
  if (message) throw invalid({ start: [message] });
  return { start, end };
}

function problemWith(start: LocalDate, end: LocalDate): string | undefined {
  if (start >= end) return `${start} is not before ${end}.`;
  const days = daysBetween(start, end);
  return days > MAX_DAYS ? `Must span at most ${MAX_DAYS} days, not ${days}.` : undefined;
}

const count = z.int().nonnegative();
const owed = (description: string) => decimalWire.openapi({ description, example: 100 });

const receivablesWire = z.object({
  not_due: owed('Not past due yet.'),
  days_1_30: owed('Past due for 1 to 30 days.'),
  days_31_60: owed('Past due for 31 to 60 days.'),
  days_61_90: owed('Past due for 61 to 90 days.'),
  days_over_90: owed('Past due for longer.'),
  total: owed('All of it.'),
  count: count.openapi({ description: 'Open invoices.', example: 3 }),
});

const currencyOverviewWire = z.object({
  currency: currencyWire.openapi({ description: 'What the amounts are in.' }),
  mrr: decimalWire.openapi({
    description: 'What fees and periodic add-ons of active subscriptions come to in a month; usage is not in it.',
    example: 165,
  }),
  invoiced: decimalWire.openapi({ description: 'The sum over the days.', example: 1200 }),
  invoiced_per_day: z
    .array(
      z.object({
        date: dateWire.openapi({ description: 'A day of issue.' }),
        amount: decimalWire.openapi({ description: 'Subtotals of its invoices, without void ones.', example: 40 }),
      }),
    )
    .openapi({ description: 'Every day that was asked for, oldest first.' }),
  receivables: receivablesWire.openapi({
    description: "What is due of open invoices, by days past due at each customer's today.",
  }),
});

export const overviewWire = z
  .object({
    as_of: instantWire.openapi({ description: 'Usage accepted up to this time is counted.' }),
    currencies: z
      .array(currencyOverviewWire)
      .openapi({ description: "The account's default currency, and every other one in which there is something." }),
    events_per_day: z
      .array(
        z.object({
          date: dateWire.openapi({ description: 'A day of UTC.' }),
          events: count.openapi({ description: 'Usage events whose time_created is on this day.', example: 1000 }),
        }),
      )
      .openapi({ description: 'Every day that was asked for, oldest first.' }),
    customers: count.openapi({ description: 'Customers that have not been deleted.', example: 120 }),
    subscriptions: z
      .object({
        pending: count.openapi({ description: 'Those that start later.', example: 1 }),
        active: count.openapi({ description: 'Those that run.', example: 110 }),
        paused: count.openapi({ description: 'Those that are paused.', example: 2 }),
      })
      .openapi({ description: 'Live subscriptions by their state, now.' }),
    payments: z
      .object({
        succeeded: count.openapi({
          description: 'Payments that came, by paid_at; those noted by hand too.',
          example: 40,
        }),
        failed: count.openapi({ description: 'Attempts of processors that failed.', example: 2 }),
      })
      .openapi({ description: 'Payments on the days that were asked for.' }),
    ingestion: z
      .object({
        accepted: count.openapi({ description: 'Events answered with 200, as the usage stream holds them.' }),
        landed: count.openapi({ description: 'Events that count: each id once. Also those erased since.' }),
        repeated: count.openapi({ description: 'Events whose id had been accepted before.' }),
        missing: count.openapi({ description: 'Accepted, but none of the others: must be 0.' }),
        dead_lettered: count.openapi({ description: 'Events in messages that could not be decoded.' }),
        lag_seconds: z
          .number()
          .nonnegative()
          .openapi({ description: 'For how long the oldest event that has not landed has waited.', example: 0.2 }),
      })
      .openapi({
        description: 'What became of the events of the last 24 hours, whole hours, as far as they were audited.',
      }),
    next_closings: z
      .array(
        z.object({
          subscription_id: z.string().openapi({ description: 'Id of the subscription.', example: 'sub_01jd3k9x' }),
          customer_id: z.string().openapi({ description: 'Id of its customer.', example: 'acme' }),
          plan_name: z.string().openapi({ description: 'Name of its plan.', example: 'Pro' }),
          at: instantWire.openapi({
            description: "The end of its current period; on a test clock in the clock's time.",
          }),
        }),
      )
      .openapi({ description: 'The ten active subscriptions whose periods end first, soonest first.' }),
  })
  .openapi('Overview');

/** An account at a glance (spec/overview); amounts are in major units of their currency's upper-case code. */
export type Overview = {
  asOf: Instant;
  currencies: {
    currency: string;
    mrr: Decimal;
    invoiced: Decimal;
    invoicedPerDay: { date: LocalDate; amount: Decimal }[];
    receivables: Receivables;
  }[];
  eventsPerDay: { date: LocalDate; events: number }[];
  customers: number;
  subscriptions: { pending: number; active: number; paused: number };
  payments: { succeeded: number; failed: number };
  ingestion: Record<'accepted' | 'landed' | 'repeated' | 'missing' | 'deadLettered' | 'lagSeconds', number>;
  nextClosings: { subscriptionId: string; customerId: string; planName: string; at: Instant }[];
};

/** The overview as the API returns it. */
export function overviewToWire(overview: Overview): z.infer<typeof overviewWire> {
  const { asOf, currencies, eventsPerDay, customers, subscriptions, payments, ingestion, nextClosings } = overview;
  const { deadLettered, lagSeconds, ...landing } = ingestion;
  return {
    as_of: isoFromInstant(asOf),
    currencies: currencies.map(({ currency, mrr, invoiced, invoicedPerDay, receivables }) => ({
      currency: currencyToWire(currency),
      mrr,
      invoiced,
      invoiced_per_day: invoicedPerDay,
      receivables: {
        not_due: receivables.notDue,
        days_1_30: receivables.days1To30,
        days_31_60: receivables.days31To60,
        days_61_90: receivables.days61To90,
        days_over_90: receivables.daysOver90,
        total: receivables.total,
        count: receivables.count,
      },
    })),
    events_per_day: eventsPerDay,
    customers,
    subscriptions,
    payments,
    ingestion: { ...landing, dead_lettered: Math.max(0, deadLettered), lag_seconds: lagSeconds },
    next_closings: nextClosings.map(({ subscriptionId, customerId, planName, at }) => ({
      subscription_id: subscriptionId,
      customer_id: customerId,
      plan_name: planName,
      at: isoFromInstant(at),
    })),
  };
}
