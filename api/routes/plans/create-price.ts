import { createPrice as create } from '../../../services/catalog/create-price.ts';
import { priceAdd } from '../../../wire/catalog/added-prices.ts';
import { priceRowWire } from '../../../wire/catalog/price-books.ts';
import { priceContradiction } from '../../../wire/plan-checks.ts';
import { planPath } from '../../../wire/plans.ts';
import { operation } from '../../operation.ts';

export const createPrice = operation({
  id: 'createPrice',
  method: 'post',
  path: '/api/plans/{plan_id}/prices',
  tag: 'Plans',
  summary: 'Add a row to the price books of a plan',
  description:
    'To that of the metric in all versions of the plan. At once it prices what no row does, at whatever time the events happened: what billed periods held is on the next invoice. Over other rows it wins, by its precedence, in usage periods that begin after the call.',
  scope: 'write',
  audit: 'plan.price_added',
  params: planPath,
  body: priceAdd,
  contradiction: priceContradiction,
  success: 201,
  response: priceRowWire,
  errors: [404, 409],
  run: ({ caller: { accountId }, params: { plan_id: planId }, body, now, write }, { mostPrices }) =>
    write((tx) => create(tx, { accountId, planId }, body, { now, mostPrices })),
});
