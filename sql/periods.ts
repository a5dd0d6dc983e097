import { type Instant, isoFromInstant, type LocalDate } from '../billing/instants.ts';
import type { Transaction } from './postgres.ts';

/** A period to be stored: its local dates, and the instants they mean in the customer's zone (contract 7). */
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

/** Closes a period; false where it is closed already, so that whoever comes second stops there. */
export async function updatePeriodClosed(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
  periodIndex: number,
  closedAt: Instant,
): Promise<boolean> {
  const answer = await tx.query(
    `UPDATE periods SET closed_at = $4
     WHERE account_id = $1 AND subscription_id = $2 AND period_index = $3 AND closed_at IS NULL`,
    [accountId, subscriptionId, periodIndex, isoFromInstant(closedAt)],
  );
  return answer.rowCount === 1;
}
