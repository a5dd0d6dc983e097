import type { Decimal } from '../../../core/decimal.ts';
import type { LocalDate } from '../../../core/instants.ts';
import { findCustomerIds, whereWords } from '../customers/customer-words.ts';
import { askPlanned, COUNT_CAP, type Condition } from '../page-window.ts';
import { firstRow, type Transaction } from '../postgres.ts';

/** What holds of invoices `i` for a filter that no equality says, each in a way that few rows are read where few are found. */

/**
 * That at least `minDue` is due. Under row-level security no index may compare numbers, but one may be read in their order: the
 * highest amounts are looked at, unless more invoices than are counted have as much.
 */
export async function whereDue(tx: Transaction, accountId: string, minDue: Decimal): Promise<Condition> {
  const highest = `(SELECT o.seq, o.amount_due FROM invoices o WHERE o.account_id = $1
    ORDER BY o.amount_due DESC, o.seq DESC LIMIT ${COUNT_CAP + 1}) highest`;
  const least = minDue.toFixed();
  const sql = `SELECT count(*) AS count FROM ${highest} WHERE amount_due >= $2`;
  const { rows } = await askPlanned<{ count: string }>(tx, sql, [accountId, least]);
  const isFew = Number(rows[0]?.count) <= COUNT_CAP;
  return [isFew ? `i.seq = ANY (ARRAY(SELECT seq FROM ${highest} WHERE amount_due >= ?))` : 'i.amount_due >= ?', least];
}

/** The date that an invoice's customer has: by its test clock, in its zone. */
const TODAY_OF_CUSTOMER = `(SELECT (coalesce(t.frozen_time, now()) AT TIME ZONE c.timezone)::date
  FROM customers c LEFT JOIN test_clocks t ON t.account_id = c.account_id AND t.test_clock_id = c.test_clock_id
  WHERE c.account_id = i.account_id AND c.customer_id = i.customer_id)`;

/**
 * That an invoice is past due, or that it is not (spec/invoices#record). What is due later than any customer's today may be is
 * passed over by the index.
 */
export async function wherePastDue(tx: Transaction, accountId: string, isPastDue: boolean): Promise<Condition[]> {
  const hasPassed = `i.due_date < ${TODAY_OF_CUSTOMER}`;
  if (!isPastDue) return [[`(i.status <> 'open' OR NOT ${hasPassed})`]];
  return [["i.status = 'open'"], ['i.due_date < ?', await latestToday(tx, accountId)], [hasPassed]];
}

/** No customer of the account has a later date today: none is further ahead of UTC than 14 hours. */
async function latestToday(tx: Transaction, accountId: string): Promise<LocalDate> {
  const answer = await tx.query<{ latest: LocalDate }>(
    `SELECT (greatest(now(), (SELECT frozen_time FROM test_clocks WHERE account_id = $1 ORDER BY frozen_time DESC LIMIT 1))
       + interval '14 hours')::date AS latest`,
    [accountId],
  );
  const row = firstRow(answer);
  if (!row) throw new Error('a row without a table is missing');
  return row.latest;
}

/** That an invoice's number begins as `search` does, or that its customer is found by it (spec/api#lists). */
export async function whereFound(tx: Transaction, accountId: string, search: string): Promise<Condition> {
  const customerIds = await findCustomerIds(tx, accountId, search, COUNT_CAP + 1);
  // Of more customers than can be counted the invoices are not collected: the account's are walked through.
  const [ofCustomers, ...values]: Condition =
    customerIds.length <= COUNT_CAP
      ? ['i.customer_id = ANY (?)', customerIds]
      : ofFoundCustomer(await whereWords(tx, accountId, search));
  const number = beginningOfNumber(search);
  if (number === null) return [ofCustomers, ...values];
  const ofNumber = `i.invoice_number COLLATE "C" >= ? AND i.invoice_number COLLATE "C" <= ?`;
  return [`(${ofCustomers} OR ${ofNumber})`, ...values, number, `${number}9999999999`];
}

function ofFoundCustomer(isFound: readonly Condition[]): Condition {
  const words = isFound.map(([sql]) => sql).join(' AND ');
  const sql = `(SELECT true FROM customers c WHERE c.account_id = i.account_id AND c.customer_id = i.customer_id AND ${words})`;
  return [sql, ...isFound.flatMap(([, ...values]) => values)];
}

/** `inv-0004` as numbers begin; null for what no number begins with. */
function beginningOfNumber(search: string): string | null {
  const text = wholeNumber(search.trim());
  return /^INV-?\d*$/.test(text) ? text : null;
}

/** The invoice number that `text` means, in any case, by its digits alone: `42` is INV-000042. */
export function wholeNumber(text: string): string {
  return /^\d{1,18}$/.test(text) ? `INV-${text.padStart(6, '0')}` : text.toUpperCase();
}
