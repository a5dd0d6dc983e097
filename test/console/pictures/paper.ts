import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import type { ApiCaller } from '../../../cli/demo/api-caller.ts';

type Json = Record<string, unknown>;

/** Nobody's: what is asked of it the picture answers. */
const ORIGIN = 'http://paper.invalid';
const PAYER = 'acme';
const CHILDREN = ['child-0', 'child-1', 'child-2'];
const [START, SWITCH_DAY, END] = ['2026-11-01', '2026-11-12', '2026-12-01'];
/** Model, kind, tokens and day of what each of them uses. */
const USED = [
  ['claude-4', 'output', 16_000, '2026-11-10'],
  ['gpt-5', 'input', 240_000, '2026-11-03'],
  ['gpt-5', 'input', 240_000, '2026-11-20'],
  ['gpt-6', 'output', 240_000, '2026-11-15'],
] as const;

/** Bills a customer for itself and for others, by a price book with tiers, a minimum and a discount; the id of the invoice. */
export async function billOnPaper(api: ApiCaller): Promise<string> {
  const at = (day: string) => `${day}T00:00:00Z`;
  const { test_clock_id } = await api<Json>('POST', '/api/test-clocks', { frozen_time: at(START) });
  const plan_id = await makePlan(api);
  const customer = { customer_name: 'Acme Robotics', email: 'billing@acme.example', test_clock_id };
  await api('POST', '/api/customers/', { ...customer, customer_id: PAYER });
  for (const customer_id of CHILDREN) {
    await api('POST', '/api/customers/', { ...customer, customer_name: customer_id, customer_id, billed_to: PAYER });
  }
  for (const customer_id of [PAYER, ...CHILDREN]) await subscribe(api, customer_id, plan_id);
  await api('POST', '/api/verify-events', { idempotency_ids: ['any'] });
  await api('POST', `/api/test-clocks/${test_clock_id}/advance`, { frozen_time: at(END) });
  for (;;) {
    const { status } = await api<Json>('GET', `/api/test-clocks/${test_clock_id}`);
    if (status !== 'advancing') break;
  }
  const { results } = await api<{ results: Json[] }>('GET', `/api/invoices?customer_id=${PAYER}`);
  return String(results[0]?.invoice_id);
}

async function makePlan(api: ApiCaller): Promise<unknown> {
  const { metric_id } = await api<Json>('POST', '/api/metrics', {
    ...{ metric_name: 'Tokens', aggregation_type: 'sum', event_name: 'completion', property_name: 'tokens' },
  });
  const tiers = [
    { up_to: 100_000, unit_price: 0.00003 },
    { up_to: null, unit_price: 0.00002 },
  ];
  const prices = [
    { when: { model: 'claude-4', kind: 'output' }, overage_price: 0.000016 },
    { when: { model: 'gpt-5', kind: 'input' }, overage_price: 0.00001 },
    { when: { model: 'gpt-5', kind: 'input' }, from: SWITCH_DAY, overage_price: 0.000007 },
    { when: { model: 'gpt-6', kind: 'output' }, pricing_model: 'tiered', tiers },
  ];
  const components = [{ metric_id, group_by: ['model', 'kind'], prices, minimum_amount: 40 }];
  const plan = { name: 'AI Scale', recurring_fee: 100, billing_period: 'monthly', components };
  return (await api<Json>('POST', '/api/plans', plan)).plan_id;
}

async function subscribe(api: ApiCaller, customer_id: string, plan_id: unknown): Promise<void> {
  const { subscription_id } = await api<Json>('POST', '/api/subscriptions', {
    ...{ customer_id, plan_id, start_date: START },
  });
  if (customer_id === PAYER) {
    const offer = { name: 'Launch offer', percent_off: 15, duration: 'forever' };
    const { coupon_id } = await api<Json>('POST', '/api/coupons', offer);
    await api('POST', `/api/subscriptions/${subscription_id}/discounts`, { coupon_id });
  }
  for (const [i, [model, kind, tokens, day]] of USED.entries()) {
    await api('POST', '/api/track', {
      ...{
        idempotency_id: `${customer_id}-${i}`,
        event_name: 'completion',
        customer_id,
        time_created: `${day}T12:00:00Z`,
      },
      properties: { model, kind, tokens },
    });
  }
}

/** The first page of a PDF, as a picture at `path`. */
export async function drawPaper(browser: Browser, pdf: Buffer, path: string): Promise<void> {
  const page = await browser.newPage();
  const files: Record<string, { contentType: string; body: string | Buffer }> = {
    '/': { contentType: 'text/html', body: await readFile(join(import.meta.dirname, 'paper.html')) },
    '/pdfjs.mjs': {
      contentType: 'text/javascript',
      body: await readFile(fileURLToPath(import.meta.resolve('unpdf/pdfjs'))),
    },
    '/invoice.pdf': { contentType: 'application/pdf', body: pdf },
  };
  await page.route(`${ORIGIN}/**`, (route) => {
    const file = files[new URL(route.request().url()).pathname];
    return file ? route.fulfill(file) : route.fulfill({ status: 404 });
  });
  await page.goto(ORIGIN);
  await page.getByLabel('Drawn').screenshot({ path });
  await page.close();
}
