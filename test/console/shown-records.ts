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
  | 'auditEntry'
  | 'bookPlan'
  | 'bookCustomer'
  | 'phased'
  | 'heldEvent',
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
  const booked = await makeBooked(api, metric_id);
  await landed(api);
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
    ...booked,
  };
}

/** A customer in its trial, with phases to come, whose plan prices by model, and who has used one without a price. */
async function makeBooked(api: Api, metric_id: string) {
  const prices = Array.from({ length: 30 }, (_, n) => ({ when: { model: `gpt-${n}` }, overage_price: n }));
  const later = { when: { model: 'gpt-5' }, from: '2026-01-12', overage_price: 0.07 };
  const currency_options = { eur: { recurring_fee: 27, components: [{ metric_id, prices }] } };
  const components = [{ metric_id, group_by: ['model', 'kind'], prices: [...prices, later], minimum_amount: 1 }];
  const { plan_id } = await makePlan(api, { name: 'Models', components, currency_options });
  const { customer_id } = await makeCustomer(api, { customer_name: 'Globex' });
  const day = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10);
  const overrides = { recurring_fee: 19, components: [{ metric_id, prices: prices.slice(0, 2), minimum_amount: 2 }] };
  const phases = [{ start_date: day(60), overrides }, { start_date: day(90) }];
  const terms = { customer_id, plan_id, trial_days: 14, overrides, phases };
  const { subscription_id } = (await posted(api, '/api/subscriptions', terms)).body;
  const send = (model: string) => {
    const properties = { model, kind: 'input', tokens: 3 };
    return track(api, { customer_id: String(customer_id), time_created: new Date().toISOString(), properties });
  };
  await send('gpt-5');
  const heldEvent = await send(EVIL_NAME);
  const ids = { bookPlan: plan_id, bookCustomer: customer_id, phased: subscription_id, heldEvent };
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, String(id)])) as Record<
    keyof typeof ids,
    string
  >;
}
