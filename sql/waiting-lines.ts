import type { Decimal } from '../billing/decimal.ts';
import type { NewInvoiceLine } from '../billing/invoice.ts';
import { stringifyExactJson } from '../runtime/exact-json.ts';
import type { Transaction } from './postgres.ts';

/** Numbers in stored JSON come back as decimals, also those that are none in a line. */
type StoredLine = Omit<NewInvoiceLine, 'version' | 'periodStart' | 'periodEnd'> &
  Record<'version' | 'periodStart' | 'periodEnd', Decimal | null>;

/** Lines that wait for an invoice, and the rows they are. */
export type WaitingLines = { seqs: string[]; lines: NewInvoiceLine[] };

/** Keeps what a cancel bills for the customer's next invoice; amounts are rounded to the currency already. */
export async function insertWaitingLines(
  tx: Transaction,
  accountId: string,
  owner: { customerId: string; subscriptionId: string },
  lines: readonly NewInvoiceLine[],
): Promise<void> {
  for (const line of lines) {
    await tx.query(
      'INSERT INTO waiting_lines (account_id, customer_id, subscription_id, line) VALUES ($1, $2, $3, $4)',
      [accountId, owner.customerId, owner.subscriptionId, stringifyExactJson(line)],
    );
  }
}

/** What waits for the customer's next invoice, oldest first, locked until the transaction ends where it takes them. */
export async function listWaitingLines(
  tx: Transaction,
  accountId: string,
  customerId: string,
  { lock }: { lock: boolean },
): Promise<WaitingLines> {
  const answer = await tx.query<{ seq: string; line: StoredLine }>(
    `SELECT seq, line FROM waiting_lines WHERE account_id = $1 AND customer_id = $2 AND invoice_id IS NULL
     ORDER BY seq ${lock ? 'FOR UPDATE' : ''}`,
    [accountId, customerId],
  );
  return { seqs: answer.rows.map(({ seq }) => seq), lines: answer.rows.map(({ line }) => lineFromStored(line)) };
}

/** An invoice has taken the lines. */
export async function updateWaitingLinesTaken(
  tx: Transaction,
  accountId: string,
  { seqs }: WaitingLines,
  invoiceId: string,
): Promise<void> {
  if (seqs.length === 0) return;
  await tx.query('UPDATE waiting_lines SET invoice_id = $3 WHERE account_id = $1 AND seq = ANY($2)', [
    accountId,
    seqs,
    invoiceId,
  ]);
}

function lineFromStored(stored: StoredLine): NewInvoiceLine {
  const { version, periodStart, periodEnd } = stored;
  return {
    ...stored,
    version: version?.toNumber() ?? null,
    periodStart: periodStart?.toNumber() ?? null,
    periodEnd: periodEnd?.toNumber() ?? null,
  };
}
