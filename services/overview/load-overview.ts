import { monthlyRevenue } from '../../billing/overview/monthly-revenue.ts';
import { currencyOf } from '../../core/currencies.ts';
import { sum, ZERO } from '../../core/decimal.ts';
import { addDays, daysBetween, type Instant, type LocalDate } from '../../core/instants.ts';
import type { ClickHouseReader } from '../../sql/clickhouse/clickhouse.ts';
import { loadAudit } from '../../sql/clickhouse/usage/usage-audit.ts';
import { countEventsByDay } from '../../sql/clickhouse/usage/usage-events.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import {
  countRecords,
  type DayRange,
  listNextClosings,
  sumInvoiced,
  sumReceivables,
  sumRecurring,
} from '../../sql/postgres/overview.ts';
import { inReading, type Pool } from '../../sql/postgres/postgres.ts';
import type { UsageProgress } from '../../stream/progress.ts';
import type { Overview } from '../../wire/overview/overview.ts';

/** Closings that are shown. */
const CLOSINGS = 10;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const NOTHING_OWED = {
  ...{ notDue: ZERO, days1To30: ZERO, days31To60: ZERO, days61To90: ZERO, daysOver90: ZERO, total: ZERO },
  count: 0,
};

type Sources = { postgres: Pool; clickhouse: ClickHouseReader; progress: UsageProgress };

/** An account at a glance (spec/overview). Everything is asked at once: the records in one transaction, usage and its stream beside it. */
export async function loadOverview(
  { postgres, clickhouse, progress }: Sources,
  accountId: string,
  range: DayRange,
  now: Instant,
): Promise<Overview> {
  const since = Math.floor((now - DAY_MS) / HOUR_MS) * HOUR_MS;
  const [asOf, records, days, audit, lag] = await Promise.all([
    progress.asOf(),
    loadRecords(postgres, accountId, range, now),
    countEventsByDay(clickhouse, accountId, range),
    loadAudit(clickhouse, accountId, { start: since, end: now }),
    progress.lag(),
  ]);
  const { account, recurring, invoiced, owed, counts, nextClosings } = records;
  const codes = new Set([
    account.defaultCurrency,
    ...[...recurring, ...invoiced, ...owed].map(({ currency }) => currency),
  ]);
  const dates = datesOf(range);
  return {
    ...counts,
    asOf,
    currencies: [...codes].map((currency) => {
      const isOurs = (one: { currency: string }) => one.currency === currency;
      const amounts = new Map(invoiced.filter(isOurs).map(({ date, amount }) => [date, amount]));
      const { currency: _, ...receivables } = owed.find(isOurs) ?? { currency, ...NOTHING_OWED };
      return {
        currency,
        mrr: monthlyRevenue(recurring.filter(isOurs), currencyOf(currency).exponent),
        invoiced: sum(amounts.values()),
        invoicedPerDay: dates.map((date) => ({ date, amount: amounts.get(date) ?? ZERO })),
        receivables,
      };
    }),
    eventsPerDay: dates.map((date) => ({ date, events: days.get(date) ?? 0 })),
    ingestion: { ...audit, lagSeconds: lag.seconds },
    nextClosings,
  };
}

function loadRecords(postgres: Pool, accountId: string, range: DayRange, now: Instant) {
  return inReading(postgres, accountId, async (tx) => {
    const [account, recurring, invoiced, owed, counts, nextClosings] = await Promise.all([
      loadAccount(tx, accountId),
      sumRecurring(tx, accountId),
      sumInvoiced(tx, accountId, range),
      sumReceivables(tx, accountId, now),
      countRecords(tx, accountId, range),
      listNextClosings(tx, accountId, CLOSINGS),
    ]);
    return { account, recurring, invoiced, owed, counts, nextClosings };
  });
}

function datesOf({ start, end }: DayRange): LocalDate[] {
  return Array.from({ length: daysBetween(start, end) }, (_, i) => addDays(start, i));
}
