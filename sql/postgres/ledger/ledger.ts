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

/** A posting and what it is about. */
export type NewLedgerTransaction = { subject: LedgerSubject; posting: LedgerPosting };

/**
 * Stores ledger transactions of one account with their entries, in order; none of a posting without any (its amounts were all zero).
 * Postgres itself refuses entries that do not sum to zero when the transaction commits (spec/credits#ledger).
 */
export async function insertLedgerTransactions(
  tx: Transaction,
  accountId: string,
  postings: readonly NewLedgerTransaction[],
): Promise<void> {
  const made = postings
    .filter(({ posting }) => posting.entries.length > 0)
    .map((one) => ({ ...one, id: newId('ltx') }));
  if (made.length === 0) return;
  await tx.query(
    `INSERT INTO ledger_transactions (account_id, ledger_transaction_id, customer_id, kind, currency, invoice_id, credit_id,
       refund_id, at)
     SELECT $1, t.id, t.customer_id, t.kind, t.currency, t.invoice_id, t.credit_id, t.refund_id, t.at
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz[])
       WITH ORDINALITY AS t (id, customer_id, kind, currency, invoice_id, credit_id, refund_id, at, n)
     ORDER BY t.n`,
    [
      accountId,
      made.map(({ id }) => id),
      made.map(({ subject }) => subject.customerId),
      made.map(({ posting }) => posting.kind),
      made.map(({ subject }) => subject.currency),
      made.map(({ subject }) => subject.invoiceId ?? null),
      made.map(({ subject }) => subject.creditId ?? null),
      made.map(({ subject }) => subject.refundId ?? null),
      made.map(({ subject }) => isoFromInstant(subject.at)),
    ],
  );
  const entries = made.flatMap(({ id, posting }) =>
    posting.entries.map((entry, ordinal) => ({ id, ordinal, ...entry })),
  );
  await tx.query(
    `INSERT INTO ledger_entries (account_id, ledger_transaction_id, ordinal, ledger_account, amount)
     SELECT $1, * FROM unnest($2::text[], $3::int[], $4::text[], $5::numeric[])`,
    [
      accountId,
      entries.map(({ id }) => id),
      entries.map(({ ordinal }) => ordinal),
      entries.map(({ ledgerAccount }) => ledgerAccount),
      entries.map(({ amount }) => amount.toFixed()),
    ],
  );
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
