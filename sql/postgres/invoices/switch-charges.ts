import type { SwitchCharge } from '../../../billing/periods/carried-period.ts';
import { decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { Transaction } from '../postgres.ts';

/** A switch within a period: the subscription that it began, and when. */
type SwitchRef = { subscriptionId: string; at: Instant };

/** What these switches have charged on invoices for the rest of their period. */
export async function listSwitchCharges(
  tx: Transaction,
  accountId: string,
  switches: readonly SwitchRef[],
): Promise<SwitchCharge[]> {
  if (switches.length === 0) return [];
  const { rows } = await tx.query<{ subscription_id: string; period_start: Instant; tax_rate: string }>(
    `SELECT l.subscription_id, l.period_start, i.tax_rate
     FROM unnest($2::text[], $3::timestamptz[]) AS made (subscription_id, at)
       JOIN invoice_lines l ON l.account_id = $1 AND l.subscription_id = made.subscription_id
         AND l.type = 'proration' AND l.metric_id IS NULL AND l.period_start = made.at AND l.amount > 0
       JOIN invoices i ON i.account_id = l.account_id AND i.invoice_id = l.invoice_id
     ORDER BY i.seq`,
    [accountId, switches.map(({ subscriptionId }) => subscriptionId), switches.map(({ at }) => isoFromInstant(at))],
  );
  return rows.map((row) => ({
    subscriptionId: row.subscription_id,
    at: row.period_start,
    taxRate: decimal(row.tax_rate),
  }));
}
