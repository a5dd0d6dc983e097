import { type Instant, isoFromInstant } from '../billing/instants.ts';
import type { LedgerPosting } from '../billing/ledger.ts';
import { newId } from '../runtime/ids.ts';
import type { Transaction } from './postgres.ts';

/** What a posting is about, and when it happened in the customer's time. */
export type LedgerSubject = {
  accountId: string;
  customerId: string;
  /** Upper-case ISO 4217 code. */
  currency: string;
  at: Instant;
  invoiceId?: string | null;
  creditId?: string | null;
  refundId?: string | null;
};

/**
 * Stores one ledger transaction with its entries; nothing where the posting has none (its amounts were all zero).
 * Postgres itself refuses entries that do not sum to zero when the transaction commits (contract 9).
 */
export async function insertLedgerTransaction(tx: Transaction, subject: LedgerSubject, posting: LedgerPosting) {
  if (posting.entries.length === 0) return;
  const id = newId('ltx');
  await tx.query(
    `INSERT INTO ledger_transactions (account_id, ledger_transaction_id, customer_id, kind, currency, invoice_id, credit_id,
       refund_id, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      subject.accountId,
      id,
      subject.customerId,
      posting.kind,
      subject.currency,
      subject.invoiceId,
      subject.creditId,
      subject.refundId,
      isoFromInstant(subject.at),
    ],
  );
  for (const [ordinal, { ledgerAccount, amount }] of posting.entries.entries()) {
    await tx.query(
      `INSERT INTO ledger_entries (account_id, ledger_transaction_id, ordinal, ledger_account, amount)
       VALUES ($1, $2, $3, $4, $5)`,
      [subject.accountId, id, ordinal, ledgerAccount, amount.toFixed()],
    );
  }
}
