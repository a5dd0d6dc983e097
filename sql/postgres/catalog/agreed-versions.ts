import type { PriceRow } from '../../../billing/pricing/price-book.ts';
import type { ComponentOverride, Overrides } from '../../../billing/subscriptions/agreement.ts';
import type { Plan } from '../../../billing/subscriptions/subscription.ts';
import { type Decimal, isDecimal } from '../../../core/decimal.ts';

/** The id of the version that an agreed one is based on, in the place of its own. */
export function basedOnId(version: string): string {
  return `(CASE WHEN ${version}.based_on IS NOT NULL THEN (SELECT o.version_id FROM plan_versions o
    WHERE o.account_id = ${version}.account_id AND o.plan_id = ${version}.plan_id AND o.version = ${version}.based_on) END)`;
}

/** The columns of a version that say what it is based on, the last by {@link basedOnId}; null of an offered one. */
export type AgreementRow = { based_on: number | null; overrides: StoredOverrides | null; based_on_id: string | null };

/** What a version says of the offered one that it is based on; of an offered one nothing. */
export function agreementFromRow(row: AgreementRow): Pick<Plan, 'agreement'> {
  const { based_on: version, based_on_id: versionId, overrides } = row;
  if (version === null || versionId === null) return {};
  return { agreement: { basedOn: { version, versionId }, overrides: overrides && overridesFromStored(overrides) } };
}

/** Overrides as JSON has them: the instants of rows are numbers, which come back as decimals. */
export type StoredOverrides = Omit<Overrides, 'components'> & {
  components?: readonly (Omit<ComponentOverride, 'prices'> & { prices?: readonly StoredPrice[] })[];
};
type StoredPrice = Pick<PriceRow, 'priceId' | 'when' | 'price' | 'freeTier'> & { from: PriceRow['from'] | Decimal };

/** Overrides as they are stored beside a plan version, a phase or a planned switch. */
export function overridesToStored(overrides: Overrides): StoredOverrides {
  const { components, ...others } = overrides;
  if (!components) return others;
  const stored = components.map(({ prices, ...one }) => ({
    ...one,
    ...(prices && { prices: prices.map(rowToStored) }),
  }));
  return { ...others, components: stored };
}

function rowToStored({ priceId, when, from, price, freeTier }: PriceRow): StoredPrice {
  return { priceId, when, from, price, freeTier };
}

/** What was stored by {@link overridesToStored}. */
export function overridesFromStored({ components, ...others }: StoredOverrides): Overrides {
  if (!components) return others;
  const read = components.map(({ prices, ...one }) => ({
    ...one,
    ...(prices && { prices: prices.map(rowFromStored) }),
  }));
  return { ...others, components: read };
}

function rowFromStored({ from, ...row }: StoredPrice): PriceRow {
  return { ...row, from: isDecimal(from) ? from.toNumber() : from, isOverride: false, addition: null, seq: 0n };
}
