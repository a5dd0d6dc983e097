import type { ApiCaller } from '../../../cli/demo/api-caller.ts';
import { isoFromInstant } from '../../../core/instants.ts';

/** What the pictures are of: the ids of one record of each kind. */
export type Shown = Record<'customer' | 'invoice' | 'line' | 'event' | 'plan' | 'portal' | 'book' | 'phased', string>;

type Json = Record<string, unknown>;
type List = { results: Json[] };

const DAY_MS = 86_400_000;
/** How long before today the first of the customers subscribes, and how long after each other they do. */
const FIRST_DAY = 75;
const DAYS_APART = 4;
const CUSTOMERS = [
  ['hooli', 'Hooli'],
  ['initech', 'Initech'],
  ['umbrella', 'Umbrella Health'],
  ['stark', 'Stark Energy'],
  ['wayne', 'Wayne Logistics'],
  ['acme', 'Acme Robotics'],
  ['globex', 'Globex'],
  ['wonka', 'Wonka Foods'],
  ['tyrell', 'Tyrell Vision'],
  ['cyberdyne', 'Cyberdyne Labs'],
] as const;
/** Whose pages are shown. */
const SHOWN = 'acme';
/** Days on which a customer's usage arrives, from its first on. */
const USED_DAYS = 60;
const SENT_AT_ONCE = 32;

/** Makes the records of a small business that has been running for some weeks, up to `now`. */
export async function makeBusiness(api: ApiCaller, now: number): Promise<Shown> {
  const today = now - (now % DAY_MS);
  const first = today - FIRST_DAY * DAY_MS;
  await api('POST', '/api/webhooks', { webhook_url: 'https://hooks.northwind.invalid/meterbook', name: 'Billing' });
  const { test_clock_id } = await api<Json>('POST', '/api/test-clocks', { frozen_time: isoFromInstant(first) });
  const plans = await makePlans(api);
  for (const [index, [customer_id, customer_name]] of CUSTOMERS.entries()) {
    const email = `billing@${customer_id}.example`;
    await api('POST', '/api/customers/', { customer_id, customer_name, email, test_clock_id, tax_rate: 20 });
    const start = first + index * DAYS_APART * DAY_MS;
    const subscription = { customer_id, plan_id: plans[index % plans.length], start_date: dateOf(start) };
    await api('POST', '/api/subscriptions', subscription);
  }
  await api('POST', '/api/credits', { customer_id: SHOWN, amount: 25, description: 'Welcome' });
  await sendUsage(api, first, today);
  await advance(api, String(test_clock_id), today);
  await payMost(api);
  const deal = await makeDeal(api, today);
  const shown = await pickShown(api, String(plans[CUSTOMERS.findIndex(([id]) => id === SHOWN) % plans.length]));
  return { ...shown, ...deal };
}

async function makePlans(api: ApiCaller): Promise<string[]> {
  const metric = async (body: Json) => (await api<Json>('POST', '/api/metrics', body)).metric_id;
  const calls = await metric({ metric_name: 'API calls', aggregation_type: 'count', event_name: 'api_call' });
  const tokens = { metric_name: 'Tokens', aggregation_type: 'sum', event_name: 'api_call', property_name: 'tokens' };
  const tokensId = await metric(tokens);
  const tiers = [
    { up_to: 50_000, unit_price: 0.0004 },
    { up_to: 200_000, unit_price: 0.0003 },
    { up_to: null, unit_price: 0.0002 },
  ];
  const perCall = { metric_id: calls, free_tier: 100, overage_price: 0.05 };
  const perToken = { metric_id: tokensId, pricing_model: 'tiered', tiers };
  const exports = { name: 'exports', included: true, limit: 100, metric_id: calls };
  const terms = { billing_period: 'monthly', features: [{ name: 'sso', included: true }, exports] };
  const plan = async (name: string, recurring_fee: number, components: Json[]) => {
    const made = await api<Json>('POST', '/api/plans', { name, recurring_fee, ...terms, components });
    return String(made.plan_id);
  };
  return [await plan('Starter', 29, [perCall]), await plan('Team', 99, [perCall, perToken])];
}

const MODELS = ['nova-1', 'nova-2', 'nova-mini', 'lyra-1', 'lyra-2', 'lyra-xl', 'atlas-7b', 'atlas-70b'];

/** A vendor's deal of three years, priced by model and kind of token; the price of one falls halfway through. */
async function makeDeal(api: ApiCaller, today: number): Promise<Pick<Shown, 'book' | 'phased'>> {
  const metric = {
    metric_name: 'Model tokens',
    aggregation_type: 'sum',
    event_name: 'completion',
    property_name: 'tokens',
  };
  const { metric_id } = await api<Json>('POST', '/api/metrics', metric);
  const priceOf = (n: number, kind: string) => ((n + 1) * (kind === 'input' ? 1 : 4)) / 1_000_000;
  const prices: Json[] = MODELS.flatMap((model, n) =>
    ['input', 'output'].map((kind) => ({ when: { model, kind }, overage_price: priceOf(n, kind) })),
  );
  const from = dateOf(today - (FIRST_DAY / 2) * DAY_MS);
  prices.splice(1, 0, { when: { model: 'nova-1', kind: 'input' }, from, overage_price: 0.0000007 });
  const components = [{ metric_id, group_by: ['model', 'kind'], prices, minimum_amount: 40 }];
  const terms = {
    name: 'AI Scale',
    recurring_fee: 100,
    billing_period: 'monthly',
    billing_calendar: 'anniversary',
    components,
  };
  const { plan_id } = await api<Json>('POST', '/api/plans', terms);
  await api('POST', '/api/customers/', {
    customer_id: 'soylent',
    customer_name: 'Soylent Labs',
    email: 'billing@soylent.example',
  });
  const year = (n: number) => dateOf(today + n * 365 * DAY_MS);
  const phases = [
    { start_date: year(1), overrides: { recurring_fee: 90, components: [{ metric_id, minimum_amount: 400 }] } },
    { start_date: year(2), overrides: { recurring_fee: 80, components: [{ metric_id, minimum_amount: 900 }] } },
    { start_date: year(3) },
  ];
  const deal = { customer_id: 'soylent', plan_id, start_date: dateOf(today), phases };
  const { subscription_id } = await api<Json>('POST', '/api/subscriptions', deal);
  return { book: String(plan_id), phased: String(subscription_id) };
}

/** Each customer uses something every day, on working days more, and more as time goes by. */
async function sendUsage(api: ApiCaller, first: number, today: number): Promise<void> {
  const events = CUSTOMERS.flatMap(([customer_id], index) => {
    const start = first + index * DAYS_APART * DAY_MS;
    const days = Array.from({ length: USED_DAYS }, (_, day) => start + day * DAY_MS).filter((at) => at < today);
    return days.flatMap((at, day) => eventsOfDay(customer_id, at, 1 + (index % 3) + Math.floor(day / 12)));
  });
  const sending = events.values();
  const sender = async () => {
    for (const event of sending) await api('POST', '/api/track', event);
  };
  await Promise.all(Array.from({ length: SENT_AT_ONCE }, sender));
  await api('POST', '/api/verify-events', { idempotency_ids: ['any'] });
}

function eventsOfDay(customer_id: string, at: number, busy: number): Json[] {
  const isWeekend = new Date(at).getUTCDay() % 6 === 0;
  const count = isWeekend ? 1 : 2 + busy;
  return Array.from({ length: count }, (_, n) => ({
    idempotency_id: `${customer_id}-${dateOf(at)}-${n}`,
    event_name: 'api_call',
    customer_id,
    time_created: isoFromInstant(at + (8 + n) * 3_600_000),
    properties: { model: n % 2 === 0 ? 'large' : 'small', tokens: 400 + ((n * 37 + busy * 113) % 900) },
  }));
}

async function advance(api: ApiCaller, clock: string, to: number): Promise<void> {
  await api('POST', `/api/test-clocks/${clock}/advance`, { frozen_time: isoFromInstant(to) });
  for (;;) {
    const { status } = await api<Json>('GET', `/api/test-clocks/${clock}`);
    if (status !== 'advancing') return;
  }
}

/** All but every third invoice has been paid. */
async function payMost(api: ApiCaller): Promise<void> {
  const { results } = await api<List>('GET', '/api/invoices?page_size=200');
  const paid = results.filter((_, index) => index % 3 !== 0);
  for (const { invoice_id } of paid) await api('POST', `/api/invoices/${invoice_id}/mark_paid`, { reference: 'SEPA' });
}

async function pickShown(api: ApiCaller, plan: string): Promise<Omit<Shown, 'book' | 'phased'>> {
  const invoices = await api<List>('GET', `/api/invoices?customer_id=${SHOWN}`);
  const [invoice = {}] = invoices.results;
  const usage = (invoice.lines as Json[]).filter(({ type }) => type === 'usage');
  const events = await api<List>('GET', `/api/events?customer_id=${SHOWN}&page_size=1`);
  const link = await api<Json>('POST', `/api/customers/${SHOWN}/portal_link`, {});
  return {
    ...{ customer: SHOWN, plan, invoice: String(invoice.invoice_number), line: String(usage.at(-1)?.line_id) },
    ...{ event: String(events.results[0]?.idempotency_id), portal: new URL(String(link.url)).pathname },
  };
}

function dateOf(at: number): string {
  return isoFromInstant(at).slice(0, 10);
}
