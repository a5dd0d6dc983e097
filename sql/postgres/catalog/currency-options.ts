import type { PriceRow } from '../../../billing/pricing/price-book.ts';
import type { ComponentOverride, Overrides } from '../../../billing/subscriptions/agreement.ts';
import type { Plan } from '../../../billing/subscriptions/subscription.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import type { Transaction } from '../postgres.ts';
import { bookKey, listPriceRows } from './plan-prices.ts';

/** A plan's further currencies as they are stored beside it: without the rows of price books, which are in the version of each currency. */
export function currencyOptionsToText(options: Readonly<Record<string, Overrides>>): string {
  return stringifyExactJson(mapOptions(options, ({ prices: _rows, ...component }) => component));
}

/** The plans with the rows that their price books have in further currencies; a statement where there are some. */
export async function withCurrencyRows(
  tx: Transaction,
  accountId: string,
  plans: Plan[],
  most?: number,
): Promise<Plan[]> {
  const sold = plans.filter(
    ({ currencyOptions, components }) => currencyOptions && components.some(({ book }) => book),
  );
  if (sold.length === 0) return plans;
  const versionIds = sold.map(({ versionId }) => versionId);
  const rows = await listCurrencyRows(tx, accountId, versionIds, most);
  return plans.map(({ currencyOptions, ...plan }) => {
    if (!currencyOptions) return plan;
    const withRows = mapOptions(currencyOptions, (component, currency) => {
      const prices = rows.get(bookKey(plan.versionId, component.metricId, currency));
      return prices ? { ...component, prices } : component;
    });
    return { ...plan, currencyOptions: withRows };
  });
}

/** The rows of the price books that these offered versions have in further currencies, by {@link bookKey}, in the order in which they came. */
async function listCurrencyRows(
  tx: Transaction,
  accountId: string,
  versionIds: readonly string[],
  most?: number,
): Promise<Map<string, PriceRow[]>> {
  const { rows: versions } = await tx.query<{ offered: string; version_id: string; currency: string }>(
    `SELECT o.version_id AS offered, v.version_id, v.currency FROM plan_versions o
       JOIN plan_versions v ON v.account_id = o.account_id AND v.plan_id = o.plan_id AND v.based_on = o.version AND v.overrides IS NULL
     WHERE o.account_id = $1 AND o.version_id IN (SELECT unnest($2::text[]))`,
    [accountId, versionIds],
  );
  const found = await listPriceRows(
    tx,
    accountId,
    versions.map(({ version_id }) => version_id),
    most,
  );
  const named = versions.flatMap(({ offered, version_id, currency }) =>
    [...found].flatMap(([key, rows]): [string, PriceRow[]][] => {
      const [versionId, metricId = ''] = key.split(' ');
      return versionId === version_id ? [[bookKey(offered, metricId, currency), rows]] : [];
    }),
  );
  return new Map(named);
}

/** Further currencies, of which `map` makes others of what they say of a component. */
function mapOptions(
  options: Readonly<Record<string, Overrides>>,
  map: (component: ComponentOverride, currency: string) => ComponentOverride,
): Record<string, Overrides> {
  const mapped = Object.entries(options).map(([currency, { components, ...others }]) => {
    return [currency, { ...others, ...(components && { components: components.map((one) => map(one, currency)) }) }];
  });
  return Object.fromEntries(mapped);
}
