import type { LedgerAccount, LedgerPosting, LedgerTransaction } from '../../../billing/ledger/ledger.ts';
import type { Decimal } from '../../../core/decimal.ts';
import { newId } from '../../../core/ids.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { findPage, type PageOf, type PageWindow } from '../page-window.ts';
import type { Transaction } from '../postgres.ts';

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
 * Postgres itself refuses entries that do not sum to zero when the transaction commits (spec/credits#ledger).
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

/** Entries come as JSON, whose numbers are exact. */
type LedgerTransactionRow = {
  ledger_transaction_id: string;
  kind: LedgerTransaction['kind'];
  at: Instant;
  invoice_id: string | null;
  credit_id: string | null;
  refund_id: string | null;
  entries: { ledger_account: LedgerAccount; amount: Decimal }[];
};

const COLUMNS = `t.ledger_transaction_id, t.kind, t.at, t.invoice_id, t.credit_id, t.refund_id,
  (SELECT jsonb_agg(to_jsonb(e) ORDER BY e.ordinal) FROM ledger_entries e
   WHERE e.account_id = t.account_id AND e.ledger_transaction_id = t.ledger_transaction_id) AS entries`;

/** One page of a customer's ledger, newest first. */
export function listLedgerTransactions(
  tx: Transaction,
  accountId: string,
  customerId: string,
  window: PageWindow,
): Promise<PageOf<LedgerTransaction>> {
  const equals = { account_id: accountId, customer_id: customerId };
  return findPage(
    tx,
    { select: COLUMNS, table: ['ledger_transactions', 't'], equals },
    window,
    ledgerTransactionFromRow,
  );
}

function ledgerTransactionFromRow(row: LedgerTransactionRow): LedgerTransaction {
  return {
    ledgerTransactionId: row.ledger_transaction_id,
    kind: row.kind,
    at: row.at,
    invoiceId: row.invoice_id,
    creditId: row.credit_id,
    refundId: row.refund_id,
    entries: row.entries.map(({ ledger_account: ledgerAccount, amount }) => ({ ledgerAccount, amount })),
  };
}
