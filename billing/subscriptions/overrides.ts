import { ZERO } from '../../core/decimal.ts';
import { type Limited, type Limits, limitedBy } from '../pricing/limits.ts';
import { fieldsOfPrice, NO_PRICE, type PriceFields, priceOfFields } from '../pricing/price.ts';
import type { PriceBook, PriceRow } from '../pricing/price-book.ts';
import type { Component } from '../pricing/rating.ts';
import type { AgreedLine, ComponentOverride, Overrides } from './agreement.ts';
import type { Plan } from './subscription.ts';

const NO_LIMITS = { minimumAmount: null, maximumAmount: null };

/** The plan with what overrides name in the place of its own. Throws where that is not a whole price: they are checked before. */
export function overriddenPlan(plan: Plan, overrides: Overrides): Plan {
  const { limits, ...unlimited } = plan;
  return {
    ...unlimited,
    recurringFee: overrides.recurringFee ?? plan.recurringFee,
    ...overriddenLimits(limits, overrides),
    components: plan.components.map((component) => {
      const override = overrideOf(overrides, component.metricId);
      return override ? overriddenComponent(component, override) : component;
    }),
  };
}

/** The plan as its currency option prices it: of what is money nothing stays, so that no amount is charged in another currency. */
export function planInCurrency(plan: Plan, currency: string, option: Overrides): Plan {
  const { limits: _limits, ...unlimited } = plan;
  const components = plan.components.map((component) => {
    const prices = overrideOf(option, component.metricId)?.prices;
    return { ...component, ...(component.book && { book: bookOfRows(component.book, prices) }) };
  });
  const named = components.map((component) => {
    const { prices: _rows, ...amounts } = { prices: [], ...overrideOf(option, component.metricId) };
    return { metricId: component.metricId, ...moneylessPrice(component), ...NO_LIMITS, ...amounts };
  });
  return overriddenPlan({ ...unlimited, currency, components }, { ...option, components: named });
}

/** The price book with these rows instead. */
function bookOfRows(book: PriceBook, rows: readonly PriceRow[] | undefined): PriceBook {
  if (!rows) throw new Error('a price book has no rows in a currency of its plan');
  return { ...book, rows };
}

/** The fields of a component's price but for amounts of money. */
export function moneylessPrice(component: Component): PriceFields {
  const { pricingModel, packageSize, percentage } = fieldsOfPrice(component);
  return { ...NO_PRICE, pricingModel, packageSize, percentage };
}

/** What overrides name of a component; undefined where they do not name it. */
export function overrideOf({ components = [] }: Overrides, metricId: string): ComponentOverride | undefined {
  return components.find((one) => one.metricId === metricId);
}

/** The price fields that an override leaves: `pricingModel` replaces all of them, else what is named takes its place. */
export function overriddenPrice(price: PriceFields, override: Partial<PriceFields>): PriceFields {
  const kept = override.pricingModel === undefined ? price : NO_PRICE;
  const merged = { ...kept, ...override, pricingModel: override.pricingModel ?? price.pricingModel };
  // As in a plan: without a fixed amount an event costs its percentage alone.
  return merged.pricingModel === 'percentage' ? { ...merged, fixedAmount: merged.fixedAmount ?? ZERO } : merged;
}

function overriddenComponent(component: Component, override: ComponentOverride): Component {
  const { limits, book, ...unlimited } = component;
  const agreed = (override.prices ?? []).map((row) => ({ ...row, isOverride: true }));
  return {
    ...unlimited,
    ...priceOfFields(overriddenPrice(fieldsOfPrice(component), override)),
    ...(book && { book: { ...book, rows: [...agreed, ...book.rows] } }),
    ...overriddenLimits(limits, override),
  };
}

/** The limits that an override leaves; null takes one away. */
export function overriddenLimits(limits: Limits | undefined, override: Partial<Limits>): Limited {
  const { minimumAmount = null, maximumAmount = null } = { ...limits, ...override };
  return limitedBy(minimumAmount, maximumAmount);
}

/** What an invoice shows of a line whose plan version was agreed on; nothing of any other. */
export function agreedOn(line: PricedLine, { agreement }: Plan): { agreed?: AgreedLine } {
  if (!agreement) return {};
  const { basedOn, overrides } = agreement;
  return {
    agreed: { version: basedOn.version, overridden: overrides !== null && overridesOfLine(line, overrides) !== null },
  };
}

/** `priceId`: the row of a price book that prices the line. */
type PricedLine = { type: string; metricId: string | null; priceId?: string };

/** What of overrides a line is priced by; null where they do not name that. */
export function overridesOfLine({ type, metricId, priceId }: PricedLine, overrides: Overrides): Overrides | null {
  if (metricId !== null) {
    const { prices = [], ...own } = overrideOf(overrides, metricId) ?? { metricId };
    const rows = prices.filter((row) => row.priceId === priceId);
    const named = priceId === undefined ? own : { metricId, ...(rows.length > 0 && { prices: rows }) };
    return Object.keys(named).length > 1 ? { components: [named] } : null;
  }
  const { recurringFee, components: _components, ...limits } = overrides;
  if (type === 'true_up') return Object.keys(limits).length > 0 ? limits : null;
  return (type === 'recurring_fee' || type === 'proration') && recurringFee !== undefined ? { recurringFee } : null;
}
