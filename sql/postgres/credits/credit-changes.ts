import type { CreditRestored } from '../../../billing/change-set.ts';
import type { Credit } from '../../../billing/credits/credits.ts';
import type { CreditUse } from '../../../billing/invoices/void-invoice.ts';
import { currencyOf } from '../../../core/currencies.ts';
import { decimal, roundHalfAwayFromZero, ZERO } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant, isoOrNull } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import type { Transaction } from '../postgres.ts';
import { type DatedCredit, findCredit } from './credits.ts';
import { GIVEN_AS_CREDIT } from './given-as-credit.ts';

/** The credit, locked until the transaction ends: an invoice that is being issued uses it before or after, not meanwhile. */
export async function lockCredit(
  tx: Transaction,
  accountId: string,
  creditId: string,
): Promise<DatedCredit | undefined> {
  await tx.query('SELECT 1 FROM credits WHERE account_id = $1 AND credit_id = $2 FOR UPDATE', [accountId, creditId]);
  return findCredit(tx, accountId, creditId);
}

/** Stores what an update or a void changed of credits. */
export async function updateCredits(tx: Transaction, accountId: string, credits: readonly Credit[]): Promise<void> {
  if (credits.length === 0) return;
  const rows = credits.map((credit) => ({
    credit_id: credit.creditId,
    expires_at: credit.expiresAt,
    description: credit.description,
    voided_at: isoOrNull(credit.voidedAt),
    amount_remaining: credit.amountRemaining,
  }));
  await tx.query(
    `UPDATE credits k SET expires_at = u.expires_at, description = u.description, voided_at = u.voided_at,
       amount_remaining = u.amount_remaining
     FROM jsonb_to_recordset($2) AS u (credit_id text, expires_at date, description text, voided_at timestamptz,
       amount_remaining numeric)
     WHERE k.account_id = $1 AND k.credit_id = u.credit_id`,
    [accountId, stringifyExactJson(rows)],
  );
}

/** Whose credit it is: what is given back of an invoice is its payer's, that of an invoice below 0 the payer's of that one. */
type UseOf = CreditUse & { customerId: string };

type UseRow = {
  credit_id: string;
  customer_id: string;
  amount: string;
  amount_remaining: string;
  voided_at: Instant | null;
  given: string | null;
  given_tax: string | null;
};

/**
 * What an invoice took from each credit, and the credits that were given back from it, oldest credit first. Lock the
 * customer's credits before.
 */
export async function listCreditUses(tx: Transaction, accountId: string, invoiceId: string): Promise<UseOf[]> {
  const answer = await tx.query<UseRow>(
    `WITH used AS (
       SELECT credit_id, amount FROM credit_applications
       WHERE account_id = $1 AND invoice_id = $2 AND reversed_at IS NULL
     ), given AS (${GIVEN_AS_CREDIT} AND t.invoice_id = $2 GROUP BY t.invoice_id, t.credit_id)
     SELECT k.credit_id, k.customer_id, coalesce(used.amount, 0) AS amount, k.amount_remaining, k.voided_at, given.amount AS given,
       given.tax AS given_tax
     FROM used FULL JOIN given USING (credit_id) JOIN credits k USING (credit_id) WHERE k.account_id = $1
     ORDER BY k.seq`,
    [accountId, invoiceId],
  );
  return answer.rows.map((row) => ({
    customerId: row.customer_id,
    credit: {
      creditId: row.credit_id,
      amountRemaining: decimal(row.amount_remaining),
      voidedAt: row.voided_at,
    },
    amount: decimal(row.amount),
    given: row.given === null ? null : { amount: decimal(row.given), tax: decimal(row.given_tax ?? 0) },
  }));
}

type OverpaymentRow = {
  credit_id: string;
  customer_id: string;
  amount_remaining: string;
  voided_at: Instant | null;
  amount: string;
  tax_rate: string;
  currency: string;
};

/**
 * Credits that other invoices below 0 left, because they took back what this one had charged (spec/invoices#states): each with
 * how much of that. Lock the customer's credits before.
 */
export async function listOverpaymentsOf(tx: Transaction, accountId: string, invoiceId: string): Promise<UseOf[]> {
  const { rows } = await tx.query<OverpaymentRow>(
    `SELECT k.credit_id, k.customer_id, k.amount_remaining, k.voided_at, -sum(l.amount) AS amount, i.tax_rate, i.currency
     FROM invoice_lines l
       JOIN invoices i ON i.account_id = l.account_id AND i.invoice_id = l.invoice_id AND i.total < 0
       JOIN ledger_transactions t ON t.account_id = i.account_id AND t.invoice_id = i.invoice_id
         AND t.kind = 'overpayment_credited'
       JOIN credits k ON k.account_id = t.account_id AND k.credit_id = t.credit_id
     WHERE l.account_id = $1 AND l.given_back_of = $2
     GROUP BY k.account_id, k.credit_id, i.account_id, i.invoice_id ORDER BY k.seq`,
    [accountId, invoiceId],
  );
  return rows.map((row) => {
    const amount = decimal(row.amount);
    const tax = roundHalfAwayFromZero(amount.times(row.tax_rate).shiftedBy(-2), currencyOf(row.currency).exponent);
    const credit = {
      creditId: row.credit_id,
      amountRemaining: decimal(row.amount_remaining),
      voidedAt: row.voided_at,
    };
    return { customerId: row.customer_id, credit, amount: ZERO, given: { amount: amount.plus(tax), tax } };
  });
}

/** Gives credits back what invoices took from them, or voids them with their invoices. */
export async function updateCreditsRestored(
  tx: Transaction,
  accountId: string,
  restored: readonly CreditRestored[],
): Promise<void> {
  if (restored.length === 0) return;
  const rows = restored.map((one) => ({
    credit_id: one.creditId,
    invoice_id: one.invoiceId,
    amount_remaining: one.amountRemaining,
    voided_at: isoOrNull(one.voidedAt),
    at: isoFromInstant(one.at),
  }));
  const values = [accountId, stringifyExactJson(rows)];
  await tx.query(
    `UPDATE credit_applications a SET reversed_at = u.at
     FROM jsonb_to_recordset($2) AS u (credit_id text, invoice_id text, at timestamptz)
     WHERE a.account_id = $1 AND a.credit_id = u.credit_id AND a.invoice_id = u.invoice_id`,
    values,
  );
  await tx.query(
    `UPDATE credits k SET amount_remaining = u.amount_remaining, voided_at = u.voided_at
     FROM jsonb_to_recordset($2) AS u (credit_id text, amount_remaining numeric, voided_at timestamptz)
     WHERE k.account_id = $1 AND k.credit_id = u.credit_id`,
    values,
  );
}
