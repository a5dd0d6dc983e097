import type { SwitchCharge } from '../../../billing/credits/charged-fee.ts';
import { switchChargesOf } from '../../../billing/credits/switch-charges.ts';
import { standInOf } from '../../../billing/invoices/consolidated-invoice.ts';
import { currencyOf } from '../../../core/currencies.ts';
import { decimal, roundHalfAwayFromZero, sum } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { Transaction } from '../postgres.ts';
import { lockInvoices } from './invoices.ts';
import { lineFromStored, type StoredLine } from './pending-items.ts';
import { type ChargedRow, chargedFromRows, OF_CHARGED } from './refundable-charges.ts';

/** A switch within a period: the subscription that it began, and when. */
type SwitchRef = { subscriptionId: string; at: Instant };

const SWITCH_CHARGES = `unnest($2::text[], $3::timestamptz[]) AS made (subscription_id, at)
  JOIN invoice_lines l ON l.account_id = $1 AND l.subscription_id = made.subscription_id
    AND l.type = 'proration' AND l.metric_id IS NULL AND l.period_start = made.at AND l.amount > 0
  JOIN invoices i ON i.account_id = l.account_id AND i.invoice_id = l.invoice_id`;

function valuesOf(accountId: string, switches: readonly SwitchRef[]): unknown[] {
  return [
    accountId,
    switches.map(({ subscriptionId }) => subscriptionId),
    switches.map(({ at }) => isoFromInstant(at)),
  ];
}

/** What these switches have charged for the rest of their period, on invoices, oldest first, and on sections that wait for one. */
export async function listSwitchCharges(
  tx: Transaction,
  accountId: string,
  switches: readonly SwitchRef[],
): Promise<SwitchCharge[]> {
  if (switches.length === 0) return [];
  const { rows } = await tx.query<ChargedRow & { subscription_id: string; period_start: Instant }>(
    `SELECT l.subscription_id, l.period_start, l.amount - l.discount_amount AS amount, l.discount_amount AS discount, ${OF_CHARGED} FROM ${SWITCH_CHARGES} ORDER BY i.seq`,
    valuesOf(accountId, switches),
  );
  const charged = await chargedFromRows(tx, accountId, rows);
  const onInvoices = charged.flatMap((one, i) => {
    const row = rows[i];
    return row ? [{ ...one, subscriptionId: row.subscription_id, at: row.period_start }] : [];
  });
  return [...onInvoices, ...(await listOnSections(tx, accountId, switches))];
}

type SectionRow = { seq: string; lines: StoredLine[]; tax_rate: string; currency: string };

/** On sections that wait for their invoice, by the tax of who pays for it now: a stand-in has the place of its id. */
async function listOnSections(
  tx: Transaction,
  accountId: string,
  switches: readonly SwitchRef[],
): Promise<SwitchCharge[]> {
  const { rows } = await tx.query<SectionRow>(
    `SELECT x.seq, x.lines, p.tax_rate, p.currency
     FROM invoice_sections x LEFT JOIN billed_to b USING (account_id, customer_id)
       JOIN customers p ON p.account_id = x.account_id AND p.customer_id = coalesce(b.payer_id, x.customer_id)
     WHERE x.account_id = $1 AND x.invoice_id IS NULL AND x.customer_id = ANY (ARRAY(
       SELECT customer_id FROM subscriptions WHERE account_id = $1 AND subscription_id = ANY($2)))
     ORDER BY x.seq`,
    [accountId, switches.map(({ subscriptionId }) => subscriptionId)],
  );
  const sections = rows.map((row) => ({ ...row, lines: row.lines.map(lineFromStored) }));
  const given = Map.groupBy(
    sections.flatMap(({ lines }) => lines),
    ({ givenBackOf }) => givenBackOf,
  );
  const charged = sections.flatMap(({ seq, lines, tax_rate, currency }) => {
    const [invoiceId, taxRate] = [standInOf(seq), decimal(tax_rate)];
    const back = sum((given.get(invoiceId) ?? []).map(({ amount }) => amount.negated()));
    const tax = roundHalfAwayFromZero(back.times(taxRate).shiftedBy(-2), currencyOf(currency).exponent);
    return switchChargesOf(lines, { invoiceId, taxRate, currency, credited: back.plus(tax) });
  });
  return charged.filter((one) =>
    switches.some(({ subscriptionId, at }) => one.subscriptionId === subscriptionId && one.at === at),
  );
}

/** {@link listSwitchCharges} for what gives back of them: the invoices are locked, so that none is refunded or voided meanwhile. Sections are the customer's own, whose subscriptions are locked. */
export async function lockSwitchCharges(
  tx: Transaction,
  accountId: string,
  switches: readonly SwitchRef[],
): Promise<SwitchCharge[]> {
  if (switches.length === 0) return [];
  await lockInvoices(tx, accountId, await findInvoicesOfSwitches(tx, accountId, switches));
  return listSwitchCharges(tx, accountId, switches);
}

/** The invoices that have charged what these switches add to the rest of their period. */
export async function findInvoicesOfSwitches(
  tx: Transaction,
  accountId: string,
  switches: readonly SwitchRef[],
): Promise<string[]> {
  if (switches.length === 0) return [];
  const found = await tx.query<{ invoice_id: string }>(
    `SELECT DISTINCT i.invoice_id FROM ${SWITCH_CHARGES}`,
    valuesOf(accountId, switches),
  );
  return found.rows.map((row) => row.invoice_id);
}
