import type { z } from '@hono/zod-openapi';
import type { Decimal } from '../billing/decimal.ts';

type TierShape = { up_to: Decimal | null };
type ComponentShape = {
  metric_id: string;
  pricing_model: 'per_unit' | 'tiered' | 'volume' | 'package';
  overage_price?: Decimal | undefined;
  price?: Decimal | undefined;
  tiers?: TierShape[] | undefined;
  package_size?: Decimal | undefined;
};
type PlanShape = {
  components?: ComponentShape[] | undefined;
  features?: { name: string }[] | undefined;
};
type Refuse = (path: (string | number)[], message: string) => void;

/** What must hold between the fields of a plan (contract 6); every violation is a field error of its own. */
export function checkPlan(plan: PlanShape, context: z.RefinementCtx): void {
  const refuse: Refuse = (path, message) => context.addIssue({ code: 'custom', path, message });
  for (const [i, component] of (plan.components ?? []).entries()) {
    checkPrices(component, (field, message) => refuse(['components', i, ...field], message));
  }
  const metrics = (plan.components ?? []).map((component) => component.metric_id);
  for (const i of repeats(metrics)) refuse(['components', i, 'metric_id'], 'Is already billed by another component.');
  const names = (plan.features ?? []).map((feature) => feature.name);
  for (const i of repeats(names)) refuse(['features', i, 'name'], 'Is already listed.');
}

function checkPrices(component: ComponentShape, refuse: Refuse) {
  const { pricing_model: model, overage_price, price, tiers, package_size } = component;
  if (overage_price && price) refuse(['price'], 'Is the same field as overage_price; send one.');
  if (model === 'tiered' || model === 'volume') {
    if (!tiers) refuse(['tiers'], `Is required for ${model}.`);
    else checkTiers(tiers, refuse);
  } else {
    if (!overage_price && !price) refuse(['overage_price'], 'This field is required.');
    if (tiers && !overage_price && !price) refuse(['tiers'], `Is not allowed for ${model}.`);
  }
  if ((model === 'package') !== (package_size !== undefined)) {
    refuse(['package_size'], model === 'package' ? 'Is required for package.' : `Is not allowed for ${model}.`);
  }
}

/** Ascending edges, the last one open (contract 6). */
function checkTiers(tiers: TierShape[], refuse: Refuse) {
  for (const [i, { up_to }] of tiers.entries()) {
    const last = i === tiers.length - 1;
    const previous = tiers[i - 1]?.up_to;
    if (last !== (up_to === null)) refuse(['tiers', i, 'up_to'], last ? 'The last one must be null.' : 'Only the last one may be null.');
    else if (up_to && previous && up_to.lte(previous)) refuse(['tiers', i, 'up_to'], 'Must be above the one before.');
  }
}

function repeats(values: string[]): number[] {
  return values.flatMap((value, i) => (values.indexOf(value) === i ? [] : [i]));
}
