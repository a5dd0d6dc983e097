import type { Period } from '../../../billing/periods/periods.ts';
import type { SubscriptionStatus } from '../../../billing/subscriptions/states.ts';
import type { Subscription } from '../../../billing/subscriptions/subscription.ts';
import { conflict } from '../../../core/domain-error.ts';
import { type Instant, isoFromInstant, isoOrNull, type LocalDate } from '../../../core/instants.ts';
import { type AgreementRow, agreementFromRow, basedOnId } from '../catalog/agreed-versions.ts';
import { lookAtHoldersAmong } from '../catalog/missing-prices.ts';
import { firstRow, type Transaction, violates } from '../postgres.ts';
import { type BillingSpanRow, periodFromDates, zoneOfPeriod } from './periods.ts';
import {
  cancelTermsToRow,
  endFromRow,
  PHASES,
  type PhaseRow,
  type PlannedRow,
  pendingChangeToRow,
  phaseFromRow,
  plannedCancelFromRow,
  plannedSwitchFromRow,
} from './planned-changes.ts';

export type SubscriptionRow = PlannedRow &
  AgreementRow & {
    customer_id: string;
    plan_id: string;
    version: number;
    version_id: string;
    status: SubscriptionStatus;
    start_date: LocalDate;
    end_date: LocalDate | null;
    auto_renew: boolean;
    billing_period: Subscription['billingPeriod'];
    billing_calendar: Subscription['billingCalendar'];
    anchor_day: number | null;
    usage_period: Subscription['usagePeriod'];
    charge_timing: Subscription['chargeTiming'];
    currency: string;
    paused_at: Instant | null;
    resumes_at: Instant | null;
    bills_at: Instant | null;
    previous_subscription_id: string | null;
    replaced_by: string | null;
    metadata: Record<string, string>;
    created_at: Instant;
    period_index: number;
    period_start_date: LocalDate;
    period_end_date: LocalDate;
    starts_at: Instant;
    ends_at: Instant;
    period_days: number | null;
    anchor_date: LocalDate | null;
    billing: BillingSpanRow | null;
    is_trial: boolean;
    trial_notice_at: Instant | null;
    trial_ends_on: LocalDate | null;
    phases: PhaseRow[] | null;
    period_timezone: string;
  };

export const COLUMNS = `s.subscription_id, s.customer_id, s.plan_id, s.version, s.status, s.start_date, s.end_date, s.auto_renew,
  s.cancel_at, s.cancel_terms, s.canceled_at, s.cancel_reason, s.paused_at, s.resumes_at, s.bills_at,
  s.pending_change, s.switch_at, s.previous_subscription_id, s.replaced_by, s.metadata, s.created_at,
  v.version_id, v.charge_timing, coalesce(v.currency, p.currency) AS currency, v.based_on, v.overrides,
  ${basedOnId('v')} AS based_on_id, p.billing_period, p.billing_calendar, p.anchor_day, p.usage_period, d.period_index,
  d.start_date AS period_start_date, d.end_date AS period_end_date, d.starts_at, d.ends_at, d.days AS period_days, d.anchor_date,
  d.billing, d.is_trial, d.trial_notice_at, (SELECT f.end_date FROM periods f
    WHERE f.account_id = s.account_id AND f.subscription_id = s.subscription_id AND f.period_index = 0 AND f.is_trial) AS trial_ends_on, ${PHASES} AS phases,
  ${zoneOfPeriod('d')} AS period_timezone`;

const PLAN_VERSION = `
  JOIN plans p ON p.account_id = s.account_id AND p.plan_id = s.plan_id
  JOIN plan_versions v ON v.account_id = s.account_id AND v.plan_id = s.plan_id AND v.version = s.version`;

/** Its plan version and its current period: the open one, or the last one of an ended life. */
export const OF_SUBSCRIPTION = `${PLAN_VERSION}
  JOIN LATERAL (
    SELECT * FROM periods d
    WHERE d.account_id = s.account_id AND d.subscription_id = s.subscription_id
    ORDER BY d.period_index DESC LIMIT 1
  ) d ON true`;
const SUBSCRIPTIONS = `subscriptions s ${OF_SUBSCRIPTION}`;

/** One that lives has an open period: a thousand of them are found at once, and not each by a search. */
export const OF_LIVE_SUBSCRIPTION = `${PLAN_VERSION}
  JOIN periods d ON d.account_id = s.account_id AND d.subscription_id = s.subscription_id AND d.closed_at IS NULL`;

/** The subscription, or undefined where this account has none of that id. */
export async function findSubscription(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
): Promise<Subscription | undefined> {
  const answer = await tx.query<SubscriptionRow>(
    `SELECT ${COLUMNS} FROM ${SUBSCRIPTIONS} WHERE s.account_id = $1 AND s.subscription_id = $2`,
    [accountId, subscriptionId],
  );
  const row = firstRow(answer);
  return row && subscriptionFromRow(row);
}

/** Those of these ids that the account has. */
export async function findSubscriptions(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
): Promise<Subscription[]> {
  if (subscriptionIds.length === 0) return [];
  const answer = await tx.query<SubscriptionRow>(
    `SELECT ${COLUMNS} FROM ${SUBSCRIPTIONS} WHERE s.account_id = $1 AND s.subscription_id = ANY($2)`,
    [accountId, subscriptionIds],
  );
  return answer.rows.map(subscriptionFromRow);
}

/** Locks the subscription until the transaction ends: changes of one subscription happen one after another. */
export async function lockSubscription(tx: Transaction, accountId: string, subscriptionId: string): Promise<void> {
  await tx.query('SELECT 1 FROM subscriptions WHERE account_id = $1 AND subscription_id = $2 FOR UPDATE', [
    accountId,
    subscriptionId,
  ]);
}

/** {@link lockSubscription} for several, in the one order in which they are locked: by id. */
export async function lockSubscriptions(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
): Promise<void> {
  const sql = `SELECT 1 FROM subscriptions WHERE account_id = $1 AND subscription_id = ANY($2)
    ORDER BY subscription_id FOR UPDATE`;
  await tx.query(sql, [accountId, subscriptionIds]);
}

/** The ids of a customer's subscriptions that may still be billed: those that live, and those that left something to be invoiced later. */
export async function listBillableIds(tx: Transaction, accountId: string, customerId: string): Promise<string[]> {
  const { rows } = await tx.query<{ subscription_id: string }>(
    // One look into an index for each of them: an EXISTS may be planned as a scan of all periods that wait.
    `SELECT s.subscription_id FROM subscriptions s LEFT JOIN LATERAL (
       SELECT true AS waits FROM periods p WHERE p.account_id = $1 AND p.subscription_id = s.subscription_id AND p.waits LIMIT 1
     ) w ON true
     WHERE s.account_id = $1 AND s.customer_id = $2
       AND (s.status IN ('pending', 'active', 'paused') OR s.bills_at IS NOT NULL OR w.waits)`,
    [accountId, customerId],
  );
  return rows.map(({ subscription_id }) => subscription_id);
}

/** The live subscriptions (pending, active, paused) of the customers, oldest first. */
export async function listLiveSubscriptions(
  tx: Transaction,
  accountId: string,
  customerIds: string[],
): Promise<Subscription[]> {
  const answer = await tx.query<SubscriptionRow>(
    `SELECT ${COLUMNS} FROM subscriptions s ${OF_LIVE_SUBSCRIPTION}
     WHERE s.account_id = $1 AND s.customer_id = ANY($2) AND s.status IN ('pending', 'active', 'paused')
     ORDER BY s.seq`,
    [accountId, customerIds],
  );
  return answer.rows.map(subscriptionFromRow);
}

/** The subscriptions of the customers that have ended and left something for a later invoice, oldest first. */
export async function listBilledLater(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
): Promise<Subscription[]> {
  const answer = await tx.query<SubscriptionRow>(
    `SELECT ${COLUMNS} FROM ${SUBSCRIPTIONS}
     WHERE s.account_id = $1 AND s.customer_id = ANY($2) AND s.bills_at IS NOT NULL ORDER BY s.seq`,
    [accountId, customerIds],
  );
  return answer.rows.map(subscriptionFromRow);
}

/**
 * Stores a new subscription; its first period is stored by `insertPeriods`.
 * @throws DomainError `conflict` if the customer has a live subscription to the plan
 */
export async function insertSubscription(tx: Transaction, accountId: string, s: Subscription): Promise<void> {
  await tx
    .query(
      `INSERT INTO subscriptions (account_id, subscription_id, customer_id, plan_id, version, status, start_date, end_date,
       auto_renew, metadata, created_at, cancel_at, cancel_terms, previous_subscription_id, pending_change, switch_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
      [
        accountId,
        s.subscriptionId,
        s.customerId,
        s.planId,
        s.version,
        s.status,
        s.startDate,
        s.endDate,
        s.autoRenew,
        s.metadata,
        isoFromInstant(s.createdAt),
        isoOrNull(s.plannedCancel?.at ?? null),
        s.plannedCancel && cancelTermsToRow(s.plannedCancel),
        s.previousSubscriptionId,
        s.plannedSwitch && pendingChangeToRow(s.plannedSwitch),
        isoOrNull(s.plannedSwitch?.at ?? null),
      ],
    )
    .catch((error) => {
      if (!violates(error, 'subscriptions_one_live')) throw error;
      throw conflict(`The customer already has a live subscription to plan ${s.planId}.`);
    });
}

/**
 * Stores what a transition, a plan for one, or an update changed of a subscription. Such a change may make usage count that landed before
 * it, so the price watch looks at the subscription again.
 */
export async function updateSubscription(tx: Transaction, accountId: string, s: Subscription): Promise<void> {
  await tx.query(
    `WITH changed AS (
       UPDATE subscriptions SET status = $3, canceled_at = $4, cancel_reason = $5, cancel_at = $6, cancel_terms = $7,
         end_date = $8, paused_at = $9, resumes_at = $10, bills_at = $11, auto_renew = $12, metadata = $13,
         pending_change = $14, switch_at = $15, replaced_by = $16
       WHERE account_id = $1 AND subscription_id = $2
       RETURNING account_id, subscription_id, plan_id, version, status
     )
     ${lookAtHoldersAmong('changed')}`,
    [
      accountId,
      s.subscriptionId,
      s.status,
      isoOrNull(s.ended?.at ?? null),
      s.ended?.reason ?? null,
      isoOrNull(s.plannedCancel?.at ?? null),
      s.plannedCancel && cancelTermsToRow(s.plannedCancel),
      s.endDate,
      isoOrNull(s.paused?.at ?? null),
      isoOrNull(s.paused?.resumesAt ?? null),
      isoOrNull(s.billsAt),
      s.autoRenew,
      s.metadata,
      s.plannedSwitch && pendingChangeToRow(s.plannedSwitch),
      isoOrNull(s.plannedSwitch?.at ?? null),
      s.replacedBy,
    ],
  );
}

export function subscriptionFromRow(row: SubscriptionRow): Subscription {
  return {
    subscriptionId: row.subscription_id,
    customerId: row.customer_id,
    planId: row.plan_id,
    version: row.version,
    versionId: row.version_id,
    status: row.status,
    startDate: row.start_date,
    trialEndsOn: row.trial_ends_on,
    endDate: row.end_date,
    autoRenew: row.auto_renew,
    billingPeriod: row.billing_period,
    billingCalendar: row.billing_calendar,
    anchorDay: row.anchor_day,
    usagePeriod: row.usage_period,
    chargeTiming: row.charge_timing,
    currency: row.currency,
    agreement: agreementFromRow(row).agreement ?? null,
    phases: row.phases?.map(phaseFromRow) ?? [],
    currentPeriod: periodFromRow(row),
    plannedCancel: plannedCancelFromRow(row),
    plannedSwitch: plannedSwitchFromRow(row),
    ended: endFromRow(row),
    paused: row.paused_at === null ? null : { at: row.paused_at, resumesAt: row.resumes_at },
    billsAt: row.bills_at,
    previousSubscriptionId: row.previous_subscription_id,
    replacedBy: row.replaced_by,
    metadata: row.metadata,
    createdAt: row.created_at,
  };
}

function periodFromRow(row: SubscriptionRow): Period {
  const { period_index, period_start_date: start_date, period_end_date: end_date, starts_at, ends_at } = row;
  const { period_days: days, anchor_date, billing, period_timezone: timezone } = row;
  const dates = { start_date, end_date, starts_at, ends_at };
  const { is_trial, trial_notice_at } = row;
  return periodFromDates(period_index, {
    ...dates,
    days,
    anchor_date,
    billing,
    is_trial,
    trial_notice_at,
    version: null,
    timezone,
  });
}

/** Stores that what canceled subscriptions of a customer left for a later invoice is never invoiced. */
export async function updateLaterBillsCleared(tx: Transaction, accountId: string, customerId: string): Promise<void> {
  await tx.query(
    'UPDATE subscriptions SET bills_at = NULL WHERE account_id = $1 AND customer_id = $2 AND bills_at IS NOT NULL',
    [accountId, customerId],
  );
}
