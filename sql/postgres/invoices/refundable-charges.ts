import type { CollectedFee } from '../../../billing/credits/charged-fee.ts';
import type { InvoiceAtHand } from '../../../billing/credits/proration-credits.ts';
import { leftToCredit } from '../../../billing/credits/refunds.ts';
import type { Period } from '../../../billing/periods/periods.ts';
import { currencyOf } from '../../../core/currencies.ts';
import { type Decimal, decimal, ZERO } from '../../../core/decimal.ts';
import { isoFromInstant } from '../../../core/instants.ts';
import { listCreditedBack } from '../credits/given-as-credit.ts';
import { listRefundsOfInvoices } from '../credits/refunds.ts';
import { PAYERS_OF_CUSTOMER } from '../customers/billed-to.ts';
import { listInvoicesInFlight } from '../payments/payment-attempts.ts';
import type { Transaction } from '../postgres.ts';
import { findInvoices, lockInvoices } from './invoices.ts';

/** A period that was paid ahead, and the subscriptions that have had it, one after another. */
export type PaidPeriodOf = { holders: readonly string[]; period: Pick<Period, 'startsAt' | 'endsAt'> };

/** What a row says of an invoice `i` that has charged something, besides the amount of that; it charges what one section of it gives back of another less. */
export const OF_CHARGED = `i.invoice_id, i.customer_id AS payer_id, i.status, i.currency, i.tax_rate, i.amount_in_refunds AS refunded,
  CASE WHEN i.status = 'uncollectible' THEN i.amount_due ELSE 0 END AS unpaid,
  (SELECT coalesce(sum(c.amount), 0) FROM invoice_lines c WHERE c.account_id = i.account_id
    AND c.invoice_id = i.invoice_id AND c.type <> 'credit' AND (c.amount > 0 OR c.type IN ('true_up', 'discount') OR c.given_back_of = c.invoice_id)) AS charges`;

/** What lines `l` have charged together, less what discounts took of them. */
export const CHARGED_AMOUNT = 'sum(l.amount - l.discount_amount) AS amount, sum(l.discount_amount) AS discount';

export type ChargedRow = {
  invoice_id: string;
  payer_id: string;
  status: string;
  currency: string;
  tax_rate: string;
  amount: string;
  discount: string;
  unpaid: string;
  refunded: string;
  charges: string;
};

/**
 * Lines that have charged the fees of periods, `held.n` the period's place: its fee, and what switches within it have added.
 * `$3` to `$6`: places, holders, starts and ends, one for each holder of each period.
 */
const CHARGED_FEES = `unnest($3::integer[], $4::text[], $5::timestamptz[], $6::timestamptz[])
    AS held (n, subscription_id, starts_at, ends_at)
  JOIN invoice_lines l ON l.account_id = $1 AND l.subscription_id = held.subscription_id
    AND (l.type = 'recurring_fee' AND l.period_start = held.starts_at
      OR l.type = 'proration' AND l.metric_id IS NULL AND l.period_end = held.ends_at)
  JOIN invoices i ON i.account_id = l.account_id AND i.invoice_id = l.invoice_id
    AND i.customer_id = ANY (${PAYERS_OF_CUSTOMER}) AND i.status <> 'void'`;

function valuesOf(accountId: string, customerId: string, paid: readonly PaidPeriodOf[]): unknown[] {
  const held = paid.flatMap(({ holders, period }, n) => holders.map((id) => ({ n, id, ...period })));
  return [
    accountId,
    customerId,
    held.map(({ n }) => n),
    held.map(({ id }) => id),
    held.map(({ startsAt }) => isoFromInstant(startsAt)),
    held.map(({ endsAt }) => isoFromInstant(endsAt)),
  ];
}

/** The invoices that {@link listChargedFees} names. */
export async function findInvoicesOfFees(
  tx: Transaction,
  accountId: string,
  customerId: string,
  paid: readonly PaidPeriodOf[],
): Promise<string[]> {
  if (paid.length === 0) return [];
  const answer = await tx.query<{ invoice_id: string }>(
    `SELECT DISTINCT i.invoice_id FROM ${CHARGED_FEES}`,
    valuesOf(accountId, customerId, paid),
  );
  return answer.rows.map((row) => row.invoice_id);
}

/** {@link listChargedFees} of one period, for what gives back of it: the invoices are locked, so that none of them is paid or voided meanwhile. */
export async function lockChargedFees(
  tx: Transaction,
  accountId: string,
  customerId: string,
  paid: PaidPeriodOf,
): Promise<CollectedFee[]> {
  await lockInvoices(tx, accountId, await findInvoicesOfFees(tx, accountId, customerId, [paid]));
  const [charged = []] = await listChargedFees(tx, accountId, customerId, [paid]);
  return charged;
}

/** What invoices that are not void, a customer's own or its payer's, have charged as the fee of each of these periods, oldest first. */
export async function listChargedFees(
  tx: Transaction,
  accountId: string,
  customerId: string,
  paid: readonly PaidPeriodOf[],
): Promise<CollectedFee[][]> {
  if (paid.length === 0) return [];
  const { rows } = await tx.query<ChargedRow & { n: string }>(
    `SELECT held.n, ${CHARGED_AMOUNT}, ${OF_CHARGED}
     FROM ${CHARGED_FEES}
     GROUP BY held.n, i.account_id, i.invoice_id ORDER BY i.seq`,
    valuesOf(accountId, customerId, paid),
  );
  const charged = await chargedFromRows(tx, accountId, rows);
  const percents = await listFeePercents(tx, accountId, rows);
  return paid.map(({ holders }, n) =>
    charged
      .filter((_one, i) => Number(rows[i]?.n) === n)
      .map((one) => ({ ...one, feeShare: feeShareOn(one.invoiceId, holders, percents) })),
  );
}

type FeePercent = { invoice_id: string; percent_off: string; holders: string[] };

/** The percentages that were off fees on these invoices, and whose; none is asked for where nothing was off. */
async function listFeePercents(tx: Transaction, accountId: string, rows: readonly ChargedRow[]): Promise<FeePercent[]> {
  const discounted = rows.filter(({ discount }) => !decimal(discount).isZero());
  if (discounted.length === 0) return [];
  const { rows: found } = await tx.query<FeePercent>(
    `SELECT l.invoice_id, c.percent_off, d.holders
     FROM invoice_lines l
       JOIN discounts d ON d.account_id = l.account_id AND d.discount_id = l.basis ->> 'discountId'
       JOIN coupons c ON c.account_id = d.account_id AND c.coupon_id = d.coupon_id
     WHERE l.account_id = $1 AND l.invoice_id = ANY($2) AND l.type = 'discount' AND c.percent_off IS NOT NULL
       AND c.metric_ids IS NULL AND (c.line_types IS NULL OR 'recurring_fee' = ANY(c.line_types))`,
    [accountId, discounted.map(({ invoice_id }) => invoice_id)],
  );
  return found;
}

function feeShareOn(invoiceId: string, held: readonly string[], percents: readonly FeePercent[]): Decimal {
  const ours = percents.filter(
    ({ invoice_id, holders }) => invoice_id === invoiceId && holders.some((id) => held.includes(id)),
  );
  return ours.reduce(
    (share, { percent_off }) => share.times(decimal(100).minus(percent_off)).shiftedBy(-2),
    decimal(1),
  );
}

/** Charges of invoices, each with what is left of its whole invoice to give back: nothing of one that is void. */
export async function chargedFromRows(
  tx: Transaction,
  accountId: string,
  rows: readonly ChargedRow[],
): Promise<(CollectedFee & { charges: Decimal })[]> {
  const ids = [...new Set(rows.map((row) => row.invoice_id))];
  const creditedBack = await listCreditedBack(tx, accountId, ids);
  return rows.map((row) => {
    const [taxRate, charges] = [decimal(row.tax_rate), decimal(row.charges)];
    const credited = creditedBack.get(row.invoice_id)?.given ?? ZERO;
    const goneBack = { charges, taxRate, refunded: decimal(row.refunded), credited };
    const left = row.status === 'void' ? ZERO : leftToCredit(goneBack, currencyOf(row.currency).exponent);
    const [amount, unpaid, discount] = [decimal(row.amount), decimal(row.unpaid), decimal(row.discount)];
    return {
      invoiceId: row.invoice_id,
      payerId: row.payer_id,
      taxRate,
      amount,
      discount,
      unpaid,
      charges,
      credited,
      left,
    };
  });
}

/** These invoices, each with what has gone back of it, and whether a payment of it is in flight. */
export async function listInvoicesAtHand(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<InvoiceAtHand[]> {
  const ids = [...new Set(invoiceIds)];
  const [invoices, refunds, creditedBack, inFlight] = await Promise.all([
    findInvoices(tx, accountId, ids),
    listRefundsOfInvoices(tx, accountId, ids),
    listCreditedBack(tx, accountId, ids),
    listInvoicesInFlight(tx, accountId, ids),
  ]);
  return invoices.map((invoice) => ({
    invoice,
    refunds: refunds.filter(({ invoiceId }) => invoiceId === invoice.invoiceId),
    creditedBack: creditedBack.get(invoice.invoiceId) ?? { given: ZERO, applied: ZERO },
    isInFlight: inFlight.has(invoice.invoiceId ?? ''),
  }));
}
