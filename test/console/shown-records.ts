import { type Api, itemsOf } from '../stack/api.ts';
import { landed, makeCustomer, makeMetric, makePlan, posted, track } from '../stack/resources.ts';

/** The ids of what the pages are looked at with: one of each record. */
export type ShownRecords = Record<
  | 'customer'
  | 'plan'
  | 'metric'
  | 'addon'
  | 'coupon'
  | 'subscription'
  | 'invoice'
  | 'line'
  | 'credit'
  | 'refund'
  | 'event'
  | 'clock'
  | 'endpoint'
  | 'delivery'
  | 'auditEntry',
  string
>;

/** Names that try to be more than text. */
export const EVIL_NAME = '<img src=x onerror=alert(1)>';
/** More digits than a float has: 20 before the point and 9 behind it. */
export const LONG_NUMBER = '12345678901234567890.123456789';

/** One of each record: a customer who subscribes, pays, is refunded in part and has used more than a float can count. */
export async function makeShownRecords(api: Api): Promise<ShownRecords> {
  const id = async (name: string, path: string, body: object) => String((await posted(api, path, body)).body[name]);
  const metric = await makeMetric(api, { metric_name: 'Tokens', aggregation_type: 'sum', property_name: 'tokens' });
  const metric_id = String(metric.metric_id);
  const plan = await makePlan(api, {
    charge_timing: 'in_advance',
    components: [{ metric_id, free_tier: 1, overage_price: '0.5', prepaid_units: 10 }],
    features: [{ name: 'sso', included: true }],
  });
  const plan_id = String(plan.plan_id);
  const addon = await id('addon_id', '/api/addons', { name: 'Support', kind: 'recurring', price: 5 });
  const coupon = await id('coupon_id', '/api/coupons', { name: 'Launch offer', percent_off: 15, duration: 'forever' });
  const clock = await id('test_clock_id', '/api/test-clocks', { frozen_time: '2026-01-01T00:00:00Z', name: 'Spring' });
  const customer = String((await makeCustomer(api, { customer_name: EVIL_NAME, timezone: 'Asia/Tokyo' })).customer_id);
  const subscription = await id('subscription_id', '/api/subscriptions', { customer_id: customer, plan_id });
  const first = itemsOf((await api.get(`/api/invoices?customer_id=${customer}`)).body.results)[0];
  const invoice = String(first?.invoice_id);
  await posted(api, `/api/invoices/${invoice}/mark_paid`, { reference: 'bank' });
  const refund = await id('refund_id', '/api/refunds', { invoice_id: invoice, amount: 1, method: 'bank_transfer' });
  const credit = await id('credit_id', '/api/credits', { customer_id: customer, amount: '2.5' });
  await posted(api, `/api/subscriptions/${subscription}/addons/attach`, { addon_id: addon });
  await posted(api, `/api/subscriptions/${subscription}/discounts`, { coupon_id: coupon });
  const endpoint = await id('webhook_endpoint_id', '/api/webhooks', { webhook_url: 'https://receiver.example/hooks' });
  await posted(api, `/api/webhooks/${endpoint}/test`);
  const made = await api.get(`/api/audit-log?action=customer.created&customer_id=${customer}`);
  const auditEntry = String(itemsOf(made.body.results)[0]?.audit_id);
  const sent = await api.get(`/api/webhooks/${endpoint}/deliveries`);
  const delivery = String(itemsOf(sent.body.results)[0]?.delivery_id);
  const properties = { tokens: LONG_NUMBER, note: EVIL_NAME };
  const event = await track(api, { customer_id: customer, time_created: new Date().toISOString(), properties });
  await landed(api);
  await makeCustomer(api, { customer_name: 'Globex' });
  const line = String(itemsOf((await api.get(`/api/invoices/${invoice}`)).body.lines)[0]?.line_id);
  return {
    customer,
    plan: plan_id,
    metric: metric_id,
    addon,
    coupon,
    subscription,
    invoice,
    line,
    credit,
    refund,
    event,
    clock,
    endpoint,
    delivery,
    auditEntry,
  };
}
