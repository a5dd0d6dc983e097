import type { NewCreditApplication } from '../../../billing/change-set.ts';
import type { Credit, CreditStatus } from '../../../billing/credits/credits.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant, type LocalDate, localDateAt } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import { noteNumbersSaid } from '../invoices/invoice-numbers.ts';
import { type Condition, findPage, type ListSort, type PageOf, type PageWindow, sortedBy } from '../page-window.ts';
import { firstRow, instantOfJson, type Transaction } from '../postgres.ts';

/** A credit with its customer's local date of now, on which its expiry is judged. */
export type DatedCredit = Credit & { customerToday: LocalDate };

/** Applications come as JSON, whose numbers are exact and whose instants are text. */
type CreditRow = {
  credit_id: string;
  customer_id: string;
  amount: string;
  amount_remaining: string;
  currency: string;
  reason: Credit['reason'];
  description: string | null;
  expires_at: LocalDate | null;
  voided_at: Instant | null;
  created_at: Instant;
  timezone: string;
  customer_time: Instant;
  applications: { invoice_id: string; amount: Decimal; applied_at: string }[];
};

const COLUMNS = `k.credit_id, k.customer_id, k.amount, k.amount_remaining, k.currency, k.reason, k.description, k.expires_at,
  k.voided_at, k.created_at,
  c.timezone, coalesce(t.frozen_time, now()) AS customer_time,
  (SELECT coalesce(jsonb_agg(to_jsonb(a) ORDER BY a.applied_at, a.invoice_id), '[]') FROM credit_applications a
   WHERE a.account_id = k.account_id AND a.credit_id = k.credit_id AND a.reversed_at IS NULL) AS applications`;

const OF_CUSTOMER = `JOIN customers c ON c.account_id = k.account_id AND c.customer_id = k.customer_id
  LEFT JOIN test_clocks t ON t.account_id = c.account_id AND t.test_clock_id = c.test_clock_id`;
const CREDITS = `credits k ${OF_CUSTOMER}`;

/** What is left of it can still be used, or could have been: an index has just these (credits_with_rest). */
const HAS_REST: Condition = ['k.voided_at IS NULL AND k.amount_remaining > 0'];

/**
 * Whether a credit has expired by its customer's calendar. The customer is looked up only where that decides: on a test clock, or
 * while the day is not the same in all time zones.
 */
const IS_EXPIRED = `CASE
  WHEN k.expires_at BETWEEN current_date - 1 AND current_date + 1
    OR k.customer_id IN (SELECT o.customer_id FROM customers o WHERE o.account_id = $1 AND o.test_clock_id IS NOT NULL)
  THEN (SELECT k.expires_at < (coalesce(t.frozen_time, now()) AT TIME ZONE c.timezone)::date FROM customers c
    LEFT JOIN test_clocks t ON t.account_id = c.account_id AND t.test_clock_id = c.test_clock_id
    WHERE c.account_id = k.account_id AND c.customer_id = k.customer_id)
  ELSE k.expires_at < current_date END`;

/** `creditStatus` of billing/credits/credits.ts as SQL, for the list's filter; each begins with what an index has (credits_voided, ...). */
const WHERE_STATUS: Record<CreditStatus, readonly Condition[]> = {
  voided: [['k.voided_at IS NOT NULL']],
  consumed: [['k.voided_at IS NULL AND k.amount_remaining = 0']],
  expired: [HAS_REST, ['k.expires_at IS NOT NULL'], [IS_EXPIRED]],
  active: [HAS_REST, [`(${IS_EXPIRED}) IS NOT TRUE`]],
};

/** The credit, or undefined where this account has none of that id. */
export async function findCredit(
  tx: Transaction,
  accountId: string,
  creditId: string,
): Promise<DatedCredit | undefined> {
  const answer = await tx.query<CreditRow>(
    `SELECT ${COLUMNS} FROM ${CREDITS} WHERE k.account_id = $1 AND k.credit_id = $2`,
    [accountId, creditId],
  );
  const row = firstRow(answer);
  return row && creditFromRow(row);
}

/** What credits are sorted by; what never expires comes after all that does. */
export const CREDIT_SORTS = {
  created_at: 'k.created_at',
  expires_at: "coalesce(k.expires_at, 'infinity'::date)",
} as const;

export type CreditFilter = {
  customerId?: string | undefined;
  status?: CreditStatus | undefined;
  sort?: ListSort<keyof typeof CREDIT_SORTS> | undefined;
};

/** One page of an account's credits, newest first unless sorted. */
export function listCredits(
  tx: Transaction,
  accountId: string,
  filter: CreditFilter,
  window: PageWindow,
): Promise<PageOf<DatedCredit>> {
  const { customerId, status, sort } = filter;
  const equals = { account_id: accountId, customer_id: customerId };
  const where = status && WHERE_STATUS[status];
  const sortBy = sortedBy(CREDIT_SORTS, sort);
  const list = {
    select: COLUMNS,
    table: ['credits', 'k'],
    sortedFrom: 'credits_in_order',
    joins: OF_CUSTOMER,
    equals,
    where,
    sortBy,
  } as const;
  return findPage(tx, list, window, creditFromRow);
}

/** Credits of these customers that have something left and are not voided, oldest first. */
export async function listCreditsWithRemainder(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
): Promise<DatedCredit[]> {
  const answer = await tx.query<CreditRow>(
    `SELECT ${COLUMNS} FROM ${CREDITS}
     WHERE k.account_id = $1 AND k.customer_id = ANY($2) AND k.amount_remaining > 0 AND k.voided_at IS NULL ORDER BY k.seq`,
    [accountId, customerIds],
  );
  return answer.rows.map(creditFromRow);
}

/** What is left of a customer's active credits, by currency in order of its code; currencies of which nothing is left are not in it. */
export async function sumCreditsLeft(
  tx: Transaction,
  accountId: string,
  customerId: string,
): Promise<{ currency: string; amountRemaining: Decimal; credits: number }[]> {
  const answer = await tx.query<{ currency: string; amount_remaining: string; credits: number }>(
    `SELECT k.currency, sum(k.amount_remaining) AS amount_remaining, count(*)::integer AS credits FROM credits k
     WHERE k.account_id = $1 AND k.customer_id = $2 AND ${WHERE_STATUS.active.map((condition) => condition[0]).join(' AND ')}
     GROUP BY k.currency ORDER BY k.currency`,
    [accountId, customerId],
  );
  return answer.rows.map(({ currency, amount_remaining, credits }) => ({
    currency,
    amountRemaining: decimal(amount_remaining),
    credits,
  }));
}

/**
 * Locks the credits of customers, and of those whom invoices are billed to, until the transaction ends: what is left of them is given to one
 * invoice at a time. A transaction that needs the credits of several customers locks them in one call, which takes them in one order.
 */
export async function lockCredits(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
  invoiceIds: readonly string[] = [],
): Promise<void> {
  await tx.query(
    `SELECT 1 FROM credits WHERE account_id = $1 AND (customer_id = ANY($2) OR customer_id IN (
       SELECT i.customer_id FROM invoices i WHERE i.account_id = $1 AND i.invoice_id = ANY($3)))
     ORDER BY customer_id COLLATE "C", seq FOR UPDATE OF credits`,
    [accountId, customerIds, invoiceIds],
  );
}

/** Stores new credits, all of them left, in their order. */
export async function insertCredits(tx: Transaction, accountId: string, credits: readonly Credit[]): Promise<void> {
  if (credits.length === 0) return;
  const said = credits.map(({ creditId, description }) => ({ id: creditId, text: description }));
  noteNumbersSaid(tx, 'credits', said);
  await tx.query(
    `INSERT INTO credits (account_id, credit_id, customer_id, amount, amount_remaining, currency, reason, description,
       expires_at, created_at)
     SELECT $1, k.credit_id, k.customer_id, k.amount, k.amount_remaining, k.currency, k.reason, k.description, k.expires_at,
       k.created_at
     FROM jsonb_to_recordset($2) AS k (n integer, credit_id text, customer_id text, amount numeric, amount_remaining numeric,
       currency text, reason text, description text, expires_at date, created_at timestamptz)
     ORDER BY k.n`,
    [accountId, stringifyExactJson(credits.map(creditToRow))],
  );
}

function creditToRow(credit: Credit, n: number) {
  return {
    n,
    credit_id: credit.creditId,
    customer_id: credit.customerId,
    amount: credit.amount,
    amount_remaining: credit.amountRemaining,
    currency: credit.currency,
    reason: credit.reason,
    description: credit.description,
    expires_at: credit.expiresAt,
    created_at: isoFromInstant(credit.createdAt),
  };
}

/** Takes from credits what they give to invoices, and records that. */
export async function insertCreditApplications(
  tx: Transaction,
  accountId: string,
  applications: readonly NewCreditApplication[],
): Promise<void> {
  if (applications.length === 0) return;
  await tx.query(
    `WITH made AS (
       INSERT INTO credit_applications (account_id, credit_id, invoice_id, amount, applied_at)
       SELECT $1, u.* FROM unnest($2::text[], $3::text[], $4::numeric[], $5::timestamptz[]) AS u (credit_id, invoice_id, amount, at)
       RETURNING credit_id, amount
     )
     UPDATE credits k SET amount_remaining = k.amount_remaining - m.amount
     FROM (SELECT credit_id, sum(amount) AS amount FROM made GROUP BY credit_id) m
     WHERE k.account_id = $1 AND k.credit_id = m.credit_id`,
    [
      accountId,
      applications.map(({ creditId }) => creditId),
      applications.map(({ invoiceId }) => invoiceId),
      applications.map(({ amount }) => amount.toFixed()),
      applications.map(({ at }) => isoFromInstant(at)),
    ],
  );
}

function creditFromRow(row: CreditRow): DatedCredit {
  return {
    creditId: row.credit_id,
    customerId: row.customer_id,
    amount: decimal(row.amount),
    amountRemaining: decimal(row.amount_remaining),
    currency: row.currency,
    reason: row.reason,
    description: row.description,
    expiresAt: row.expires_at,
    voidedAt: row.voided_at,
    createdAt: row.created_at,
    applications: row.applications.map((one) => ({
      invoiceId: one.invoice_id,
      amount: one.amount,
      appliedAt: instantOfJson(one.applied_at),
    })),
    customerToday: localDateAt(row.customer_time, row.timezone),
  };
}
