import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount } from '../stack/accounts.ts';
import { type Answer, type Api, itemsOf, stack } from '../stack/api.ts';
import { clockAtRest, makeClock, makeCustomer, subscribe } from '../stack/clocks.ts';
import { landed, makeMetric, track } from '../stack/resources.ts';
import { GUIDE_PAGES, type GuideRequest, requestsOf, shellCallsOf, tablesOf } from './guide-blocks.ts';

/** What the pages of docs/guide say to send is sent, and answered as they say. */

/** An account as a reader has one who has come to a page: a metric, and a customer whose clock is at 2027-01-15. */
async function readersAccount(): Promise<{ api: Api; known: Map<string, string> }> {
  const { api } = await newAccount();
  const clock = await makeClock(api, '2027-01-15T00:00:00Z');
  await makeCustomer(api, 'acme', { test_clock_id: clock });
  const { metric_id } = await makeMetric(api, { aggregation_type: 'sum', event_name: 'used', property_name: 'units' });
  return {
    api,
    known: new Map([
      ['test_clock_id', clock],
      ['metric_id', String(metric_id)],
    ]),
  };
}

/** Sends a request; `<plan_id>` in it is the id that an answer before it had. */
async function send(api: Api, known: Map<string, string>, { request }: GuideRequest): Promise<Answer> {
  const filled = request.replaceAll(/<(\w+)>/g, (whole, name: string) => known.get(name) ?? whole);
  const [first = '', ...rest] = filled.split('\n');
  const [method = '', path = ''] = first.split(' ');
  const text = rest.join('\n').trim();
  const body = text === '' ? undefined : JSON.parse(text);
  const call = { GET: api.get, POST: api.post, PATCH: api.patch, DELETE: api.delete }[method];
  const answer = await call?.(path, body);
  if (!answer) throw new Error(`${method} is no method.`);
  for (const [name, value] of Object.entries(answer.body)) {
    if (name.endsWith('_id') && value !== null) known.set(name, String(value));
  }
  return answer;
}

// Pages wait for what lands and for their clocks, side by side.
test.concurrent.each(GUIDE_PAGES.filter((page) => requestsOf(page).length > 0))(
  '%s: each request is answered as the page says',
  async (page) => {
    const { api, known } = await readersAccount();
    for (const request of requestsOf(page)) {
      const answer = await send(api, known, request);
      const [, status] = /\b(\d{3})$/.exec(request.under) ?? [];
      const expected = status ? Number(status) : expect.toBeOneOf([200, 201, 204]);
      expect([request.request, answer.status, answer.text]).toEqual([request.request, expected, answer.text]);
      if (request.answer) expect(answer.body, request.request).toMatchObject(request.answer);
      if (/\/advance\n/.test(request.request)) await clockAtRest(api, known.get('test_clock_id') ?? '');
      if (/\/api\/(track|events\/batch|v1\/)/.test(request.request)) await landed(api);
    }
  },
);

test.concurrent.each(GUIDE_PAGES.filter((page) => shellCallsOf(page).length > 0))(
  '%s: each call of the shell is answered as the page says',
  async (page) => {
    const { key } = await newAccount();
    const env = { PATH: process.env.PATH, URL: stack().base_url, KEY: key };
    for (const { script, answer } of shellCallsOf(page)) {
      const { stdout } = await promisify(execFile)('bash', ['-euc', script], { env });
      expect([script, JSON.parse(stdout)]).toEqual([script, answer]);
    }
  },
);

/** The columns of the tables of pricing-models, and the lines whose amounts they have. */
const COLUMNS: Record<string, string> = {
  fee: 'recurring_fee',
  prepaid: 'prepaid_units',
  usage: 'usage',
  'true-up': 'true_up',
};

describe('pricing-models', () => {
  let api: Api;
  let known: Map<string, string>;
  beforeAll(async () => ({ api, known } = await readersAccount()));

  const requests = requestsOf('pricing-models').filter(({ request }) => request.startsWith('POST /api/plans/preview'));
  const worked = tablesOf('pricing-models').flatMap(({ under, rows }) => rows.map((row) => ({ under, row })));

  test('each model has its request, and all but the flat one a table', () => {
    const models = requests.map(({ under }) => under);
    expect(new Set(models).size).toBe(models.length);
    expect([...new Set(worked.map(({ under }) => under)), 'Flat'].toSorted()).toEqual(models.toSorted());
    const bodies = requests.map(({ request }) => request).join();
    for (const part of [
      'recurring_fee',
      'overage_price',
      'free_tier',
      '"tiered"',
      'flat_fee',
      '"volume"',
      '"package"',
      'prepaid_units',
      'rounding',
      'minimum_amount',
      'maximum_amount',
      'group_by',
    ])
      expect(bodies).toContain(part);
  });

  test.each(worked)('$under: $row', async ({ under, row }) => {
    const { quantity = '' } = row;
    const { request = '' } = requests.find((one) => one.under === under) ?? {};
    const asked = request.replace(/("quantities": \{ "<metric_id>": |"quantity": )[\d.]+/, `$1${quantity}`);
    expect(asked).toContain(`": ${quantity} }`);
    const answer = await send(api, known, { under, request: asked, answer: undefined });
    for (const [column, amount] of amountsIn(row))
      expect([column, billed(answer, column), answer.text]).toEqual([column, Number(amount), answer.text]);
  });

  test('who has the plan of a model is billed so', async () => {
    // All of them together: each waits for its subscription.
    const customers = await Promise.all(requests.map(subscriberOf));
    await landed(api);
    const drafts = await Promise.all(
      customers.map((customerId) => api.get(`/api/customers/${encodeURIComponent(customerId)}/draft_invoice`)),
    );
    for (const [i, { under, request }] of requests.entries()) {
      const draft = drafts[i] as Answer;
      const quantity = quantityOf(request);
      const shown = worked.find((one) => one.under === under && one.row.quantity === quantity)?.row ?? { fee: '29' };
      for (const [column, amount] of amountsIn(shown))
        expect
          .soft([under, column, billed(draft, column), draft.text])
          .toEqual([under, column, Number(amount), draft.text]);
    }
  });

  /** A customer who has the plan that the request tries, and has used what it says. */
  async function subscriberOf({ under, request }: GuideRequest): Promise<string> {
    const made = request
      .replace('/preview', '')
      .replace(/,\s*"(quantities": \{[^}]*\}|at": "[^"]*"|usage": .*\])/g, '');
    const { plan_id } = (await send(api, new Map(known), { under, request: made, answer: undefined })).body;
    const customer_id = await makeCustomer(api, under, { test_clock_id: known.get('test_clock_id') });
    await subscribe(api, { customer_id, plan_id });
    const quantity = quantityOf(request);
    const [, properties = '{}'] = /"properties": (\{.*?\})/.exec(request) ?? [];
    const time_created = '2027-01-16T00:00:00Z';
    if (quantity)
      await track(api, {
        customer_id,
        time_created,
        event_name: 'used',
        properties: { ...JSON.parse(properties), units: quantity },
      });
    return customer_id;
  }
});

/** What a request says is used. */
function quantityOf(request: string): string | undefined {
  return /"(?:<metric_id>|quantity)": ([\d.]+)/.exec(request)?.[1];
}

/** The columns of a row that are amounts. */
function amountsIn({
  quantity: _,
  reckoned: __,
  ...amounts
}: Record<string, string>): [column: string, amount: string][] {
  return Object.entries(amounts);
}

/** What an answer bills of what a column has. */
function billed({ exact }: Answer, column: string): number {
  if (column === 'subtotal') return Number(exact.subtotal);
  return Number(itemsOf(exact.lines).find(({ type }) => String(type) === COLUMNS[column])?.amount);
}
