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

/** Closes a period, whose invoice may wait for the end of a pause; false where it is closed already, so that whoever comes second stops there. */
export async function updatePeriodClosed(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
  periodIndex: number,
  closedAt: Instant,
  { waits = false }: { waits?: boolean } = {},
): Promise<boolean> {
  const answer = await tx.query(
    `UPDATE periods SET closed_at = $4, waits = $5
     WHERE account_id = $1 AND subscription_id = $2 AND period_index = $3 AND closed_at IS NULL`,
    [accountId, subscriptionId, periodIndex, isoFromInstant(closedAt), waits],
  );
  return answer.rowCount === 1;
}

type PeriodRow = {
  subscription_id: string;
  period_index: number;
  start_date: LocalDate;
  end_date: LocalDate;
  starts_at: Instant;
  ends_at: Instant;
};

/** The periods that ended in a pause and are not billed yet, oldest first. */
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
    'SELECT * FROM periods WHERE account_id = $1 AND subscription_id = ANY($2) AND waits ORDER BY period_index',
    [accountId, subscriptionIds],
  );
  const bySubscription = Map.groupBy(rows, (row) => row.subscription_id);
  return new Map([...bySubscription].map(([id, own]) => [id, own.map(periodFromRow)]));
}

function periodFromRow(row: PeriodRow): Period {
  return {
    index: row.period_index,
    startDate: row.start_date,
    endDate: row.end_date,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    days: daysBetween(row.start_date, row.end_date),
  };
}

/** Nothing of the subscription waits any more: a resume or a cancel has billed it. */
export async function updatePeriodsBilled(tx: Transaction, accountId: string, subscriptionId: string): Promise<void> {
  await tx.query('UPDATE periods SET waits = false WHERE account_id = $1 AND subscription_id = $2 AND waits', [
    accountId,
    subscriptionId,
  ]);
}
