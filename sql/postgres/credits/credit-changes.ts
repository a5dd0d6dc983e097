import type { Credit } from '../../../billing/credits/credits.ts';
import type { CreditUse, Restoration } from '../../../billing/invoices/void-invoice.ts';
import { decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant, isoOrNull } from '../../../core/instants.ts';
import type { Transaction } from '../postgres.ts';
import { type DatedCredit, findCredit } from './credits.ts';

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

type UseRow = { credit_id: string; amount: string; amount_remaining: string; voided_at: Instant | null };

/** What an invoice took from each credit, oldest credit first. Lock the customer's credits before. */
export async function listCreditUses(tx: Transaction, accountId: string, invoiceId: string): Promise<CreditUse[]> {
  const answer = await tx.query<UseRow>(
    `SELECT k.credit_id, a.amount, k.amount_remaining, k.voided_at
     FROM credit_applications a JOIN credits k USING (account_id, credit_id)
     WHERE a.account_id = $1 AND a.invoice_id = $2 AND a.reversed_at IS NULL ORDER BY k.seq`,
    [accountId, invoiceId],
  );
  return answer.rows.map((row) => ({
    credit: {
      creditId: row.credit_id,
      amountRemaining: decimal(row.amount_remaining),
      voidedAt: row.voided_at,
    },
    amount: decimal(row.amount),
  }));
}

/** Gives a credit back what an invoice took from it; `at` is in the customer's time. */
export async function restoreCredit(
  tx: Transaction,
  accountId: string,
  invoiceId: string,
  { creditId, amountRemaining }: Restoration,
  at: Instant,
): Promise<void> {
  await tx.query(
    `UPDATE credit_applications SET reversed_at = $4 WHERE account_id = $1 AND credit_id = $2 AND invoice_id = $3`,
    [accountId, creditId, invoiceId, isoFromInstant(at)],
  );
  await tx.query('UPDATE credits SET amount_remaining = $3 WHERE account_id = $1 AND credit_id = $2', [
    accountId,
    creditId,
    amountRemaining.toFixed(),
  ]);
}
