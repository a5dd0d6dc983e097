import type { AddonSubscription } from '../../../billing/catalog/addons.ts';
import type { ChargeableAddon } from '../../../billing/invoices/addon-charges.ts';
import type { AddonCharge } from '../../../billing/pricing/charges.ts';
import { decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { firstRow, type Transaction } from '../postgres.ts';
import { bySubscription } from './of-subscriptions.ts';

type AddonSubscriptionRow = {
  addon_subscription_id: string;
  addon_id: string;
  subscription_id: string;
  quantity: number;
  status: AddonSubscription['status'];
  attached_at: Instant;
};

const COLUMNS = 'addon_subscription_id, addon_id, subscription_id, quantity, status, attached_at';

/** The attached add-on, or undefined where the subscription has not attached it, or not any more. */
export async function findAttachedAddon(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
  addonId: string,
): Promise<AddonSubscription | undefined> {
  const answer = await tx.query<AddonSubscriptionRow>(
    `SELECT ${COLUMNS} FROM addon_subscriptions
     WHERE account_id = $1 AND subscription_id = $2 AND addon_id = $3 AND status = 'active'`,
    [accountId, subscriptionId, addonId],
  );
  const row = firstRow(answer);
  return row && addonSubscriptionFromRow(row);
}

/**
 * A recurring or quantity add-on that was canceled in period `periodIndex`, which it is still charged for: attaching it
 * again in that period goes on with it, so that the period is charged once.
 */
export async function findCanceledAddon(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
  addonId: string,
  periodIndex: number,
): Promise<AddonSubscription | undefined> {
  const answer = await tx.query<AddonSubscriptionRow>(
    `SELECT s.addon_subscription_id, s.addon_id, s.subscription_id, s.quantity, s.status, s.attached_at
     FROM addon_subscriptions s JOIN addons a USING (account_id, addon_id)
     WHERE s.account_id = $1 AND s.subscription_id = $2 AND s.addon_id = $3 AND s.status = 'canceled'
       AND s.canceled_period = $4 AND a.kind <> 'one_time'
     ORDER BY s.seq DESC LIMIT 1`,
    [accountId, subscriptionId, addonId, periodIndex],
  );
  const row = firstRow(answer);
  return row && addonSubscriptionFromRow(row);
}

/**
 * The add-ons these subscriptions have attached, by subscription, in the order in which they were; one without any is not there. Those of a
 * subscription with more than `most` are left out and never read.
 */
export async function listAttachedAddons(
  tx: Transaction,
  accountId: string,
  subscriptionIds: string[],
  most: number,
): Promise<Map<string, AddonSubscription[]>> {
  const { rows } = await tx.query<AddonSubscriptionRow & { of_subscription: string }>(
    `SELECT ${COLUMNS}, of_subscription FROM (
       SELECT ${COLUMNS}, seq, count(*) OVER (PARTITION BY subscription_id) AS of_subscription,
         row_number() OVER (PARTITION BY subscription_id ORDER BY seq) AS place
       FROM addon_subscriptions WHERE account_id = $1 AND subscription_id = ANY($2) AND status = 'active') attached
     WHERE of_subscription <= $3 OR place = 1 ORDER BY seq`,
    [accountId, subscriptionIds, most],
  );
  return bySubscription(rows, most, addonSubscriptionFromRow);
}

/** Stores an add-on that is attached; `periodIndex` is the period it is charged from. */
export async function insertAddonSubscription(
  tx: Transaction,
  accountId: string,
  { periodIndex, ...attached }: AddonSubscription & { periodIndex: number },
): Promise<void> {
  await tx.query(
    `INSERT INTO addon_subscriptions (account_id, addon_subscription_id, subscription_id, addon_id, quantity, status,
       attached_at, attached_period)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      accountId,
      attached.addonSubscriptionId,
      attached.subscriptionId,
      attached.addonId,
      attached.quantity,
      attached.status,
      isoFromInstant(attached.attachedAt),
      periodIndex,
    ],
  );
}

/** Gives an attached add-on its quantity, and attaches again one that was canceled. */
export async function updateAddonAttached(tx: Transaction, accountId: string, attached: AddonSubscription) {
  await tx.query(
    `UPDATE addon_subscriptions SET quantity = $3, status = 'active', canceled_at = NULL, canceled_period = NULL
     WHERE account_id = $1 AND addon_subscription_id = $2`,
    [accountId, attached.addonSubscriptionId, attached.quantity],
  );
}

/** Cancels an attached add-on; `periodIndex` is the last period it is charged for. */
export async function updateAddonCanceled(
  tx: Transaction,
  accountId: string,
  canceled: { addonSubscriptionId: string; at: Instant; periodIndex: number },
): Promise<void> {
  await tx.query(
    `UPDATE addon_subscriptions SET status = 'canceled', canceled_at = $3, canceled_period = $4
     WHERE account_id = $1 AND addon_subscription_id = $2`,
    [accountId, canceled.addonSubscriptionId, isoFromInstant(canceled.at), canceled.periodIndex],
  );
}

type ChargeableRow = {
  subscription_id: string;
  addon_subscription_id: string;
  addon_id: string;
  name: string;
  kind: ChargeableAddon['kind'];
  price: string;
  quantity: number;
  attached_period: number;
  canceled_period: number | null;
  billed_period: number | null;
};

/** The add-ons that invoices of the subscription may still have to charge, in the order in which they were attached. */
export async function listChargeableAddons(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
): Promise<ChargeableAddon[]> {
  return (await listChargeableAddonsOf(tx, accountId, [subscriptionId])).get(subscriptionId) ?? [];
}

/** {@link listChargeableAddons} of several subscriptions, by subscription; one without any is not there. */
export async function listChargeableAddonsOf(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
): Promise<Map<string, ChargeableAddon[]>> {
  const { rows } = await tx.query<ChargeableRow>(
    `SELECT s.subscription_id, s.addon_subscription_id, s.addon_id, a.name, a.kind, a.price,
       s.quantity, s.attached_period, s.canceled_period, s.billed_period
     FROM addon_subscriptions s JOIN addons a USING (account_id, addon_id)
     WHERE s.account_id = $1 AND s.subscription_id = ANY($2) AND (s.status = 'active'
       OR (s.status = 'canceled' AND a.kind <> 'one_time' AND s.canceled_period > coalesce(s.billed_period, -1)))
     ORDER BY s.seq`,
    [accountId, subscriptionIds],
  );
  const byId = Map.groupBy(rows, (row) => row.subscription_id);
  return new Map([...byId].map(([id, own]) => [id, own.map(chargeableFromRow)]));
}

function chargeableFromRow(row: ChargeableRow): ChargeableAddon {
  return {
    addonSubscriptionId: row.addon_subscription_id,
    addonId: row.addon_id,
    name: row.name,
    kind: row.kind,
    price: decimal(row.price),
    quantity: row.quantity,
    from: row.attached_period,
    to: row.canceled_period,
    billedTo: row.billed_period,
  };
}

/** When an add-on was attached to a subscription. */
export type Attachment = Pick<AddonSubscription, 'addonId' | 'subscriptionId' | 'attachedAt'>;

/** When these add-ons were attached to subscriptions of the account, in order. */
export async function listAttachments(tx: Transaction, accountId: string, addonIds: string[]): Promise<Attachment[]> {
  if (addonIds.length === 0) return [];
  const answer = await tx.query<Attachment>(
    `SELECT addon_id AS "addonId", subscription_id AS "subscriptionId", attached_at AS "attachedAt"
     FROM addon_subscriptions WHERE account_id = $1 AND addon_id = ANY($2) ORDER BY seq`,
    [accountId, addonIds],
  );
  return answer.rows;
}

/** Keeps what invoices have charged, in the transaction that issues them: a one_time add-on is then no longer attached. */
export async function updateAddonsBilled(
  tx: Transaction,
  accountId: string,
  charges: readonly AddonCharge[],
): Promise<void> {
  if (charges.length === 0) return;
  await tx.query(
    `UPDATE addon_subscriptions s SET billed_period = greatest(s.billed_period, c.period_index),
       status = CASE WHEN c.is_one_time THEN 'billed' ELSE s.status END
     FROM (SELECT id, max(period_index) AS period_index, bool_or(is_one_time) AS is_one_time
       FROM unnest($2::text[], $3::int[], $4::boolean[]) AS u (id, period_index, is_one_time) GROUP BY id) c
     WHERE s.account_id = $1 AND s.addon_subscription_id = c.id`,
    [
      accountId,
      charges.map(({ addonSubscriptionId }) => addonSubscriptionId),
      charges.map(({ periodIndex }) => periodIndex),
      charges.map(({ kind }) => kind === 'one_time'),
    ],
  );
}

function addonSubscriptionFromRow(row: AddonSubscriptionRow): AddonSubscription {
  return {
    addonSubscriptionId: row.addon_subscription_id,
    addonId: row.addon_id,
    subscriptionId: row.subscription_id,
    quantity: row.quantity,
    status: row.status,
    attachedAt: row.attached_at,
  };
}
