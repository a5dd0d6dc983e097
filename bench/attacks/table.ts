import type { Api } from '../../test/stack/api.ts';
import { type Attack, type Attacking, type Flood, type Ground, startFlood } from './flood.ts';
import { hangingWebhooks } from './hanging-webhooks.ts';
import { made } from './making.ts';
import { portalDocuments } from './portal-documents.ts';

const FREE_OF_KEYS = { 'Content-Type': 'application/json' };
const DATE = '2026-01-01T00:00:00Z';

/** The plans that are listed and changed, the price books of each, and their rows: as many as a plan may have. */
const [PLANS, BOOKS, ROWS] = [12, 5, 1_000];
const [CLOCKS, MADE_AT_ONCE] = [500, 8];

/** Every attack by its name. */
export const ATTACKS: Record<string, Attack> = {
  /** Log-ins whose number has thousands of zeros, without a key. */
  'log-in flood': async ({ base }) => {
    const body = `{"api_key":1${'0'.repeat(16_000)}1}`;
    return () => flood({ url: `${base}/console/session`, method: 'POST', headers: FREE_OF_KEYS, body }, 32, 50);
  },
  /** Pages of the largest records there are. */
  'list flood': async (ground) => {
    for (let i = 0; i < PLANS; i++) await makeLargePlan(ground.api, `list-${i}`);
    const url = `${ground.base}/api/plans?page_size=200`;
    return () => flood({ url, method: 'GET', headers: headersOf(ground) }, 32);
  },
  /** Changes of one large record, which wait for each other. */
  'PATCH flood': async (ground) => {
    const plan = await makeLargePlan(ground.api, 'patched');
    const url = `${ground.base}/api/plans/${plan}`;
    return () => flood({ url, method: 'PATCH', headers: headersOf(ground), body: '{"name":"Again"}' }, 60);
  },
  /** All test clocks that an account may have, advanced at once by three years of monthly periods. */
  'test clocks': async (ground) => {
    const clocks = await makeClocks(ground.api);
    const body = JSON.stringify({ frozen_time: '2029-01-01T00:00:00Z' });
    const urls = clocks.map((clock) => `${ground.base}/api/test-clocks/${clock}/advance`);
    const requests = urls.map((url) => ({ url, method: 'POST', headers: headersOf(ground), body }));
    // Once around: further advances of a clock that advances are 409.
    return () => startFlood({ requests, connections: 60, pauseMs: 100 });
  },
  'hanging webhooks': hangingWebhooks,
  'portal PDFs': portalDocuments,
};

function headersOf({ key }: Ground): Record<string, string> {
  return { 'X-API-KEY': key, 'Content-Type': 'application/json' };
}

function flood(request: Flood['requests'][number], connections: number, pauseMs = 0): Attacking {
  return startFlood({ requests: [request], connections, pauseMs });
}

async function makeLargePlan(api: Api, name: string): Promise<string> {
  const components: object[] = [];
  for (let book = 0; book < BOOKS; book++) {
    const event_name = `${name}-${book}`;
    const metric = { metric_name: event_name, aggregation_type: 'sum', event_name, property_name: 'tokens' };
    const { metric_id } = await made(api, '/api/metrics', metric);
    const prices = Array.from({ length: ROWS }, (_, i) => ({ when: { model: `model-${i}` }, overage_price: 1 }));
    components.push({ metric_id, group_by: ['model'], prices });
  }
  const plan = await made(api, '/api/plans', { name, recurring_fee: 1, billing_period: 'monthly', components });
  return String(plan.plan_id);
}

async function makeClocks(api: Api): Promise<string[]> {
  const { plan_id } = await made(api, '/api/plans', { name: 'Fee', recurring_fee: 1, billing_period: 'monthly' });
  const clocks: string[] = [];
  let next = 0;
  const makeOneByOne = async () => {
    for (let i = next++; i < CLOCKS; i = next++) {
      const { test_clock_id } = await made(api, '/api/test-clocks', { frozen_time: DATE });
      const customer = { customer_id: `on-${i}`, email: 'a@b.example', test_clock_id };
      await made(api, '/api/customers/', customer);
      await made(api, '/api/subscriptions', { customer_id: `on-${i}`, plan_id });
      clocks.push(String(test_clock_id));
    }
  };
  await Promise.all(Array.from({ length: MADE_AT_ONCE }, makeOneByOne));
  return clocks;
}
