import type { Period } from '../../../billing/periods/periods.ts';
import { daysBetween, type Instant, isoFromInstant, type LocalDate } from '../../../core/instants.ts';
import type { Transaction } from '../postgres.ts';

/** A period to be stored: its local dates, and the instants they mean in the customer's zone (spec/periods#periods). */
export type NewPeriod = {
  index: number;
  startDate: LocalDate;
  endDate: LocalDate;
  startsAt: Instant;
  endsAt: Instant;
};

/** Opens a period. Postgres refuses one that overlaps another, and a second open one. */
export async function insertPeriod(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
  period: NewPeriod,
): Promise<void> {
  await tx.query(
    `INSERT INTO periods (account_id, subscription_id, period_index, start_date, end_date, starts_at, ends_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      accountId,
      subscriptionId,
      period.index,
      period.startDate,
      period.endDate,
      isoFromInstant(period.startsAt),
      isoFromInstant(period.endsAt),
    ],
  );
}

/** Closes a period that is billed now, or never. One whose invoice is made later is closed by `updatePeriodEnded`. */
export async function updatePeriodClosed(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
  periodIndex: number,
  closedAt: Instant,
): Promise<void> {
  await tx.query(
    `UPDATE periods SET closed_at = $4
     WHERE account_id = $1 AND subscription_id = $2 AND period_index = $3 AND closed_at IS NULL`,
    [accountId, subscriptionId, periodIndex, isoFromInstant(closedAt)],
  );
}

/** What is stored of a period. */
export type PeriodDates = { start_date: LocalDate; end_date: LocalDate; starts_at: Instant; ends_at: Instant };

type PeriodRow = PeriodDates & { subscription_id: string; period_index: number };

/** The periods that ended in a pause and wait for the resume, oldest first. */
export async function listWaitingPeriods(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
): Promise<Period[]> {
  return (await listWaitingPeriodsOf(tx, accountId, [subscriptionId])).get(subscriptionId) ?? [];
}

/** {@link listWaitingPeriods} of several subscriptions, by subscription; one of which none waits is not there. */
export async function listWaitingPeriodsOf(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
): Promise<Map<string, Period[]>> {
  const { rows } = await tx.query<PeriodRow>(
    `SELECT subscription_id, period_index, start_date, end_date, starts_at, ends_at FROM periods
     WHERE account_id = $1 AND subscription_id = ANY($2) AND waits AND invoice_due_at IS NULL ORDER BY period_index`,
    [accountId, subscriptionIds],
  );
  const bySubscription = Map.groupBy(rows, (row) => row.subscription_id);
  return new Map(
    [...bySubscription].map(([id, own]) => [id, own.map((row) => periodFromDates(row.period_index, row))]),
  );
}

/** The first periods of these subscriptions, by subscription. */
export async function listFirstPeriods(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
): Promise<Map<string, Period>> {
  const { rows } = await tx.query<PeriodRow>(
    `SELECT subscription_id, period_index, start_date, end_date, starts_at, ends_at FROM periods
     WHERE account_id = $1 AND subscription_id = ANY($2) AND period_index = 0`,
    [accountId, subscriptionIds],
  );
  return new Map(rows.map((row) => [row.subscription_id, periodFromDates(row.period_index, row)]));
}

/** A period by its stored dates. */
export function periodFromDates(index: number, row: PeriodDates): Period {
  const { start_date: startDate, end_date: endDate, starts_at: startsAt, ends_at: endsAt } = row;
  return { index, startDate, endDate, startsAt, endsAt, days: daysBetween(startDate, endDate) };
}

/** Nothing of the subscription waits for a resume any more: a resume or a cancel has billed it. */
export async function updatePeriodsBilled(tx: Transaction, accountId: string, subscriptionId: string): Promise<void> {
  await tx.query(
    `UPDATE periods SET waits = false
     WHERE account_id = $1 AND subscription_id = $2 AND waits AND invoice_due_at IS NULL`,
    [accountId, subscriptionId],
  );
}
