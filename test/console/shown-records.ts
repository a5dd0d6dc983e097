import type { Api } from '../stack/api.ts';
import { makeCustomer, makeMetric, makePlan, posted } from '../stack/resources.ts';

/** What the pages are looked at with: one of each record, and names that try to be more than text. */
export type ShownRecords = { customerId: string; evilName: string };

const EVIL_NAME = '<img src=x onerror=alert(1)>';

export async function makeShownRecords(api: Api): Promise<ShownRecords> {
  const { metric_id } = await makeMetric(api);
  const components = [{ metric_id, free_tier: 1, overage_price: '0.5' }];
  const { plan_id } = await makePlan(api, { components, charge_timing: 'in_advance' });
  const { customer_id } = await makeCustomer(api, { customer_name: EVIL_NAME });
  await posted(api, '/api/subscriptions', { customer_id, plan_id });
  await makeCustomer(api, { customer_name: 'Globex' });
  return { customerId: String(customer_id), evilName: EVIL_NAME };
}
