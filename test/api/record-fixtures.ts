import { expect } from 'vitest';
import { type Api, itemsOf, type Json } from '../stack/api.ts';
import { waitUntil } from '../stack/wait-until.ts';

/** Ids of an account's records, by the name they have in paths, queries and bodies. */
export type Ids = Record<string, string>;

/** Makes one record of an account; `mark` is in every text of it, `ids` has the records made before. */
type Fixture = (api: Api, ids: Ids, mark: string) => Promise<string>;

/** Nobody listens there: what is told to it fails, which is a delivery too. */
const NOWHERE = 'http://127.0.0.1:9/';

/** One fixture per kind of id; those below use what those above have made. */
export const FIXTURES: Record<string, Fixture> = {
  key_id: (api, _, mark) => make(api, '/api/api-keys', { name: mark }, 'key_id'),
  customer_id: (api, _, mark) =>
    make(
      api,
      '/api/customers/',
      { customer_id: `acme-${mark}`, email: `${mark}@example.test`, customer_name: mark, metadata: { mark } },
      'customer_id',
    ),
  test_clock_id: (api, _, mark) =>
    make(api, '/api/test-clocks', { frozen_time: '2026-01-01T00:00:00Z', name: mark }, 'test_clock_id'),
  metric_id: (api, _, mark) =>
    make(api, '/api/metrics', { metric_name: mark, aggregation_type: 'count', event_name: mark }, 'metric_id'),
  plan_id: (api, ids, mark) => make(api, '/api/plans', planOf(ids, mark), 'plan_id'),
  component_id: async (api, ids) =>
    firstOf((await api.get(`/api/plans/${ids.plan_id}`)).body.components, 'component_id'),
  feature_id: async (api, ids) => firstOf((await api.get(`/api/plans/${ids.plan_id}`)).body.features, 'feature_id'),
  price_id: async (api, { metric_id }, mark) => {
    const book = { metric_id, group_by: ['model'], prices: [{ when: {}, overage_price: 1 }] };
    const { body } = await api.post('/api/plans', { name: mark, billing_period: 'monthly', components: [book] });
    return firstOf(itemsOf(body.components)[0]?.prices, 'price_id');
  },
  feature_name: async (_api, _ids, mark) => `feature ${mark}`,
  addon_id: (api, _, mark) => make(api, '/api/addons', { name: mark, kind: 'quantity', price: 5 }, 'addon_id'),
  coupon_id: (api, _, mark) =>
    make(
      api,
      '/api/coupons',
      { name: mark, percent_off: 5, duration: 'forever', code: mark.slice(0, 64) },
      'coupon_id',
    ),
  subscription_id: (api, { customer_id, plan_id }, mark) =>
    make(api, '/api/subscriptions', { customer_id, plan_id, metadata: { mark } }, 'subscription_id'),
  discount_id: (api, { subscription_id, coupon_id }) =>
    make(api, `/api/subscriptions/${subscription_id}/discounts`, { coupon_id }, 'discount_id'),
  // The fee is due in advance: the opening invoice is made by itself.
  invoice_id: (api, ids) => firstListed(api, `/api/invoices?subscription_id=${ids.subscription_id}`, 'invoice_id'),
  line_id: async (api, ids) => firstOf((await api.get(`/api/invoices/${ids.invoice_id}`)).body.lines, 'line_id'),
  credit_id: (api, { customer_id }, mark) =>
    make(api, '/api/credits', { customer_id, amount: 1, description: mark }, 'credit_id'),
  refund_id: async (api, { invoice_id }, mark) => {
    const paid = await api.post(`/api/invoices/${invoice_id}/mark_paid`, { reference: mark });
    expect(paid.status, paid.text).toBe(200);
    return make(api, '/api/refunds', { invoice_id, amount: 1, method: 'bank_transfer', reason: mark }, 'refund_id');
  },
  idempotency_id: async (api, { customer_id }, mark) => {
    const event = {
      event_name: mark,
      customer_id,
      idempotency_id: `e-${mark}`,
      time_created: new Date().toISOString(),
    };
    expect((await api.post('/api/track', event)).status).toBe(200);
    return event.idempotency_id;
  },
  webhook_endpoint_id: (api, _, mark) =>
    make(api, '/api/webhooks', { name: mark, webhook_url: `${NOWHERE}${mark}` }, 'webhook_endpoint_id'),
  delivery_id: async (api, { webhook_endpoint_id, customer_id }, mark) => {
    await make(api, '/api/credits', { customer_id, amount: 1, description: mark }, 'credit_id');
    return firstListed(api, `/api/webhooks/${webhook_endpoint_id}/deliveries`, 'delivery_id');
  },
  portal_link_id: (api, { customer_id }) =>
    make(api, `/api/customers/${customer_id}/portal_link`, {}, 'portal_link_id'),
  audit_id: (api) => firstListed(api, '/api/audit-log', 'audit_id'),
  resource_id: async (_api, { plan_id }) => String(plan_id),
};

/** Other names of these ids, in bodies. */
const SAME_AS: Record<string, string> = {
  new_plan_id: 'plan_id',
  plan_ids: 'plan_id',
  metric_ids: 'metric_id',
  idempotency_ids: 'idempotency_id',
};

/** The kind of id that stands in a field, whose last part is its name: `components.0.metric_id`. */
export function kindOf(field: string): string {
  const name = field.split('.').at(-1) ?? '';
  return SAME_AS[name] ?? name;
}

/** A record of every kind, one after another. */
export async function makeRecords(api: Api, mark: string): Promise<Ids> {
  const ids: Ids = {};
  for (const [name, fixture] of Object.entries(FIXTURES)) ids[name] = await fixture(api, ids, mark);
  return ids;
}

/** A good body or query of each operation that takes ids in it; `METHOD path` names the operation. */
export const REQUESTS: Record<string, { query?: Ids; body?: (ids: Ids, mark: string) => object }> = {
  'POST /api/verify-events': { body: ({ idempotency_id }) => ({ idempotency_ids: [idempotency_id] }) },
  'GET /api/ingestion/audit': { query: { start: '2026-01-01', end: '2026-01-02' } },
  'GET /api/search': { query: { q: 'nobody' } },
  'GET /api/metrics/{metric_id}/usage': { query: { start: '2026-01-01', end: '2026-01-02' } },
  'PATCH /api/customers/{customer_id}': { body: ({ test_clock_id }) => ({ test_clock_id }) },
  'POST /api/customers': {
    body: ({ test_clock_id }, mark) => ({ customer_id: `new-${mark}`, email: 'new@example.test', test_clock_id }),
  },
  'POST /api/customers/{customer_id}/portal_links/revoke': { body: ({ portal_link_id }) => ({ portal_link_id }) },
  'POST /api/plans': { body: planOf },
  'PATCH /api/plans/{plan_id}': { body: planPartsOf },
  'POST /api/plans/preview': { body: planOf },
  'POST /api/plans/{plan_id}/prices': { body: ({ metric_id }) => ({ metric_id, when: {}, overage_price: 0.01 }) },
  'POST /api/metrics/preview': {
    body: ({ customer_id }) => ({ metric_name: 'Calls', aggregation_type: 'count', customer_id }),
  },
  'POST /api/subscriptions': {
    body: ({ customer_id, plan_id, metric_id, coupon_id }) => {
      const more = { prepaid_units: [{ metric_id, units: 5 }], discounts: [{ coupon_id }] };
      return { customer_id, plan_id, overrides: overridesOf(metric_id), phases: phasesOf(plan_id, metric_id), ...more };
    },
  },
  'PUT /api/subscriptions/{subscription_id}/phases': {
    body: ({ plan_id, metric_id }) => ({ phases: phasesOf(plan_id, metric_id) }),
  },
  'POST /api/subscriptions/{subscription_id}/switch_plan': {
    body: ({ plan_id, metric_id }) => ({ new_plan_id: plan_id, overrides: overridesOf(metric_id) }),
  },
  'POST /api/subscriptions/{subscription_id}/components/change-prepaid-units': {
    body: ({ metric_id }) => ({ metric_id, units: 5 }),
  },
  'POST /api/subscriptions/{subscription_id}/addons/attach': { body: ({ addon_id }) => ({ addon_id }) },
  'POST /api/subscriptions/{subscription_id}/addons/cancel': { body: ({ addon_id }) => ({ addon_id }) },
  'POST /api/coupons': {
    body: ({ plan_id, metric_id }, mark) => {
      const applies_to = { plan_ids: [plan_id], metric_ids: [metric_id] };
      return { name: mark, percent_off: 5, duration: 'once', applies_to };
    },
  },
  'POST /api/subscriptions/{subscription_id}/discounts': { body: ({ coupon_id }) => ({ coupon_id }) },
  'POST /api/credits': { body: ({ customer_id }) => ({ customer_id, amount: 1 }) },
  'POST /api/refunds': { body: ({ invoice_id }) => ({ invoice_id, amount: 1 }) },
  'POST /api/test-clocks/{test_clock_id}/advance': { body: () => ({ frozen_time: '2027-01-01T00:00:00Z' }) },
};

function phasesOf(plan_id: string | undefined, metric_id: string | undefined): object[] {
  return [{ start_date: '2999-01-01', plan_id, overrides: overridesOf(metric_id) }];
}

function overridesOf(metric_id: string | undefined): object {
  return { components: [{ metric_id, overage_price: 0.02 }] };
}

function planOf(ids: Ids, mark: string): object {
  const terms = { recurring_fee: 29, billing_period: 'monthly', charge_timing: 'in_advance', metadata: { mark } };
  return { name: mark, ...terms, ...planPartsOf(ids, mark) };
}

function planPartsOf({ metric_id }: Ids, mark: string): object {
  return {
    components: [{ metric_id, overage_price: 0.01 }],
    features: [{ name: `feature ${mark}`, included: true, limit: 100, metric_id }],
  };
}

async function make(api: Api, path: string, body: object, id: string): Promise<string> {
  const answer = await api.post(path, body);
  expect(answer.status, answer.text).toBe(201);
  return String(answer.body[id]);
}

function firstOf(list: Json | undefined, id: string): string {
  return String(itemsOf(list)[0]?.[id]);
}

async function firstListed(api: Api, path: string, id: string): Promise<string> {
  const { body } = await waitUntil(
    () => api.get(path),
    (answer) => Number(answer.body.count) > 0,
  );
  return firstOf(body.results, id);
}
