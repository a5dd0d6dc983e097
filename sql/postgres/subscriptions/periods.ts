import type { Period, PeriodKey } from '../../../billing/periods/periods.ts';
import { type BillingSpan, beginsBilling, endsBilling } from '../../../billing/periods/usage-months.ts';
import type { Decimal } from '../../../core/decimal.ts';
import { daysBetween, type Instant, isoFromInstant, isoOrNull, type LocalDate } from '../../../core/instants.ts';
import { lookAtHoldersAmong } from '../catalog/missing-prices.ts';
import { instantOfJson, type Transaction } from '../postgres.ts';

/**
 * Opens periods. Postgres refuses a period that overlaps another one of its subscription, and a second open one. The price watch looks at
 * the subscriptions, because usage of the periods may have landed before.
 */
export async function insertPeriods(
  tx: Transaction,
  accountId: string,
  periods: readonly (Period & { subscriptionId: string })[],
): Promise<void> {
  if (periods.length === 0) return;
  await tx.query(
    `WITH opened AS (
       INSERT INTO periods (account_id, subscription_id, period_index, start_date, end_date, starts_at, ends_at, timezone, days,
         anchor_date, billing, is_trial, trial_notice_at)
       SELECT $1, * FROM unnest($2::text[], $3::int[], $4::date[], $5::date[], $6::timestamptz[], $7::timestamptz[], $8::text[],
         $9::int[], $10::date[], $11::jsonb[], $12::boolean[], $13::timestamptz[])
     )
     ${lookAtHoldersAmong('(SELECT * FROM subscriptions WHERE account_id = $1 AND subscription_id = ANY($2))')}`,
    [
      accountId,
      periods.map(({ subscriptionId }) => subscriptionId),
      periods.map(({ index }) => index),
      periods.map(({ startDate }) => startDate),
      periods.map(({ endDate }) => endDate),
      periods.map(({ startsAt }) => isoFromInstant(startsAt)),
      periods.map(({ endsAt }) => isoFromInstant(endsAt)),
      periods.map(({ timeZone }) => timeZone),
      periods.map(({ days }) => days),
      periods.map(({ anchorDate }) => anchorDate),
      periods.map(billingToRow),
      periods.map(({ trial }) => trial !== undefined),
      periods.map(({ trial }) => isoOrNull(trial?.noticeAt ?? null)),
    ],
  );
}

/** Closes a period that is billed now, or never. One whose invoice is made later is closed by `updatePeriodsEnded`. */
export async function updatePeriodClosed(
  tx: Transaction,
  accountId: string,
  { subscriptionId, periodIndex, closedAt }: PeriodKey & { closedAt: Instant },
): Promise<void> {
  await tx.query(
    `UPDATE periods SET closed_at = $4
     WHERE account_id = $1 AND subscription_id = $2 AND period_index = $3 AND closed_at IS NULL`,
    [accountId, subscriptionId, periodIndex, isoFromInstant(closedAt)],
  );
}

/** What is stored of a period. */
export type PeriodDates = {
  start_date: LocalDate;
  end_date: LocalDate;
  starts_at: Instant;
  ends_at: Instant;
  days: number | null;
  anchor_date: LocalDate | null;
  billing: BillingSpanRow | null;
  is_trial: boolean;
  trial_notice_at: Instant | null;
  version: number | null;
  timezone: string;
};

/** The billing period of a usage month. Numbers in stored JSON come back as decimals, instants as text. */
export type BillingSpanRow = {
  index: Decimal;
  start_date: LocalDate;
  end_date: LocalDate;
  starts_at: string;
  ends_at: string;
};

/** The zone of a period of a subscription `s`: the customer's of now where a release before opened it. */
export const zoneOfPeriod = (period: string) => `coalesce(${period}.timezone, (SELECT o.timezone FROM customers o
  WHERE o.account_id = s.account_id AND o.customer_id = s.customer_id))`;

/** Periods `d`, each with its dates and its zone. */
const PERIODS = `SELECT d.subscription_id, d.period_index, d.start_date, d.end_date, d.starts_at, d.ends_at, d.days, d.anchor_date, d.billing,
    d.is_trial, d.trial_notice_at, d.version, ${zoneOfPeriod('d')} AS timezone
  FROM periods d JOIN subscriptions s ON s.account_id = d.account_id AND s.subscription_id = d.subscription_id
  WHERE d.account_id = $1 AND d.subscription_id = ANY($2)`;

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
    `${PERIODS} AND d.waits AND d.invoice_due_at IS NULL ORDER BY d.period_index`,
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
  const { rows } = await tx.query<PeriodRow>(`${PERIODS} AND d.period_index = 0`, [accountId, subscriptionIds]);
  return new Map(rows.map((row) => [row.subscription_id, periodFromDates(row.period_index, row)]));
}

/** A period by its stored dates; one that a release before has opened is as many days as lie between them. */
export function periodFromDates(index: number, row: PeriodDates): Period {
  const { start_date: startDate, end_date: endDate, starts_at: startsAt, ends_at: endsAt } = row;
  const days = row.days ?? daysBetween(startDate, endDate);
  const span = { index, startDate, endDate, startsAt, endsAt };
  const billing = row.billing === null ? span : billingFromRow(row.billing);
  const trial = row.is_trial && { trial: { noticeAt: row.trial_notice_at } };
  const version = row.version !== null && { version: row.version };
  return { ...span, days, timeZone: row.timezone, anchorDate: row.anchor_date, billing, ...trial, ...version };
}

function billingToRow(period: Period): string | null {
  const { index, billing } = period;
  if (beginsBilling(period) && endsBilling(period) && index === billing.index) return null;
  return JSON.stringify({
    index: billing.index,
    start_date: billing.startDate,
    end_date: billing.endDate,
    starts_at: isoFromInstant(billing.startsAt),
    ends_at: isoFromInstant(billing.endsAt),
  });
}

function billingFromRow(row: BillingSpanRow): BillingSpan {
  const dates = { startDate: row.start_date, endDate: row.end_date };
  const instants = { startsAt: instantOfJson(row.starts_at), endsAt: instantOfJson(row.ends_at) };
  return { index: row.index.toNumber(), ...dates, ...instants };
}

/** Stores a trial that ends on another day, or whose end has been told. */
export async function updateTrial(
  tx: Transaction,
  accountId: string,
  { subscriptionId, period }: { subscriptionId: string; period: Period },
): Promise<void> {
  const { index, endDate, endsAt, days, anchorDate, trial } = period;
  await tx.query(
    `UPDATE periods SET end_date = $4, ends_at = $5, days = $6, anchor_date = $7, trial_notice_at = $8
     WHERE account_id = $1 AND subscription_id = $2 AND period_index = $3 AND is_trial AND closed_at IS NULL`,
    [
      accountId,
      subscriptionId,
      index,
      endDate,
      isoFromInstant(endsAt),
      days,
      anchorDate,
      isoOrNull(trial?.noticeAt ?? null),
    ],
  );
}

/** Stores that a resume or a cancel has billed the periods of a subscription that ended in a pause. */
export async function updateWaitingPeriodsBilled(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
): Promise<void> {
  await tx.query(
    `UPDATE periods SET waits = false
     WHERE account_id = $1 AND subscription_id = $2 AND waits AND invoice_due_at IS NULL`,
    [accountId, subscriptionId],
  );
}
