import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../core/ids.ts';
import { isoFromInstant } from '../../core/instants.ts';
import type { StackFile } from '../../local/stack-file.ts';
import { Meter } from '../../sdk/typescript/source/meter/meter.ts';
import { subscriptionWorkflowId } from '../../workflows/workflow-ids.ts';
import { findStack } from '../stack-address.ts';
import { type ApiCaller, apiCaller } from './api-caller.ts';
import { collectThroughProcessor } from './collect.ts';
import { announce, type InvoiceOnScreen, showInvoice, showProgress, tell } from './screen.ts';
import { type DemoReceiver, startDemoReceiver } from './webhook-receiver.ts';

/** Enough to see the draft grow, few enough to take seconds. */
const EVENTS = 3_000;
/** How often the draft is looked at while events are sent. */
const DRAFTS = 4;

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const PERIOD_END = START + 30 * DAY_MS;

type Business = { customerId: string; clockId: string; subscriptionId: string };
type Draft = InvoiceOnScreen & { as_of: string };
type List<T> = { results: T[] };

/** Plays a month of a small business against the running stack and shows what happened (spec/service#command-line). */
export async function run(): Promise<number> {
  const stack = await findStack();
  const api = apiCaller(stack.base_url, stack.api_key);
  announce('Somebody who wants to know');
  const receiver = await startDemoReceiver(api);
  try {
    const business = await openBusiness(api);
    await sendEvents(api, stack, business);
    await endMonth(api, business);
    const collected = await collectThroughProcessor(api);
    // The month's own invoice was marked as paid.
    if (receiver) await showReceived(receiver, 1 + collected);
    if (stack.temporal_ui_url) showWorkflow(stack.temporal_ui_url, stack.account_id, business);
  } finally {
    await receiver?.stop();
  }
  return 0;
}

async function showReceived(receiver: DemoReceiver, paidInvoices: number): Promise<void> {
  announce('What the webhook receiver was told, each signature verified');
  await receiver.waitFor('invoice.paid', paidInvoices);
  for (const type of receiver.types) tell(type);
}

function showWorkflow(temporalUi: string, accountId: string, { subscriptionId }: Business): void {
  announce("The subscription's workflow, step by step");
  const id = encodeURIComponent(subscriptionWorkflowId({ accountId, subscriptionId }));
  tell(`${temporalUi}/namespaces/default/workflows/${id}`);
}

async function openBusiness(api: ApiCaller): Promise<Business> {
  announce('A customer on a test clock, a metric, a plan, a subscription and a credit');
  const customerId = newId('evt').replace('evt_', 'demo-');
  const clock = await api<{ test_clock_id: string }>('POST', '/api/test-clocks', {
    frozen_time: isoFromInstant(START),
    name: `Demo ${customerId}`,
  });
  await api('POST', '/api/customers/', {
    customer_id: customerId,
    customer_name: 'Acme Maps',
    email: 'billing@acme.test',
    tax_rate: 20,
    test_clock_id: clock.test_clock_id,
  });
  const metric = await api<{ metric_id: string }>('POST', '/api/metrics', {
    metric_name: 'Map tiles',
    aggregation_type: 'sum',
    event_name: 'tiles_served',
    property_name: 'tiles',
  });
  const plan = await api<{ plan_id: string }>('POST', '/api/plans', {
    name: 'Pro',
    recurring_fee: 29,
    billing_period: 'monthly',
    components: [{ metric_id: metric.metric_id, free_tier: 1_000, overage_price: 0.002 }],
  });
  const subscription = await api<{ subscription_id: string }>('POST', '/api/subscriptions', {
    customer_id: customerId,
    plan_id: plan.plan_id,
  });
  await api('POST', '/api/credits', {
    customer_id: customerId,
    amount: 10,
    reason: 'goodwill_credit',
    description: 'Welcome',
  });
  tell(`customer ${customerId}, plan Pro: 29.00 a month, 1,000 tiles free, 0.002 for each more; a credit of 10.00`);
  return { customerId, clockId: clock.test_clock_id, subscriptionId: subscription.subscription_id };
}

/** As an app sends them: by the meter of the SDK, which keeps them in files until they are stored. */
async function sendEvents(api: ApiCaller, { base_url, api_key }: StackFile, { customerId }: Business): Promise<void> {
  announce(`${EVENTS} usage events through the SDK's meter, every twentieth tracked twice`);
  const spoolDir = await mkdtemp(join(tmpdir(), 'meterbook-demo-'));
  const meter = await Meter.open({ baseUrl: base_url, apiKey: api_key, spoolDir });
  const spacing = Math.floor((29 * DAY_MS) / EVENTS);
  const trackOne = (n: number) => {
    const event = {
      event_name: 'tiles_served',
      customer_id: customerId,
      idempotency_id: `${customerId}-${n}`,
      time_created: new Date(START + n * spacing),
      properties: { tiles: 1 + (n % 7), style: n % 2 === 0 ? 'light' : 'dark' },
    };
    for (let times = n % 20 === 0 ? 2 : 1; times > 0; times--) meter.track(event);
  };
  for (let part = 1; part <= DRAFTS; part++) {
    const end = (EVENTS * part) / DRAFTS;
    for (let n = end - EVENTS / DRAFTS; n < end; n++) trackOne(n);
    await meter.flush();
    showProgress(end, EVENTS, 'stored');
    await sleep(1_000); // a tracked event shows within a second (spec/access#freshness)
    const draft = await api<Draft>('GET', `/api/customers/${customerId}/draft_invoice/`);
    if (part < DRAFTS) tell(`draft invoice after ${end} events: total ${draft.total}, due ${draft.amount_due}`);
    else showInvoice('The draft invoice', draft);
  }
  await meter.close();
  await rm(spoolDir, { recursive: true });
}

async function endMonth(api: ApiCaller, { customerId, clockId, subscriptionId }: Business): Promise<void> {
  announce('The test clock goes past the end of the period');
  await advanceClock(api, clockId, PERIOD_END + 3_600_000);
  const { results: invoices } = await api<List<InvoiceOnScreen>>('GET', `/api/invoices?customer_id=${customerId}`);
  const [issued] = invoices;
  if (!issued || invoices.length !== 1) throw new Error(`expected one invoice, found ${invoices.length}`);
  showInvoice(`Invoice ${issued.invoice_number}`, issued);

  type Credit = { amount: number; amount_remaining: number; status: string };
  const { results: credits } = await api<List<Credit>>('GET', `/api/credits?customer_id=${customerId}`);
  for (const credit of credits) tell(`Credit of ${credit.amount}: ${credit.amount_remaining} left, ${credit.status}`);

  announce('The next period, and the payment');
  type Subscription = { status: string; current_period_start: string; current_period_end: string };
  const subscription = await api<Subscription>('GET', `/api/subscriptions/${subscriptionId}`);
  tell(`${subscription.status}: ${subscription.current_period_start} to ${subscription.current_period_end}`);
  const paid = await api<InvoiceOnScreen>('POST', `/api/invoices/${issued.invoice_id}/mark_paid`, {
    reference: 'demo',
  });
  tell(`Invoice ${paid.invoice_number} is ${paid.status}, ${paid.amount_due} due`);
}

async function advanceClock(api: ApiCaller, clockId: string, goal: number): Promise<void> {
  type Clock = { status: string; frozen_time: string };
  await api('POST', `/api/test-clocks/${clockId}/advance`, { frozen_time: isoFromInstant(goal) });
  for (;;) {
    const clock = await api<Clock>('GET', `/api/test-clocks/${clockId}`);
    tell(`clock at ${clock.frozen_time}, ${clock.status}`);
    if (clock.status === 'ready') return;
    if (clock.status === 'failed') throw new Error('the test clock failed; the Temporal UI shows why');
    await sleep(500);
  }
}
