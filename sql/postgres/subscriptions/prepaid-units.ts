import type { PrepaidUnits, PrepaidUnitsChanged } from '../../../billing/change-set.ts';
import type { CollectedFee } from '../../../billing/credits/charged-fee.ts';
import type { CreditedPart } from '../../../billing/periods/segments.ts';
import type { PrepaidChoice } from '../../../billing/subscriptions/prepaid-changes.ts';
import { type Decimal, decimal, sum } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import { PAYERS_OF_CUSTOMER } from '../customers/billed-to.ts';
import { lockInvoices } from '../invoices/invoices.ts';
import { CHARGED_AMOUNT, type ChargedRow, chargedFromRows, OF_CHARGED } from '../invoices/refundable-charges.ts';
import type { Transaction } from '../postgres.ts';
import { bySubscription } from './of-subscriptions.ts';

/** The units that a subscription prepays by its own choice, in the place of its plan components', oldest choice first. */
export async function listOwnPrepaidUnits(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
): Promise<PrepaidChoice[]> {
  return (await listOwnPrepaidUnitsOf(tx, accountId, [subscriptionId])).get(subscriptionId) ?? [];
}

/** {@link listOwnPrepaidUnits} of several subscriptions, by subscription; one that has chosen none is not there. */
export async function listOwnPrepaidUnitsOf(
  tx: Transaction,
  accountId: string,
  subscriptionIds: readonly string[],
): Promise<Map<string, PrepaidChoice[]>> {
  const { rows } = await tx.query<ChoiceRow>(
    `SELECT subscription_id, metric_id, units, from_period FROM subscription_prepaid_units
     WHERE account_id = $1 AND subscription_id = ANY($2) ORDER BY from_period, metric_id`,
    [accountId, subscriptionIds],
  );
  const byId = Map.groupBy(rows, (row) => row.subscription_id);
  return new Map([...byId].map(([id, own]) => [id, own.map(choiceFromRow)]));
}

type ChoiceRow = { subscription_id: string; metric_id: string; units: string; from_period: number };

function choiceFromRow({ metric_id: metricId, units, from_period: fromPeriod }: ChoiceRow): PrepaidChoice {
  return { metricId, units: decimal(units), fromPeriod };
}

/** Stores the units a new subscription prepays by its own choice. */
export async function insertPrepaidUnits(
  tx: Transaction,
  accountId: string,
  { subscriptionId, metricId, units }: PrepaidUnits & { subscriptionId: string },
): Promise<void> {
  await tx.query(
    'INSERT INTO subscription_prepaid_units (account_id, subscription_id, metric_id, units) VALUES ($1, $2, $3, $4)',
    [accountId, subscriptionId, metricId, units.toFixed()],
  );
}

/** Stores a change of a subscription's prepaid units, and what it gave back, without tax, of what the period had charged. */
export async function upsertPrepaidChange(
  tx: Transaction,
  accountId: string,
  { subscriptionId, metricId, units, fromPeriod, at, credited }: PrepaidUnitsChanged,
): Promise<void> {
  const whole = sum(credited.map(({ amount }) => amount));
  const ofInvoices = credited.flatMap(({ invoiceId, amount }): GivenBackOf[] => {
    return invoiceId === null ? [] : [{ invoice_id: invoiceId, amount }];
  });
  const values = [accountId, subscriptionId, metricId, units.toFixed(), fromPeriod, isoFromInstant(at)];
  await tx.query(
    `INSERT INTO subscription_prepaid_units AS p
       (account_id, subscription_id, metric_id, units, from_period, changed_at, given_back, given_back_of)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (account_id, subscription_id, metric_id, from_period) DO UPDATE
       SET units = excluded.units, changed_at = excluded.changed_at, given_back = p.given_back + excluded.given_back,
         given_back_of = p.given_back_of || excluded.given_back_of`,
    [...values, whole.toFixed(), stringifyExactJson(ofInvoices)],
  );
}

/** Of which invoice prepaid units were given back, as it is stored. */
type GivenBackOf = { invoice_id: string; amount: Decimal };

/**
 * What changes of prepaid units have given back in a period, without tax, by invoice; what was on none yet, and what releases before have not
 * kept the invoice of, as of none.
 */
export async function findUnitsCredited(
  tx: Transaction,
  accountId: string,
  subscriptionId: string,
  { metricId, fromPeriod }: Pick<PrepaidChoice, 'metricId' | 'fromPeriod'>,
): Promise<CreditedPart[]> {
  const answer = await tx.query<{ given_back: string; given_back_of: GivenBackOf[] }>(
    `SELECT given_back, given_back_of FROM subscription_prepaid_units
     WHERE account_id = $1 AND subscription_id = $2 AND metric_id = $3 AND from_period = $4`,
    [accountId, subscriptionId, metricId, fromPeriod],
  );
  const [row] = answer.rows;
  if (!row) return [];
  const ofInvoices = row.given_back_of.map(({ invoice_id: invoiceId, amount }) => ({ invoiceId, amount }));
  const rest = decimal(row.given_back).minus(sum(ofInvoices.map(({ amount }) => amount)));
  return [{ invoiceId: null, amount: rest }, ...ofInvoices];
}

/** Prepaid units of a metric in the period that starts at `startsAt`, of those that have had it, one after another. */
export type UnitsOfPeriod = { subscriptionIds: string[]; metricId: string; startsAt: Instant };

const CHARGED_UNITS = `invoices i JOIN invoice_lines l ON l.account_id = i.account_id AND l.invoice_id = i.invoice_id
  WHERE i.account_id = $1 AND i.customer_id = ANY (${PAYERS_OF_CUSTOMER}) AND i.status <> 'void' AND l.subscription_id = ANY($3)
    AND l.type IN ('prepaid_units', 'proration') AND l.metric_id = $4 AND l.period_start = $5`;

/**
 * What invoices that are not void have charged for prepaid units, oldest first. The invoices are locked until the
 * transaction ends, so that none of them is voided meanwhile.
 */
export async function lockChargedUnits(
  tx: Transaction,
  accountId: string,
  customerId: string,
  { subscriptionIds, metricId, startsAt }: UnitsOfPeriod,
): Promise<CollectedFee[]> {
  const values = [accountId, customerId, subscriptionIds, metricId, isoFromInstant(startsAt)];
  const found = await tx.query<{ invoice_id: string }>(`SELECT DISTINCT i.invoice_id FROM ${CHARGED_UNITS}`, values);
  const ids = found.rows.map((row) => row.invoice_id);
  await lockInvoices(tx, accountId, ids);
  const { rows } = await tx.query<ChargedRow>(
    `SELECT ${CHARGED_AMOUNT}, ${OF_CHARGED} FROM ${CHARGED_UNITS}
     GROUP BY i.account_id, i.invoice_id ORDER BY i.seq`,
    values,
  );
  return chargedFromRows(tx, accountId, rows);
}

/**
 * What each of these subscriptions prepays, by subscription: its own units, else its plan component's, in component order. Metrics without
 * prepaid units are not there, but for those a subscription has chosen itself. More than `most` of a subscription are left out and never read.
 */
export async function listPrepaidUnits(
  tx: Transaction,
  accountId: string,
  subscriptionIds: string[],
  most: number,
): Promise<Map<string, PrepaidUnits[]>> {
  const { rows } = await tx.query<{
    subscription_id: string;
    metric_id: string;
    units: string;
    of_subscription: string;
  }>(
    `SELECT subscription_id, metric_id, units, of_subscription FROM (SELECT s.subscription_id, c.metric_id,
       coalesce(o.units, c.prepaid_units) AS units, c.ordinal, count(*) OVER (PARTITION BY s.subscription_id) AS of_subscription,
       row_number() OVER (PARTITION BY s.subscription_id ORDER BY c.ordinal) AS place
     FROM subscriptions s
       JOIN plan_versions v USING (account_id, plan_id, version)
       JOIN plan_components c USING (account_id, version_id)
       LEFT JOIN LATERAL (
         SELECT p.units FROM subscription_prepaid_units p
         WHERE p.account_id = s.account_id AND p.subscription_id = s.subscription_id AND p.metric_id = c.metric_id
         ORDER BY p.from_period DESC LIMIT 1
       ) o ON true
     WHERE s.account_id = $1 AND s.subscription_id = ANY($2) AND (o.units IS NOT NULL OR c.prepaid_units > 0)) prepaid
     WHERE of_subscription <= $3 OR place = 1 ORDER BY subscription_id, ordinal`,
    [accountId, subscriptionIds, most],
  );
  return bySubscription(rows, most, ({ metric_id: metricId, units }) => ({ metricId, units: decimal(units) }));
}
