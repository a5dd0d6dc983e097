import { periodsOf } from '../../../billing/discounts/coupons.ts';
import type { InvoiceKind, LineType, NewInvoiceLine } from '../../../billing/invoices/invoice.ts';
import { emptyLine } from '../../../billing/invoices/invoice-lines.ts';
import type { PlacedCharge } from '../../../billing/settle/record-issued.ts';
import type {
  StoredCreditPaid,
  StoredDiscount,
  StoredMoney,
  StoredTerms,
} from '../../../billing/settle/stored-records.ts';
import { decimal } from '../../../core/decimal.ts';
import type { LocalDate } from '../../../core/instants.ts';
import { appliesToFromRow, type CouponTermsRow, offFromRow } from '../catalog/coupons.ts';
import type { Transaction } from '../postgres.ts';
import { CHARGE_COLUMNS, type ChargeRow, chargeFromRow } from './charges.ts';

/**
 * The invoices that settling billing periods has to know, in order of issue: those with a key of one of them, or that count for one; and those
 * that share a discount with them which is used up: an amount off the same billing period, or a number of periods.
 */
export async function listInvoicesToSettle(
  tx: Transaction,
  accountId: string,
  periodIds: readonly string[],
): Promise<string[]> {
  const { rows } = await tx.query<{ invoice_id: string }>(
    `WITH wanted AS MATERIALIZED (
       SELECT invoice_id FROM charges WHERE account_id = $1 AND period_id = ANY($2)
       UNION SELECT invoice_id FROM invoice_terms WHERE account_id = $1 AND period_id = ANY($2)
     ), shared AS MATERIALIZED (
       SELECT DISTINCT x.discount_id, t.period_id, c.duration <> 'forever' AS is_counted
       FROM wanted JOIN invoice_discounts x ON x.account_id = $1 AND x.invoice_id = wanted.invoice_id
         JOIN invoice_terms t ON t.account_id = $1 AND t.invoice_id = x.invoice_id AND t.section = x.section
         JOIN discounts d ON d.account_id = $1 AND d.discount_id = x.discount_id
         JOIN coupons c ON c.account_id = $1 AND c.coupon_id = d.coupon_id
       WHERE c.duration <> 'forever' OR c.amount_off IS NOT NULL
     ), known AS (
       SELECT invoice_id FROM wanted
       UNION SELECT x.invoice_id FROM shared JOIN invoice_discounts x ON x.account_id = $1 AND x.discount_id = shared.discount_id
         JOIN invoice_terms t ON t.account_id = $1 AND t.invoice_id = x.invoice_id AND t.section = x.section
       WHERE shared.is_counted OR t.period_id = shared.period_id
     )
     SELECT i.invoice_id FROM known JOIN invoices i ON i.account_id = $1 AND i.invoice_id = known.invoice_id ORDER BY i.seq`,
    [accountId, periodIds],
  );
  return rows.map((row) => row.invoice_id);
}

type TermsRow = {
  invoice_id: string;
  section: number;
  kind: InvoiceKind;
  period_id: string;
  voided_before: string | null;
  seq: string;
  customer_id: string;
  tax_rate: string;
};

/** The terms of these invoices, in order of issue. */
export async function listTermsOfInvoices(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<StoredTerms[]> {
  const { rows } = await tx.query<TermsRow>(
    `SELECT t.invoice_id, t.section, t.kind, t.period_id, t.voided_before, i.seq, i.customer_id, i.tax_rate
     FROM invoice_terms t JOIN invoices i ON i.account_id = t.account_id AND i.invoice_id = t.invoice_id
     WHERE t.account_id = $1 AND t.invoice_id = ANY($2) ORDER BY i.seq, t.section`,
    [accountId, invoiceIds],
  );
  return rows.map((row) => ({
    invoiceId: row.invoice_id,
    section: row.section,
    order: Number(row.seq),
    kind: row.kind,
    periodId: row.period_id,
    payerId: row.customer_id,
    taxRate: decimal(row.tax_rate),
    voidedBefore: row.voided_before === null ? null : Number(row.voided_before),
  }));
}

type DiscountRow = CouponTermsRow & {
  invoice_id: string;
  section: number;
  has_lowered: boolean;
  discount_id: string;
  holders: string[];
  duration: 'once' | 'repeating' | 'forever';
  duration_in_periods: number | null;
};

/** The discounts that were active at the issue of these invoices, in order of redemption. */
export async function listDiscountsOfInvoices(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<StoredDiscount[]> {
  const { rows } = await tx.query<DiscountRow>(
    `SELECT x.invoice_id, x.section, x.has_lowered, d.discount_id, d.holders, c.percent_off, c.amount_off, c.currency, c.plan_ids,
       c.metric_ids, c.line_types, c.duration, c.duration_in_periods
     FROM invoice_discounts x JOIN discounts d ON d.account_id = x.account_id AND d.discount_id = x.discount_id
       JOIN coupons c ON c.account_id = d.account_id AND c.coupon_id = d.coupon_id
     WHERE x.account_id = $1 AND x.invoice_id = ANY($2) ORDER BY d.seq`,
    [accountId, invoiceIds],
  );
  return rows.map((row) => ({
    invoiceId: row.invoice_id,
    section: row.section,
    hasLowered: row.has_lowered,
    terms: {
      ...offFromRow(row),
      discountId: row.discount_id,
      subscriptionIds: row.holders,
      appliesTo: appliesToFromRow(row),
      periods: periodsOf({ duration: row.duration, durationInPeriods: row.duration_in_periods }),
    },
  }));
}

/** The line of a charge, as far as limits and discounts depend on it. */
type LineOfChargeRow = {
  type: LineType | null;
  subscription_id: string | null;
  plan_id: string | null;
  version: number | null;
  metric_id: string | null;
  amount: string | null;
};

/** The charges on these invoices, and those on others that were computed by their terms, in order of issue; each with its line. */
export async function listChargesOfInvoices(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<(PlacedCharge & { line: NewInvoiceLine | null })[]> {
  const { rows } = await tx.query<ChargeRow & LineOfChargeRow>(
    `SELECT ${CHARGE_COLUMNS}, l.type, l.subscription_id, l.plan_id, l.version, l.metric_id, l.amount
     FROM charges c JOIN invoices i ON i.account_id = c.account_id AND i.invoice_id = c.invoice_id
       LEFT JOIN invoice_lines l ON l.account_id = c.account_id AND l.invoice_id = c.invoice_id AND l.ordinal = c.ordinal
     WHERE c.account_id = $1 AND (c.invoice_id = ANY($2) OR c.terms_of <> c.invoice_id AND c.terms_of = ANY($2))
     ORDER BY i.seq, c.ordinal`,
    [accountId, invoiceIds],
  );
  return rows.map((row) => ({ ...chargeFromRow(row), line: lineOfRow(row) }));
}

function lineOfRow(row: LineOfChargeRow): NewInvoiceLine | null {
  if (row.type === null) return null;
  return {
    ...emptyLine(row.type, ''),
    subscriptionId: row.subscription_id,
    planId: row.plan_id,
    version: row.version,
    metricId: row.metric_id,
    amount: decimal(row.amount ?? 0),
  };
}

/** The money of these invoices; nothing is due of one that is void. */
export async function listMoneyOfInvoices(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<StoredMoney[]> {
  const { rows } = await tx.query<{
    invoice_id: string;
    customer_id: string;
    due: string;
    paid: string;
    reversed: string;
  }>(
    `WITH reversed AS (
       SELECT r.invoice_id, sum(r.amount + r.tax_amount) AS amount FROM charge_reversals r
       WHERE r.account_id = $1 AND r.invoice_id = ANY($2) AND (r.kind = 'credit' OR r.kind = 'line' AND NOT EXISTS (
         SELECT FROM invoice_lines l WHERE l.account_id = $1 AND l.line_id = r.source_id AND l.invoice_id = r.invoice_id))
       GROUP BY r.invoice_id
     ), at_once AS (
       SELECT a.invoice_id, sum(a.amount) AS amount FROM credit_applications a
       WHERE a.account_id = $1 AND a.invoice_id = ANY($2) AND a.reversed_at IS NULL AND EXISTS (
         SELECT FROM charge_reversals r WHERE r.account_id = $1 AND r.source_id = a.credit_id AND r.invoice_id = a.invoice_id)
       GROUP BY a.invoice_id
     )
     SELECT i.invoice_id, i.customer_id, CASE WHEN i.status = 'void' THEN 0 ELSE i.amount_due END AS due,
       i.amount_paid - i.amount_in_refunds AS paid, coalesce(reversed.amount, 0) - coalesce(at_once.amount, 0) AS reversed
     FROM invoices i LEFT JOIN reversed USING (invoice_id) LEFT JOIN at_once USING (invoice_id)
     WHERE i.account_id = $1 AND i.invoice_id = ANY($2)`,
    [accountId, invoiceIds],
  );
  return rows.map((row) => ({
    invoiceId: row.invoice_id,
    payerId: row.customer_id,
    due: decimal(row.due),
    paid: decimal(row.paid),
    reversed: decimal(row.reversed),
  }));
}

/** What credits have paid of these invoices, in the order in which they were applied; but for credits that give back of the same invoice. */
export async function listCreditsPaid(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<StoredCreditPaid[]> {
  const { rows } = await tx.query<{
    invoice_id: string;
    credit_id: string;
    amount: string;
    expires_at: LocalDate | null;
  }>(
    `SELECT a.invoice_id, a.credit_id, a.amount, k.expires_at
     FROM credit_applications a JOIN credits k ON k.account_id = a.account_id AND k.credit_id = a.credit_id
     WHERE a.account_id = $1 AND a.invoice_id = ANY($2) AND a.reversed_at IS NULL AND NOT EXISTS (
       SELECT FROM charge_reversals r WHERE r.account_id = $1 AND r.source_id = a.credit_id AND r.invoice_id = a.invoice_id)
     ORDER BY a.applied_at, k.expires_at NULLS LAST, k.created_at, k.credit_id`,
    [accountId, invoiceIds],
  );
  return rows.map((row) => ({
    invoiceId: row.invoice_id,
    creditId: row.credit_id,
    amount: decimal(row.amount),
    expiresAt: row.expires_at,
  }));
}
