import type { Tier } from '../../../billing/pricing/model-price.ts';
import { fieldsOfPrice } from '../../../billing/pricing/price.ts';
import type { Component } from '../../../billing/pricing/rating.ts';
import type { Feature, Plan } from '../../../billing/subscriptions/subscription.ts';
import { newId } from '../../../core/ids.ts';
import { isoFromInstant } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import type { Transaction } from '../postgres.ts';
import { overridesToStored } from './agreed-versions.ts';
import { currencyOptionsToText } from './currency-options.ts';
import { insertPriceRows } from './plan-prices.ts';

/**
 * Stores one version of a plan that exists, with its components and features; afterwards only rows are added to its price books. `sharesPriceBooks`: the version
 * has the price books of the version before, in the same currency.
 */
export async function insertPlanVersion(
  tx: Transaction,
  accountId: string,
  plan: Plan,
  { sharesPriceBooks = false }: { sharesPriceBooks?: boolean } = {},
): Promise<void> {
  const pricesOf = sharesPriceBooks ? await findPricesBefore(tx, accountId, plan) : null;
  await tx.query(
    `INSERT INTO plan_versions (account_id, plan_id, version, version_id, name, recurring_fee, charge_timing, created_at,
       minimum_amount, maximum_amount, based_on, currency, overrides, currency_options, trial_days, bill_usage_in_trial,
       prices_of)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
    [
      accountId,
      plan.planId,
      plan.version,
      plan.versionId,
      plan.name,
      plan.recurringFee.toFixed(),
      plan.chargeTiming,
      isoFromInstant(plan.createdAt),
      plan.limits?.minimumAmount?.toFixed(),
      plan.limits?.maximumAmount?.toFixed(),
      plan.agreement?.basedOn.version,
      plan.agreement && plan.currency,
      plan.agreement?.overrides && stringifyExactJson(overridesToStored(plan.agreement.overrides)),
      plan.currencyOptions && currencyOptionsToText(plan.currencyOptions),
      plan.trial?.days,
      plan.trial?.billsUsage ?? false,
      pricesOf,
    ],
  );
  await insertComponents(tx, accountId, plan.versionId, plan.components, pricesOf === null);
  await insertFeatures(tx, accountId, plan.versionId, plan.features);
}

/** The next number of an agreed version of the plan, which is locked until the transaction ends: each has a number of its own. */
export async function takeAgreedVersion(tx: Transaction, accountId: string, planId: string): Promise<number> {
  await tx.query('SELECT FROM plans WHERE account_id = $1 AND plan_id = $2 FOR NO KEY UPDATE', [accountId, planId]);
  const { rows } = await tx.query<{ version: number }>(
    'SELECT least(min(version), 0) - 1 AS version FROM plan_versions WHERE account_id = $1 AND plan_id = $2',
    [accountId, planId],
  );
  const [row] = rows;
  if (!row) throw new Error(`plan ${planId} has no version`);
  return row.version;
}

/** The version whose rows the price books of the version before have, in the currency of `plan`. Throws where there is none. */
async function findPricesBefore(tx: Transaction, accountId: string, plan: Plan): Promise<string> {
  const offered = plan.agreement?.basedOn.version ?? plan.version;
  const { rows } = await tx.query<{ prices_of: string }>(
    `SELECT coalesce(v.prices_of, v.version_id) AS prices_of FROM plan_versions v WHERE v.account_id = $1 AND v.plan_id = $2
       AND (CASE WHEN $4::text IS NULL THEN v.version = $3 ELSE v.based_on = $3 AND v.currency = $4 AND v.overrides IS NULL END)`,
    [accountId, plan.planId, offered - 1, plan.agreement ? plan.currency : null],
  );
  const [before] = rows;
  if (!before) throw new Error(`plan ${plan.planId} has lost version ${offered - 1}`);
  return before.prices_of;
}

async function insertComponents(
  tx: Transaction,
  accountId: string,
  versionId: string,
  components: Component[],
  withRows: boolean,
) {
  for (const [ordinal, component] of components.entries()) {
    const price = fieldsOfPrice(component);
    await tx.query(
      `INSERT INTO plan_components (account_id, version_id, ordinal, component_id, metric_id, pricing_model, free_tier,
         overage_price, tiers, package_size, rounding, prepaid_units, minimum_amount, maximum_amount, percentage,
         fixed_amount, per_event_minimum, per_event_maximum, group_by, unmatched)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
      [
        accountId,
        versionId,
        ordinal,
        component.componentId,
        component.metricId,
        price.pricingModel,
        component.freeTier.toFixed(),
        price.overagePrice?.toFixed(),
        price.tiers && tiersText(price.tiers),
        price.packageSize?.toFixed(),
        component.rounding,
        component.prepaidUnits.toFixed(),
        component.limits?.minimumAmount?.toFixed(),
        component.limits?.maximumAmount?.toFixed(),
        price.percentage?.toFixed(),
        price.fixedAmount?.toFixed(),
        price.perEventMinimum?.toFixed(),
        price.perEventMaximum?.toFixed(),
        component.book?.groupBy,
        component.book?.unmatched,
      ],
    );
  }
  if (!withRows) return;
  const priceBooks = components.flatMap(({ metricId, book }) => (book ? { versionId, metricId, rows: book.rows } : []));
  await insertPriceRows(tx, accountId, priceBooks);
}

function tiersText(tiers: readonly Tier[]): string {
  const rows = tiers.map(({ upTo, unitPrice, flatFee }) => ({ up_to: upTo, unit_price: unitPrice, flat_fee: flatFee }));
  return stringifyExactJson(rows);
}

async function insertFeatures(tx: Transaction, accountId: string, versionId: string, features: Feature[]) {
  for (const [ordinal, feature] of features.entries()) {
    await tx.query(
      `INSERT INTO plan_features (account_id, version_id, ordinal, feature_id, included, usage_limit, metric_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [accountId, versionId, ordinal, feature.featureId, feature.included, feature.limit?.toFixed(), feature.metricId],
    );
  }
}

/**
 * The id of each named feature: one per name and account (spec/plans#features), made where the name is new.
 * The update of nothing makes a concurrent insert's row visible here.
 */
export async function upsertFeatureIds(
  tx: Transaction,
  accountId: string,
  names: string[],
): Promise<Map<string, string>> {
  const inOrder = [...new Set(names)].sort();
  const answer = await tx.query<{ name: string; feature_id: string }>(
    `INSERT INTO features (account_id, feature_id, name)
     SELECT $1, * FROM unnest($2::text[], $3::text[])
     ON CONFLICT (account_id, name) DO UPDATE SET name = excluded.name
     RETURNING name, feature_id`,
    [accountId, inOrder.map(() => newId('feat')), inOrder],
  );
  return new Map(answer.rows.map((row) => [row.name, row.feature_id]));
}
