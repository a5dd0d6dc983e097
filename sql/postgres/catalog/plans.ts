import { plansByVersion } from '../../../billing/invoices/agreed-lines.ts';
import { triedBy } from '../../../billing/periods/trials.ts';
import type { WantedPlan } from '../../../billing/state/billing-rules.ts';
import type { Overrides } from '../../../billing/subscriptions/agreement.ts';
import type { Plan, PlanVersion } from '../../../billing/subscriptions/subscription.ts';
import { decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { MOST_LISTED } from '../../../runtime/exact-json.ts';
import { findPage, type ListQuery, type PageOf, type PageWindow } from '../page-window.ts';
import { firstRow, type Transaction } from '../postgres.ts';
import { type AgreementRow, agreementFromRow, basedOnId } from './agreed-versions.ts';
import { withCurrencyRows } from './currency-options.ts';
import { bytesOfParts, findParts, limitsFromRow, type MostParts } from './plan-parts.ts';

/** A plan joined with one of its versions; the version's own time is its `created_at`. */
type PlanRow = AgreementRow & {
  plan_id: string;
  version: number;
  version_id: string;
  name: string;
  recurring_fee: string;
  minimum_amount: string | null;
  maximum_amount: string | null;
  trial_days: number | null;
  bill_usage_in_trial: boolean;
  billing_period: Plan['billingPeriod'];
  billing_calendar: Plan['billingCalendar'];
  anchor_day: number | null;
  usage_period: Plan['usagePeriod'];
  currency: string;
  charge_timing: Plan['chargeTiming'];
  status: Plan['status'];
  metadata: Record<string, string>;
  created_at: Instant;
  currency_options: Record<string, Overrides> | null;
};

const COLUMNS = `p.plan_id, p.billing_period, p.billing_calendar, p.anchor_day, p.usage_period, coalesce(v.currency, p.currency) AS currency,
  p.status, p.metadata, v.version, v.version_id, v.name, v.recurring_fee, v.charge_timing, v.created_at, v.minimum_amount, v.maximum_amount,
  v.trial_days, v.bill_usage_in_trial, v.based_on, v.overrides, v.currency_options, ${basedOnId('v')} AS based_on_id`;
const VERSIONS = 'plans p JOIN plan_versions v USING (account_id, plan_id)';
const OF_PLAN = `${VERSIONS} WHERE p.account_id = $1 AND p.plan_id = $2`;

/** The plan in its latest version, or in `version`; undefined where there is none. */
export async function findPlan(
  tx: Transaction,
  accountId: string,
  planId: string,
  version?: number,
): Promise<Plan | undefined> {
  const answer = await tx.query<PlanRow>(
    `SELECT ${COLUMNS} FROM ${OF_PLAN} AND v.version = coalesce($3, p.latest_version)`,
    [accountId, planId, version],
  );
  return firstRow({ rows: await withParts(tx, accountId, answer.rows) });
}

/** As {@link findPlan} in the latest version, without price books of more than 100 rows, and with the bytes that all of it takes in an answer. */
export async function findPlanWithoutRows(
  tx: Transaction,
  accountId: string,
  planId: string,
): Promise<{ plan: Plan; bytes: number } | undefined> {
  const { rows } = await tx.query<PlanRow & { bytes: string }>(
    `SELECT ${COLUMNS}, ${bytesOfParts('v', null)} AS bytes FROM ${OF_PLAN} AND v.version = p.latest_version`,
    [accountId, planId],
  );
  const plan = firstRow({ rows: await withParts(tx, accountId, rows, { rows: MOST_LISTED }) });
  return plan && { plan, bytes: Number(rows[0]?.bytes) };
}

/** The plan's currency; undefined where there is no plan of that id. */
export async function findPlanCurrency(
  tx: Transaction,
  accountId: string,
  planId: string,
): Promise<string | undefined> {
  const answer = await tx.query<{ currency: string }>(
    `SELECT coalesce(v.currency, p.currency) AS currency FROM ${OF_PLAN} AND v.version = p.latest_version`,
    [accountId, planId],
  );
  return firstRow(answer)?.currency;
}

/** As {@link findPlan}, in the wanted currency where it is offered in that, else in the one it has. */
export async function findPlanIn(tx: Transaction, accountId: string, wanted: WantedPlan): Promise<Plan | undefined> {
  return firstRow({ rows: await findPlansIn(tx, accountId, [wanted]) });
}

/** {@link findPlanIn} for several at once: those that exist, in any order. */
export async function findPlansIn(tx: Transaction, accountId: string, wanted: readonly WantedPlan[]): Promise<Plan[]> {
  if (wanted.length === 0) return [];
  const { rows } = await tx.query<PlanRow>(
    `SELECT ${COLUMNS} FROM ${VERSIONS} WHERE p.account_id = $1 AND (p.plan_id, v.version) IN (
       SELECT w.plan_id, coalesce(
         (SELECT o.version FROM plan_versions o WHERE o.account_id = $1 AND o.plan_id = w.plan_id
            AND o.based_on = coalesce(w.version, a.latest_version) AND o.currency = w.currency AND o.overrides IS NULL),
         w.version, a.latest_version)
       FROM unnest($2::text[], $3::int[], $4::text[]) AS w (plan_id, version, currency)
         JOIN plans a ON a.account_id = $1 AND a.plan_id = w.plan_id)`,
    [
      accountId,
      wanted.map(({ planId }) => planId),
      wanted.map(({ version }) => version),
      wanted.map(({ currency }) => currency),
    ],
  );
  return withParts(tx, accountId, rows);
}

/** The plan in this version, which a subscription or an invoice names. Throws where there is none. */
export async function loadPlan(tx: Transaction, accountId: string, wanted: PlanVersion): Promise<Plan> {
  return (await loadPlans(tx, accountId, [wanted]))(wanted);
}

/** As {@link loadPlan}, for several of them at once: what it answers throws where there is no such version. */
export async function loadPlans(
  tx: Transaction,
  accountId: string,
  wanted: readonly PlanVersion[],
): Promise<(version: PlanVersion) => Plan> {
  return plansByVersion(await findPlanVersions(tx, accountId, wanted));
}

/** Those of these plan versions that exist, each once. */
export async function findPlanVersions(
  tx: Transaction,
  accountId: string,
  wanted: readonly PlanVersion[],
): Promise<Plan[]> {
  const answer = await tx.query<PlanRow>(
    `SELECT ${COLUMNS} FROM ${VERSIONS} WHERE p.account_id = $1
     AND (p.plan_id, v.version) IN (SELECT * FROM unnest($2::text[], $3::int[]))`,
    [accountId, wanted.map(({ planId }) => planId), wanted.map(({ version }) => version)],
  );
  return withParts(tx, accountId, answer.rows);
}

/** Locks the plan until the transaction ends: its versions are made one after another. False where there is none. */
export async function lockPlan(tx: Transaction, accountId: string, planId: string): Promise<boolean> {
  const answer = await tx.query('SELECT 1 FROM plans WHERE account_id = $1 AND plan_id = $2 FOR UPDATE', [
    accountId,
    planId,
  ]);
  return answer.rowCount === 1;
}

/** One page of an account's plans in their latest versions, newest plan first. */
export async function listPlans(tx: Transaction, accountId: string, window: PageWindow): Promise<PageOf<Plan>> {
  const joins = `JOIN plan_versions v ON v.account_id = p.account_id AND v.plan_id = p.plan_id AND v.version = p.latest_version`;
  return listPage(tx, accountId, { table: ['plans', 'p'], joins, equals: { account_id: accountId } }, window);
}

/** One page of a plan's offered versions, newest first. */
export async function listPlanVersions(
  tx: Transaction,
  accountId: string,
  planId: string,
  window: PageWindow,
): Promise<PageOf<Plan>> {
  const joins = 'JOIN plans p ON p.account_id = v.account_id AND p.plan_id = v.plan_id';
  const equals = { account_id: accountId, plan_id: planId };
  const where = [['v.version > 0']] as const;
  return listPage(tx, accountId, { table: ['plan_versions', 'v'], joins, equals, where, key: 'version' }, window);
}

/** Stores a new plan; its first version is stored by `insertPlanVersion`. */
export async function insertPlan(tx: Transaction, accountId: string, plan: Plan): Promise<void> {
  await tx.query(
    `INSERT INTO plans (account_id, plan_id, billing_period, currency, status, latest_version, metadata, created_at,
       billing_calendar, anchor_day, usage_period)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      accountId,
      plan.planId,
      plan.billingPeriod,
      plan.currency,
      plan.status,
      plan.version,
      plan.metadata,
      isoFromInstant(plan.createdAt),
      plan.billingCalendar,
      plan.anchorDay,
      plan.usagePeriod,
    ],
  );
}

/** Makes `version` the one that new subscriptions get. */
export async function updatePlanLatestVersion(tx: Transaction, accountId: string, planId: string, version: number) {
  await tx.query('UPDATE plans SET latest_version = $3 WHERE account_id = $1 AND plan_id = $2', [
    accountId,
    planId,
    version,
  ]);
}

/** Archives the plan: it takes no new subscriptions (spec/plans#versions). */
export async function updatePlanArchived(tx: Transaction, accountId: string, planId: string) {
  await tx.query("UPDATE plans SET status = 'archived' WHERE account_id = $1 AND plan_id = $2", [accountId, planId]);
}

async function listPage(
  tx: Transaction,
  accountId: string,
  list: Omit<ListQuery, 'select'>,
  window: PageWindow,
): Promise<PageOf<Plan>> {
  const query = { select: COLUMNS, bytesBeside: bytesOfParts('v'), ...list };
  const page = await findPage(tx, query, window, (row: PlanRow) => row);
  return { ...page, results: await withParts(tx, accountId, page.results, MOST_IN_LIST) };
}

const MOST_IN_LIST: MostParts = { entries: MOST_LISTED, rows: MOST_LISTED };

async function withParts(tx: Transaction, accountId: string, rows: PlanRow[], most?: MostParts): Promise<Plan[]> {
  const ids = rows.map((row) => row.version_id);
  const partsOf = await findParts(tx, accountId, ids, most);
  const plans = rows.map((row) => planFromRow(row, partsOf(row.version_id)));
  return withCurrencyRows(tx, accountId, plans, most?.rows);
}

/** The plan of a version, with what hangs on that version. */
function planFromRow(row: PlanRow, parts: Pick<Plan, 'components' | 'features'>): Plan {
  return {
    planId: row.plan_id,
    name: row.name,
    recurringFee: decimal(row.recurring_fee),
    ...limitsFromRow(row),
    billingPeriod: row.billing_period,
    billingCalendar: row.billing_calendar,
    anchorDay: row.anchor_day,
    usagePeriod: row.usage_period,
    currency: row.currency,
    chargeTiming: row.charge_timing,
    ...parts,
    version: row.version,
    versionId: row.version_id,
    status: row.status,
    createdAt: row.created_at,
    metadata: row.metadata,
    ...triedBy({ days: row.trial_days, billsUsage: row.bill_usage_in_trial }),
    ...(row.currency_options && { currencyOptions: row.currency_options }),
    ...agreementFromRow(row),
  };
}
