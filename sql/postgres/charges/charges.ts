import type { NewCharges, NewReversal, NewTerms, ReversalsOf } from '../../../billing/charge-records.ts';
import type { PlacedCharge } from '../../../billing/settle/record-issued.ts';
import { decimal } from '../../../core/decimal.ts';
import type { Transaction } from '../postgres.ts';

/** Stores what invoices charge. One that has been recorded meanwhile stays as it is. */
export async function insertCharges(
  tx: Transaction,
  accountId: string,
  { terms, charges, reversals }: NewCharges,
): Promise<void> {
  await insertTerms(tx, accountId, terms);
  if (charges.length > 0) {
    await tx.query(
      `INSERT INTO charges (account_id, invoice_id, ordinal, line_id, period_id, item, terms_of, terms_section, net, back, tax_back)
       SELECT $1, c.* FROM unnest($2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::numeric[],
         $10::numeric[], $11::numeric[]) AS c ON CONFLICT DO NOTHING`,
      [
        accountId,
        charges.map(({ invoiceId }) => invoiceId),
        charges.map(({ ordinal }) => ordinal),
        charges.map(({ lineId }) => lineId),
        charges.map(({ periodId }) => periodId),
        charges.map(({ periodId, key }) => key.slice(periodId.length + 1)),
        charges.map(({ termsOf }) => termsOf),
        charges.map(({ termsSection }) => termsSection),
        charges.map(({ net }) => net.toFixed()),
        charges.map(({ back }) => back.toFixed()),
        charges.map(({ taxBack }) => taxBack.toFixed()),
      ],
    );
  }
  await insertReversals(tx, accountId, reversals);
}

async function insertTerms(tx: Transaction, accountId: string, terms: readonly NewTerms[]): Promise<void> {
  if (terms.length === 0) return;
  await tx.query(
    `INSERT INTO invoice_terms (account_id, invoice_id, section, kind, period_id, voided_before)
     SELECT $1, t.* FROM unnest($2::text[], $3::int[], $4::text[], $5::text[], $6::bigint[]) AS t ON CONFLICT DO NOTHING`,
    [
      accountId,
      terms.map(({ invoiceId }) => invoiceId),
      terms.map(({ section }) => section),
      terms.map(({ kind }) => kind),
      terms.map(({ periodId }) => periodId),
      terms.map(({ voidedBefore }) => voidedBefore),
    ],
  );
  const discounts = terms.flatMap(({ invoiceId, section, discountIds, discountsUsed }) =>
    discountIds.map((id) => ({ invoiceId, section, id, hasLowered: discountsUsed.includes(id) })),
  );
  if (discounts.length === 0) return;
  await tx.query(
    `INSERT INTO invoice_discounts (account_id, invoice_id, section, discount_id, has_lowered)
     SELECT $1, d.* FROM unnest($2::text[], $3::int[], $4::text[], $5::boolean[]) AS d ON CONFLICT DO NOTHING`,
    [
      accountId,
      discounts.map(({ invoiceId }) => invoiceId),
      discounts.map(({ section }) => section),
      discounts.map(({ id }) => id),
      discounts.map(({ hasLowered }) => hasLowered),
    ],
  );
}

/** What reversals, as one row for each charge, add to charges. */
const SUMMED = `summed AS (
    SELECT invoice_id, ordinal, coalesce(sum(amount) FILTER (WHERE NOT by_hand), 0) AS back,
      coalesce(sum(amount) FILTER (WHERE by_hand), 0) AS by_hand, sum(tax_amount) AS tax_back
    FROM changed GROUP BY invoice_id, ordinal)`;
const OF_CHANGED = 'c.account_id = $1 AND c.invoice_id = s.invoice_id AND c.ordinal = s.ordinal';

/** Stores what takes back of charges, and counts it there. What is stored already is not counted again. */
export async function insertReversals(
  tx: Transaction,
  accountId: string,
  reversals: readonly NewReversal[],
): Promise<void> {
  const rows = reversals.flatMap(({ parts, ...source }) => parts.map((part) => ({ ...source, ...part })));
  if (rows.length === 0) return;
  await tx.query(
    `WITH changed AS (
       INSERT INTO charge_reversals (account_id, source_id, kind, by_hand, invoice_id, ordinal, amount, tax_amount)
       SELECT $1, r.* FROM unnest($2::text[], $3::text[], $4::boolean[], $5::text[], $6::int[], $7::numeric[], $8::numeric[]) AS r
       ON CONFLICT DO NOTHING RETURNING invoice_id, ordinal, by_hand, amount, tax_amount
     ), ${SUMMED}
     UPDATE charges c SET back = c.back + s.back, by_hand = c.by_hand + s.by_hand, tax_back = c.tax_back + s.tax_back
     FROM summed s WHERE ${OF_CHANGED}`,
    [
      accountId,
      rows.map(({ sourceId }) => sourceId),
      rows.map(({ kind }) => kind),
      rows.map(({ isByHand }) => isByHand),
      rows.map(({ invoiceId }) => invoiceId),
      rows.map(({ ordinal }) => ordinal),
      rows.map(({ amount }) => amount.toFixed()),
      rows.map(({ taxAmount }) => taxAmount.toFixed()),
    ],
  );
}

/** Takes what these refunds, or the lines of a voided invoice, have taken back off the charges again. */
export async function deleteReversals(tx: Transaction, accountId: string, of: ReversalsOf): Promise<void> {
  const [sources, id] =
    'refundId' in of
      ? ['SELECT $2', of.refundId]
      : ['SELECT line_id FROM invoice_lines WHERE account_id = $1 AND invoice_id = $2', of.voidedInvoiceId];
  await tx.query(
    `WITH changed AS (
       DELETE FROM charge_reversals WHERE account_id = $1 AND source_id IN (${sources})
       RETURNING invoice_id, ordinal, by_hand, amount, tax_amount
     ), ${SUMMED}
     UPDATE charges c SET back = greatest(0, least(c.net - c.by_hand, c.back - s.back)), by_hand = greatest(0, c.by_hand - s.by_hand),
       tax_back = c.tax_back - s.tax_back
     FROM summed s WHERE ${OF_CHANGED}`,
    [accountId, id],
  );
}

/** What one source has taken back counts as taken back by another one. */
export async function updateReversalSource(
  tx: Transaction,
  accountId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx.query('UPDATE charge_reversals SET source_id = $3 WHERE account_id = $1 AND source_id = $2', [
    accountId,
    from,
    to,
  ]);
}

/** Keeps that an invoice was voided before all that the account issues from now on. */
export async function updateTermsVoided(tx: Transaction, accountId: string, invoiceId: string): Promise<void> {
  await tx.query(
    `UPDATE invoice_terms SET voided_before = 1 + (SELECT max(seq) FROM invoices WHERE account_id = $1)
     WHERE account_id = $1 AND invoice_id = $2`,
    [accountId, invoiceId],
  );
}

/** A discount, and the subscriptions that have had it one after another. */
export type DiscountAtIssue = { discountId: string; holders: readonly string[] };

/** The discounts of these subscriptions that are active, and those of `used` that have just been used up, in order of redemption. */
export async function listDiscountsAtIssue(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
  used: readonly string[],
): Promise<DiscountAtIssue[]> {
  const { rows } = await tx.query<{ discount_id: string; holders: string[] }>(
    `SELECT discount_id, holders FROM discounts WHERE account_id = $1 AND (status = 'active' OR discount_id = ANY($3))
       AND holders && $2 AND customer_id = ANY (ARRAY(
         SELECT customer_id FROM subscriptions WHERE account_id = $1 AND subscription_id = ANY($2)))
     ORDER BY seq`,
    [accountId, subscriptionIds, used],
  );
  return rows.map((row) => ({ discountId: row.discount_id, holders: row.holders }));
}

export type ChargeRow = {
  invoice_id: string;
  ordinal: number;
  line_id: string | null;
  period_id: string;
  item: string;
  terms_of: string;
  terms_section: number;
  net: string;
  back: string;
  by_hand: string;
  tax_back: string;
  seq: string;
  status: string;
  tax_rate: string;
};

/** What charges `c` and their invoices `i` say of charges. */
export const CHARGE_COLUMNS = `c.invoice_id, c.ordinal, c.line_id, c.period_id, c.item, c.terms_of, c.terms_section, c.net, c.back,
    c.by_hand, c.tax_back, i.seq, i.status, i.tax_rate`;
const CHARGES = `SELECT ${CHARGE_COLUMNS}
  FROM charges c JOIN invoices i ON i.account_id = c.account_id AND i.invoice_id = c.invoice_id`;

/**
 * The charges of these invoices and billing periods in order of issue, locked until the transaction ends: what takes back of them does so one
 * after another.
 */
export async function lockCharges(
  tx: Transaction,
  accountId: string,
  { invoiceIds, periodIds }: { invoiceIds: readonly string[]; periodIds: readonly string[] },
): Promise<PlacedCharge[]> {
  if (invoiceIds.length === 0 && periodIds.length === 0) return [];
  const { rows } = await tx.query<ChargeRow>(
    `${CHARGES} WHERE c.account_id = $1 AND (c.invoice_id = ANY($2) OR c.period_id = ANY($3))
     ORDER BY i.seq, c.ordinal FOR UPDATE OF c`,
    [accountId, invoiceIds, periodIds],
  );
  return rows.map(chargeFromRow);
}

export function chargeFromRow(row: ChargeRow): PlacedCharge {
  return {
    invoiceId: row.invoice_id,
    ordinal: row.ordinal,
    lineId: row.line_id,
    order: Number(row.seq),
    periodId: row.period_id,
    key: `${row.period_id}/${row.item}`,
    termsOf: row.terms_of,
    termsSection: row.terms_section,
    net: decimal(row.net),
    back: decimal(row.back),
    byHand: decimal(row.by_hand),
    isVoid: row.status === 'void',
    taxRate: decimal(row.tax_rate),
    taxBack: decimal(row.tax_back),
  };
}
