import { previewPlan as preview } from '../../../services/catalog/preview-plan.ts';
import { planPreview, planPreviewToWire, planPreviewWire } from '../../../wire/catalog/plan-previews.ts';
import { planContradiction } from '../../../wire/plan-checks.ts';
import { PLAN_SYNONYMS } from '../../../wire/plans.ts';
import { operation } from '../../operation.ts';

export const previewPlan = operation({
  id: 'previewPlan',
  method: 'post',
  path: '/api/plans/preview',
  tag: 'Plans',
  summary: 'What a plan would bill for a period with some usage, before it is made',
  description:
    'The invoice of a whole period in the middle of a subscription, by the code that bills: the fee, units paid ahead, and usage beyond them, with the arithmetic of each line; of price books by combination and date, or all of it for one event. Tax, credits and add-ons are not in it. Nothing is made.',
  scope: 'read',
  audit: null,
  body: planPreview,
  synonyms: PLAN_SYNONYMS,
  contradiction: planContradiction,
  success: 200,
  response: planPreviewWire,
  errors: [404, 409],
  run: async ({ caller, body, now, read, keep }, { mostPrices }) =>
    keep(planPreviewToWire(await read((tx) => preview(tx, caller.accountId, body, { now, mostPrices })))),
});
