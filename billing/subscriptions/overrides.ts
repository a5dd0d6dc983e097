import { ZERO } from '../../core/decimal.ts';
import { type Limited, type Limits, limitedBy } from '../pricing/limits.ts';
import { fieldsOfPrice, NO_PRICE, type PriceFields, priceOfFields } from '../pricing/price.ts';
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
  const components = plan.components.map((component) => ({
    metricId: component.metricId,
    ...moneylessPrice(component),
  }));
  const named = components.map((one) => ({ ...one, ...NO_LIMITS, ...overrideOf(option, one.metricId) }));
  return overriddenPlan({ ...unlimited, currency }, { ...option, components: named });
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
  const { limits, ...unlimited } = component;
  return {
    ...unlimited,
    ...priceOfFields(overriddenPrice(fieldsOfPrice(component), override)),
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

type PricedLine = { type: string; metricId: string | null };

/** What of overrides a line is priced by; null where they do not name that. */
export function overridesOfLine({ type, metricId }: PricedLine, overrides: Overrides): Overrides | null {
  if (metricId !== null) {
    const component = overrideOf(overrides, metricId);
    return component ? { components: [component] } : null;
  }
  const { recurringFee, components: _components, ...limits } = overrides;
  if (type === 'true_up') return Object.keys(limits).length > 0 ? limits : null;
  return (type === 'recurring_fee' || type === 'proration') && recurringFee !== undefined ? { recurringFee } : null;
}
