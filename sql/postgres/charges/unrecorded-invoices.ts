import type { IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { GIVEN_AS_CREDIT } from '../credits/given-as-credit.ts';
import { findWholeInvoices } from '../invoices/invoices.ts';
import { lookAcrossAccounts, type Pool, type Transaction } from '../postgres.ts';

/** That no terms of an invoice `i` are there: what it charges is not recorded yet. */
const UNRECORDED = `NOT EXISTS (SELECT FROM invoice_terms t WHERE t.account_id = i.account_id AND t.invoice_id = i.invoice_id)`;

/** The place behind which invoices may not be recorded yet. */
const UP_TO = 'coalesce((SELECT up_to FROM charges_recorded WHERE account_id = $1), 0)';

/** The oldest invoices that bill these customers, to whomever, and are not recorded yet, in order of issue. */
export async function listUnrecordedInvoices(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
  limit: number,
): Promise<string[]> {
  const { rows } = await tx.query<{ invoice_id: string }>(
    `SELECT i.invoice_id FROM invoices i
     WHERE i.account_id = $1 AND i.customer_id = ANY (ARRAY(SELECT unnest($2::text[]) UNION SELECT o.customer_id FROM invoice_lines k
         JOIN invoices o ON o.account_id = k.account_id AND o.invoice_id = k.invoice_id WHERE k.account_id = $1 AND k.customer_id = ANY($2)))
       AND i.seq > ${UP_TO} AND ${UNRECORDED}
     ORDER BY i.seq LIMIT $3`,
    [accountId, customerIds, limit],
  );
  return rows.map((row) => row.invoice_id);
}

/** The customers whom the lines of an invoice bill. */
export async function listCustomersBilledOn(tx: Transaction, accountId: string, invoiceId: string): Promise<string[]> {
  const { rows } = await tx.query<{ customer_id: string }>(
    `SELECT DISTINCT customer_id FROM invoice_lines
     WHERE account_id = $1 AND invoice_id = $2 AND customer_id IS NOT NULL ORDER BY customer_id`,
    [accountId, invoiceId],
  );
  return rows.map((row) => row.customer_id);
}

/** The next invoices of an account behind those that are known to be recorded, in order of issue; `last` is null if there are none. */
export async function listInvoicesToLookAt(
  tx: Transaction,
  accountId: string,
  limit: number,
): Promise<{ last: string | null; unrecorded: string[] }> {
  const { rows } = await tx.query<{ invoice_id: string; seq: string; is_unrecorded: boolean }>(
    `SELECT i.invoice_id, i.seq, recorded.is_there IS NULL AS is_unrecorded
     FROM (SELECT invoice_id, seq FROM invoices WHERE account_id = $1 AND seq > ${UP_TO} ORDER BY seq LIMIT $2) i
       LEFT JOIN LATERAL (SELECT true AS is_there FROM invoice_terms t WHERE t.account_id = $1 AND t.invoice_id = i.invoice_id LIMIT 1)
         recorded ON true
     ORDER BY i.seq`,
    [accountId, limit],
  );
  return {
    last: rows.at(-1)?.seq ?? null,
    unrecorded: rows.filter((row) => row.is_unrecorded).map((row) => row.invoice_id),
  };
}

/** The accounts that have invoices behind those that are known to be recorded. */
export async function listAccountsToRecord(pool: Pool, limit: number): Promise<string[]> {
  const { rows } = await lookAcrossAccounts<{ account_id: string }>(
    pool,
    `SELECT a.account_id FROM accounts a LEFT JOIN charges_recorded r ON r.account_id = a.account_id
     WHERE EXISTS (SELECT FROM invoices i WHERE i.account_id = a.account_id AND i.seq > coalesce(r.up_to, 0))
     ORDER BY a.account_id LIMIT $1`,
    [limit],
  );
  return rows.map((row) => row.account_id);
}

/** Keeps that all invoices of an account up to a place are recorded. */
export async function upsertChargesRecorded(tx: Transaction, accountId: string, upTo: string): Promise<void> {
  await tx.query(
    `INSERT INTO charges_recorded (account_id, up_to) VALUES ($1, $2)
     ON CONFLICT (account_id) DO UPDATE SET up_to = greatest(charges_recorded.up_to, excluded.up_to)`,
    [accountId, upTo],
  );
}

/** An invoice that is not recorded yet. Its lines name what they give back of, and the attachments of add-ons. */
export type UnrecordedInvoice = IssuedInvoice & { order: number; voidedBefore: string | null };

type HeadRow = { invoice_id: string; seq: string; voided_before: string | null };
type LineMoreRow = { line_id: string; given_back_of: string | null; addon_subscription_id: string | null };

/**
 * These invoices in order of issue. One that is void was voided before the first invoice of its payer that the ledger has behind the void, else
 * before all that is to come. Which attachment an add-on line is of is told by the subscription, the add-on and, if there are several, their order.
 */
export async function loadUnrecordedInvoices(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<UnrecordedInvoice[]> {
  const [invoices, heads, more] = await Promise.all([
    findWholeInvoices(tx, accountId, invoiceIds),
    tx.query<HeadRow>(
      `SELECT i.invoice_id, i.seq, CASE WHEN i.status = 'void' THEN coalesce(
           (SELECT min(o.seq) FROM ledger_transactions v
              JOIN ledger_transactions t ON t.account_id = $1 AND t.customer_id = v.customer_id AND t.seq > v.seq AND t.kind = 'invoice_issued'
              JOIN invoices o ON o.account_id = $1 AND o.invoice_id = t.invoice_id
            WHERE v.account_id = $1 AND v.customer_id = i.customer_id AND v.invoice_id = i.invoice_id AND v.kind = 'invoice_voided'),
           1 + (SELECT max(seq) FROM invoices WHERE account_id = $1)) END AS voided_before
       FROM invoices i WHERE i.account_id = $1 AND i.invoice_id = ANY($2) ORDER BY i.seq`,
      [accountId, invoiceIds],
    ),
    tx.query<LineMoreRow>(
      `SELECT l.line_id, l.given_back_of, CASE WHEN l.type = 'addon' THEN coalesce((
           SELECT (array_agg(s.addon_subscription_id ORDER BY s.seq))[1 + (SELECT count(*) FROM invoice_lines e
             WHERE e.account_id = $1 AND e.invoice_id = l.invoice_id AND e.ordinal < l.ordinal AND e.type = 'addon'
               AND e.subscription_id = l.subscription_id AND e.addon_id = l.addon_id AND e.period_start = l.period_start)]
           FROM addon_subscriptions s WHERE s.account_id = $1 AND s.subscription_id = l.subscription_id AND s.addon_id = l.addon_id
         ), l.addon_id) END AS addon_subscription_id
       FROM invoice_lines l
       WHERE l.account_id = $1 AND l.invoice_id = ANY($2) AND (l.given_back_of IS NOT NULL OR l.type = 'addon')`,
      [accountId, invoiceIds],
    ),
  ]);
  const moreOf = new Map(more.rows.map((row) => [row.line_id, row]));
  const byId = new Map(invoices.map((invoice) => [invoice.invoiceId, invoice]));
  return heads.rows.flatMap((row) => {
    const invoice = byId.get(row.invoice_id);
    if (!invoice) return [];
    const lines = invoice.lines.map((line) => {
      const found = moreOf.get(line.lineId ?? '');
      const { given_back_of: givenBackOf, addon_subscription_id: addonSubscriptionId } = found ?? {};
      return { ...line, ...(givenBackOf && { givenBackOf }), ...(addonSubscriptionId && { addonSubscriptionId }) };
    });
    return [{ ...invoice, lines, order: Number(row.seq), voidedBefore: row.voided_before }];
  });
}

/** A credit that gives back of an invoice, with the tax in it. `isOfUnits`: of prepaid units, else of a fee. */
export type GivenCredit = { invoiceId: string; creditId: string; amount: Decimal; tax: Decimal; isOfUnits: boolean };

/** The credits that give back of these invoices, oldest first. */
export async function listGivenCredits(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<GivenCredit[]> {
  const { rows } = await tx.query<{
    invoice_id: string;
    credit_id: string;
    amount: string;
    tax: string;
    is_of_units: boolean;
  }>(
    `WITH given AS (${GIVEN_AS_CREDIT} AND t.invoice_id = ANY($2) GROUP BY t.invoice_id, t.credit_id)
     SELECT given.invoice_id, given.credit_id, given.amount, given.tax,
       coalesce(k.description LIKE '%: fewer prepaid units', false) AS is_of_units
     FROM given JOIN credits k ON k.account_id = $1 AND k.credit_id = given.credit_id
     WHERE given.amount > 0 ORDER BY k.seq`,
    [accountId, invoiceIds],
  );
  return rows.map((row) => ({
    invoiceId: row.invoice_id,
    creditId: row.credit_id,
    amount: decimal(row.amount),
    tax: decimal(row.tax),
    isOfUnits: row.is_of_units,
  }));
}
