import type { Caller } from './caller.ts';

/** What the soak's customers can buy. */
export type Catalog = {
  /** The metrics that every plan bills: how many events, and the sum of their `amount`. */
  countMetricId: string;
  sumMetricId: string;
  planIds: string[];
  addonIds: string[];
};

/** Makes metrics, plans of every model and timing, and add-ons. */
export async function makeCatalog(call: Caller): Promise<Catalog> {
  const make = async (path: string, body: object, id: string) => {
    const { status, body: made, text } = await call('POST', path, body);
    if (status !== 201) throw new Error(`${path} answered ${status}: ${text}`);
    return String(made[id]);
  };
  const metric = (aggregation_type: string, property_name?: string) => {
    const body = { metric_name: aggregation_type, aggregation_type, event_name: 'call', property_name };
    return make('/api/metrics', body, 'metric_id');
  };
  const [count, total, users] = [await metric('count'), await metric('sum', 'amount'), await metric('unique', 'user')];
  const tiers = [
    { up_to: 20, unit_price: 0.5 },
    { up_to: 100, unit_price: 0.25, flat_fee: 1 },
    { up_to: null, unit_price: 0.1 },
  ];
  const components = [
    { metric_id: count, free_tier: 10, overage_price: 0.03 },
    { metric_id: total, pricing_model: 'tiered', tiers },
    { metric_id: users, pricing_model: 'package', package_size: 3, price: 2 },
  ];
  const volume = [{ metric_id: count, pricing_model: 'volume', tiers }, ...components.slice(1)];
  const plan = (body: object) => make('/api/plans', { billing_period: 'monthly', ...body }, 'plan_id');
  const addon = (body: object) => make('/api/addons', body, 'addon_id');
  return {
    countMetricId: count,
    sumMetricId: total,
    planIds: [
      await plan({ name: 'Arrears', recurring_fee: 29, components }),
      await plan({ name: 'Advance', recurring_fee: 49.99, charge_timing: 'in_advance', components }),
      await plan({ name: 'Volume', recurring_fee: 0, components: volume }),
    ],
    addonIds: [
      await addon({ name: 'Support', kind: 'recurring', price: 12.5 }),
      await addon({ name: 'Setup', kind: 'one_time', price: 99 }),
    ],
  };
}
