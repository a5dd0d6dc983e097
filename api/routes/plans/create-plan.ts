import { createPlan as create } from '../../../services/catalog/create-plan.ts';
import { planContradiction } from '../../../wire/plan-checks.ts';
import { PLAN_SYNONYMS, planCreate, planWire } from '../../../wire/plans.ts';
import { operation } from '../../operation.ts';

export const createPlan = operation({
  id: 'createPlan',
  method: 'post',
  path: '/api/plans',
  tag: 'Plans',
  summary: 'Create a plan',
  description:
    'A fee each period, components that price usage by metric, and features. All are optional: without a fee it is usage only, without components it is flat. overage_price alone prices each unit beyond the free tier; tiers or a package_size need their pricing_model.',
  scope: 'write',
  audit: 'plan.created',
  body: planCreate,
  synonyms: PLAN_SYNONYMS,
  contradiction: planContradiction,
  success: 201,
  response: planWire,
  errors: [404, 409],
  run: ({ caller, body, now, write }, { mostPrices }) =>
    write((tx) => create(tx, caller.accountId, body, { now, mostPrices })),
});
