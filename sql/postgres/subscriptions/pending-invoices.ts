import type { EndedPeriod } from '../../../billing/change-set.ts';
import type { Period, PeriodKey } from '../../../billing/periods/periods.ts';
import type { AddonCharge } from '../../../billing/pricing/charges.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant, isoOrNull, type LocalDate } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import { instantOfJson, type Transaction } from '../postgres.ts';
import { type BillingSpanRow, type PeriodDates, periodFromDates, zoneOfPeriod } from './periods.ts';

/** A period whose invoice is pending, and the one after it in its subscription's life (spec/invoices#grace). */
export type PendingPeriod = {
  subscriptionId: string;
  period: Period;
  dueAt: Instant;
  addons: AddonCharge[] | null;
  next: Period | null;
} & NextFee;

/** Of the fee of the next period, which the pending invoice is to charge in advance: whether the end of that period bills it, and what switches have credited of it. */
export type NextFee = { nextFeeTaken: boolean; nextFeeCredited: Decimal };

/** Numbers in stored JSON come back as decimals, instants as text. */
type AddonChargeRow = {
  subscription_id: string;
  plan_id: string;
  version: Decimal;
  period_start: string;
  period_end: string;
  addon_subscription_id: string;
  addon_id: string;
  addon_name: string;
  kind: AddonCharge['kind'];
  price: Decimal;
  quantity: Decimal;
  period_index: Decimal;
};

type PendingRow = PeriodDates & {
  subscription_id: string;
  period_index: number;
  invoice_due_at: Instant;
  addon_charges: AddonChargeRow[] | null;
  next_fee_taken: boolean;
  next_fee_credited: string;
  next_start_date: LocalDate | null;
  next_end_date: LocalDate;
  next_starts_at: Instant;
  next_ends_at: Instant;
  next_days: number | null;
  next_anchor_date: LocalDate | null;
  next_billing: BillingSpanRow | null;
  next_version: number | null;
  next_timezone: string;
};

/** The pending invoices of customers, in the order in which they fall due. */
export async function listPendingPeriods(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
): Promise<PendingPeriod[]> {
  const { rows } = await tx.query<PendingRow>(
    `SELECT p.subscription_id, p.period_index, p.start_date, p.end_date, p.starts_at, p.ends_at, p.days, p.anchor_date, p.billing,
       p.is_trial, p.trial_notice_at, p.version, n.version AS next_version,
       p.invoice_due_at, p.addon_charges, p.next_fee_taken, p.next_fee_credited, n.start_date AS next_start_date, n.end_date AS next_end_date,
       n.starts_at AS next_starts_at, n.ends_at AS next_ends_at, n.days AS next_days, n.anchor_date AS next_anchor_date,
       n.billing AS next_billing,
       ${zoneOfPeriod('p')} AS timezone, ${zoneOfPeriod('n')} AS next_timezone
     FROM periods p JOIN subscriptions s USING (account_id, subscription_id)
       LEFT JOIN periods n ON n.account_id = p.account_id AND n.subscription_id = p.subscription_id
         AND n.period_index = p.period_index + 1
     WHERE p.account_id = $1 AND s.customer_id = ANY($2) AND p.waits AND p.invoice_due_at IS NOT NULL
     ORDER BY p.invoice_due_at, p.subscription_id, p.period_index`,
    [accountId, customerIds],
  );
  return rows.map(pendingFromRow);
}

/** Closes periods whose invoices are made later. Throws where one is closed already: whoever closes it has locked the subscription. */
export async function updatePeriodsEnded(
  tx: Transaction,
  accountId: string,
  closed: readonly EndedPeriod[],
): Promise<void> {
  const answer = await tx.query(
    `UPDATE periods p SET closed_at = u.closed_at, waits = true, invoice_due_at = u.due_at, addon_charges = u.addons
     FROM unnest($2::text[], $3::int[], $4::timestamptz[], $5::jsonb[], $6::timestamptz[])
       AS u (subscription_id, period_index, due_at, addons, closed_at)
     WHERE p.account_id = $1 AND p.subscription_id = u.subscription_id AND p.period_index = u.period_index
       AND p.closed_at IS NULL`,
    [
      accountId,
      closed.map(({ subscriptionId }) => subscriptionId),
      closed.map(({ periodIndex }) => periodIndex),
      closed.map(({ invoiceDueAt }) => isoOrNull(invoiceDueAt)),
      closed.map(({ addons }) => addons && stringifyExactJson(addons.map(addonToRow))),
      closed.map(({ closedAt }) => isoFromInstant(closedAt)),
    ],
  );
  if (answer.rowCount !== closed.length) throw new Error(`${closed.length} periods end, ${answer.rowCount} were open`);
}

/** Stores when periods that waited for a resume are invoiced, because the subscription has ended in the pause. */
export async function updateWaitingDue(
  tx: Transaction,
  accountId: string,
  { subscriptionId, dueAt }: { subscriptionId: string; dueAt: Instant },
): Promise<void> {
  await tx.query(
    `UPDATE periods SET invoice_due_at = $3
     WHERE account_id = $1 AND subscription_id = $2 AND waits AND invoice_due_at IS NULL`,
    [accountId, subscriptionId, isoFromInstant(dueAt)],
  );
}

/** Returns those of these periods whose invoices are still pending, with what is known of the following fee. */
export async function findNextFees(
  tx: Transaction,
  accountId: string,
  periods: readonly PeriodKey[],
): Promise<(PeriodKey & NextFee)[]> {
  const { rows } = await tx.query<Pick<PendingRow, 'subscription_id' | 'period_index' | keyof NextFeeRow>>(
    `SELECT p.subscription_id, p.period_index, p.next_fee_taken, p.next_fee_credited
     FROM unnest($2::text[], $3::int[]) AS u (subscription_id, period_index)
       JOIN periods p ON p.account_id = $1 AND p.subscription_id = u.subscription_id AND p.period_index = u.period_index
     WHERE p.waits`,
    [accountId, periods.map(({ subscriptionId }) => subscriptionId), periods.map(({ periodIndex }) => periodIndex)],
  );
  return rows.map((row) => ({
    subscriptionId: row.subscription_id,
    periodIndex: row.period_index,
    ...nextFeeFromRow(row),
  }));
}

/** Stores that pending invoices of periods are issued. */
export async function updatePeriodsInvoiced(
  tx: Transaction,
  accountId: string,
  periods: readonly PeriodKey[],
): Promise<void> {
  await tx.query(
    `UPDATE periods p SET waits = false FROM unnest($2::text[], $3::int[]) AS u (subscription_id, period_index)
     WHERE p.account_id = $1 AND p.subscription_id = u.subscription_id AND p.period_index = u.period_index AND p.waits`,
    [accountId, periods.map(({ subscriptionId }) => subscriptionId), periods.map(({ periodIndex }) => periodIndex)],
  );
}

type NextFeeRow = Pick<PendingRow, 'next_fee_taken' | 'next_fee_credited'>;

function nextFeeFromRow({ next_fee_taken: nextFeeTaken, next_fee_credited }: NextFeeRow): NextFee {
  return { nextFeeTaken, nextFeeCredited: decimal(next_fee_credited) };
}

/** The fees that the pending invoices of periods were to charge in advance are billed by the ends of the periods they are for. */
export async function updateNextFeesTaken(
  tx: Transaction,
  accountId: string,
  periods: readonly PeriodKey[],
): Promise<void> {
  if (periods.length === 0) return;
  await tx.query(
    `UPDATE periods p SET next_fee_taken = true FROM unnest($2::text[], $3::int[]) AS u (subscription_id, period_index)
     WHERE p.account_id = $1 AND p.subscription_id = u.subscription_id AND p.period_index = u.period_index`,
    [accountId, periods.map(({ subscriptionId }) => subscriptionId), periods.map(({ periodIndex }) => periodIndex)],
  );
}

/** Stores that a switch has credited a further amount of the fee that the pending invoice of a period is to charge in advance. */
export async function updateNextFeeCredited(
  tx: Transaction,
  accountId: string,
  { subscriptionId, periodIndex, amount }: PeriodKey & { amount: Decimal },
): Promise<void> {
  await tx.query(
    `UPDATE periods SET next_fee_credited = next_fee_credited + $4
     WHERE account_id = $1 AND subscription_id = $2 AND period_index = $3`,
    [accountId, subscriptionId, periodIndex, amount.toFixed()],
  );
}

/** Stores that no pending invoice of a customer is issued. */
export async function updatePendingInvoicesCleared(
  tx: Transaction,
  accountId: string,
  customerId: string,
): Promise<void> {
  await tx.query(
    `UPDATE periods p SET waits = false FROM subscriptions s
     WHERE p.account_id = $1 AND p.waits AND s.account_id = p.account_id AND s.subscription_id = p.subscription_id
       AND s.customer_id = $2`,
    [accountId, customerId],
  );
}

function pendingFromRow(row: PendingRow): PendingPeriod {
  const { subscription_id: subscriptionId, period_index: index, next_start_date } = row;
  const { next_end_date: end_date, next_starts_at: starts_at, next_ends_at: ends_at, next_timezone: timezone } = row;
  const { next_days: days, next_anchor_date: anchor_date, next_billing: billing } = row;
  const dates = {
    end_date,
    starts_at,
    ends_at,
    days,
    anchor_date,
    billing,
    timezone,
    is_trial: false,
    version: row.next_version,
    trial_notice_at: null,
  };
  const next = next_start_date === null ? null : { start_date: next_start_date, ...dates };
  return {
    subscriptionId,
    period: periodFromDates(index, row),
    dueAt: row.invoice_due_at,
    addons: row.addon_charges?.map(addonFromRow) ?? null,
    next: next && periodFromDates(index + 1, next),
    ...nextFeeFromRow(row),
  };
}

function addonToRow(charge: AddonCharge) {
  return {
    subscription_id: charge.subscriptionId,
    plan_id: charge.planId,
    version: charge.version,
    period_start: isoFromInstant(charge.periodStart),
    period_end: isoFromInstant(charge.periodEnd),
    addon_subscription_id: charge.addonSubscriptionId,
    addon_id: charge.addonId,
    addon_name: charge.addonName,
    kind: charge.kind,
    price: charge.price,
    quantity: charge.quantity,
    period_index: charge.periodIndex,
  };
}

function addonFromRow(row: AddonChargeRow): AddonCharge {
  return {
    subscriptionId: row.subscription_id,
    planId: row.plan_id,
    version: row.version.toNumber(),
    periodStart: instantOfJson(row.period_start),
    periodEnd: instantOfJson(row.period_end),
    addonSubscriptionId: row.addon_subscription_id,
    addonId: row.addon_id,
    addonName: row.addon_name,
    kind: row.kind,
    price: row.price,
    quantity: row.quantity,
    periodIndex: row.period_index.toNumber(),
  };
}
