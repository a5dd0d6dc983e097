import type { Credit } from '../../../billing/credits/credits.ts';
import type { CreditUse, Restoration } from '../../../billing/invoices/void-invoice.ts';
import { currencyOf } from '../../../core/currencies.ts';
import { decimal, roundHalfAwayFromZero, ZERO } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant, isoOrNull } from '../../../core/instants.ts';
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

/** Stores what an update or a void changed of a credit. */
export async function updateCredit(tx: Transaction, accountId: string, credit: Credit): Promise<void> {
  await tx.query(
    `UPDATE credits SET expires_at = $3, description = $4, voided_at = $5, amount_remaining = $6
     WHERE account_id = $1 AND credit_id = $2`,
    [
      accountId,
      credit.creditId,
      credit.expiresAt,
      credit.description,
      isoOrNull(credit.voidedAt),
      credit.amountRemaining.toFixed(),
    ],
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

/** Gives a credit back what an invoice took from it, or voids it with the invoice; `at` is in the customer's time. */
export async function restoreCredit(
  tx: Transaction,
  accountId: string,
  invoiceId: string,
  { creditId, amountRemaining, voidedAt }: Restoration,
  at: Instant,
): Promise<void> {
  await tx.query(
    `UPDATE credit_applications SET reversed_at = $4 WHERE account_id = $1 AND credit_id = $2 AND invoice_id = $3`,
    [accountId, creditId, invoiceId, isoFromInstant(at)],
  );
  await tx.query('UPDATE credits SET amount_remaining = $3, voided_at = $4 WHERE account_id = $1 AND credit_id = $2', [
    accountId,
    creditId,
    amountRemaining.toFixed(),
    isoOrNull(voidedAt),
  ]);
}
