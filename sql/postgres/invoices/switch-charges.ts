import type { SwitchCharge } from '../../../billing/credits/charged-fee.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { Transaction } from '../postgres.ts';
import { lockInvoices } from './invoices.ts';
import { type ChargedRow, chargedFromRows, OF_CHARGED } from './refundable-charges.ts';

/** A switch within a period: the subscription that it began, and when. */
type SwitchRef = { subscriptionId: string; at: Instant };

const SWITCH_CHARGES = `unnest($2::text[], $3::timestamptz[]) AS made (subscription_id, at)
  JOIN invoice_lines l ON l.account_id = $1 AND l.subscription_id = made.subscription_id
    AND l.type = 'proration' AND l.metric_id IS NULL AND l.period_start = made.at AND l.amount > 0
  JOIN invoices i ON i.account_id = l.account_id AND i.invoice_id = l.invoice_id`;

function valuesOf(accountId: string, switches: readonly SwitchRef[]): unknown[] {
  return [
    accountId,
    switches.map(({ subscriptionId }) => subscriptionId),
    switches.map(({ at }) => isoFromInstant(at)),
  ];
}

/** What these switches have charged on invoices for the rest of their period, oldest first. */
export async function listSwitchCharges(
  tx: Transaction,
  accountId: string,
  switches: readonly SwitchRef[],
): Promise<SwitchCharge[]> {
  if (switches.length === 0) return [];
  const { rows } = await tx.query<ChargedRow & { subscription_id: string; period_start: Instant }>(
    `SELECT l.subscription_id, l.period_start, l.amount - l.discount_amount AS amount, l.discount_amount AS discount, ${OF_CHARGED} FROM ${SWITCH_CHARGES} ORDER BY i.seq`,
    valuesOf(accountId, switches),
  );
  const charged = await chargedFromRows(tx, accountId, rows);
  return charged.flatMap((one, i) => {
    const row = rows[i];
    return row ? [{ ...one, subscriptionId: row.subscription_id, at: row.period_start }] : [];
  });
}

/** {@link listSwitchCharges} for what gives back of them: the invoices are locked, so that none is refunded or voided meanwhile. */
export async function lockSwitchCharges(
  tx: Transaction,
  accountId: string,
  switches: readonly SwitchRef[],
): Promise<SwitchCharge[]> {
  if (switches.length === 0) return [];
  const found = await tx.query<{ invoice_id: string }>(
    `SELECT DISTINCT i.invoice_id FROM ${SWITCH_CHARGES}`,
    valuesOf(accountId, switches),
  );
  const ids = found.rows.map((row) => row.invoice_id);
  await lockInvoices(tx, accountId, ids);
  return listSwitchCharges(tx, accountId, switches);
}
