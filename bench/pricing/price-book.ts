import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import type { StackFile } from '../../local/stack-file.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { type Api, api as apiOf, itemsOf } from '../../test/stack/api.ts';
import { median, percentile, rounded } from '../figures.ts';
import { made } from '../many-subscriptions.ts';
import { pidOf, residentMb } from '../process-usage.ts';

const CUSTOMER = 'huge';
const EVENT = 'tokens';
const DAY_MS = 86_400_000;
/** Of models and kinds; every other model has two rows. */
const [MODELS, KINDS, ROWS] = [500, 4, 500];
const ROWS_PER_FILL = 500_000;
const [WARM_UP, ROUNDS] = [2, 11];

/**
 * The draft of a customer with so many events, whose price book has 500 rows and finds 2,000 combinations, over hand-written SQL that groups the
 * same events, in turn; and what the worker's memory grows by when it closes that period.
 */
export async function measurePriceBook(file: StackFile, events: number) {
  const api = apiOf(file.api_key, file.base_url);
  const clickhouse = createClickHouse(file.clickhouse_url);
  try {
    const start = Math.floor(Date.now() / DAY_MS) * DAY_MS - 29 * DAY_MS;
    await subscribe(api, new Date(start).toISOString().slice(0, 10));
    await fill(clickhouse, file.account_id, { events, start });
    const byApi = () => draftOf(file);
    const byHand = () => groupedByHand(clickhouse, file.account_id, start);
    const [draft, groups] = [await byApi(), await byHand()];
    if (draft.lines !== MODELS * KINDS || groups !== MODELS * KINDS) {
      throw new Error(`${draft.lines} lines of ${groups} combinations`);
    }
    const times: { api: number[]; hand: number[] } = { api: [], hand: [] };
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const [hand, own] = [await msOf(byHand), await msOf(byApi).catch(ofRefusal)];
      if (round < 0 || own === null) continue;
      times.hand.push(hand);
      times.api.push(own);
    }
    return {
      ...{ events, rows: ROWS, combinations: groups },
      ...{ 'SQL ms': rounded(median(times.hand)), 'draft p50 ms': rounded(median(times.api)) },
      'draft p99 ms': rounded(percentile(times.api, 99)),
      ratio: rounded(median(times.api.map((ms, i) => ms / (times.hand[i] ?? Number.NaN)))),
      'worker MB more': await closed(file, api),
    };
  } finally {
    await clickhouse.close();
  }
}

async function subscribe(api: Api, start_date: string): Promise<void> {
  await made(api, '/api/customers/', { customer_id: CUSTOMER, email: 'bench@meterbook.example' });
  const of = { metric_name: 'Tokens', aggregation_type: 'sum', event_name: EVENT, property_name: 'tokens' };
  const { metric_id } = await made(api, '/api/metrics', of);
  const price = (i: number) => ({ overage_price: (i + 1) / 1_000_000 });
  const prices = Array.from({ length: ROWS }, (_, i) => ({ when: { model: `model-${i}` }, ...price(i) }));
  const components = [{ metric_id, group_by: ['model', 'kind'], prices }];
  const plan = { name: 'AI', recurring_fee: 29, billing_period: 'monthly', components };
  const { plan_id } = await made(api, '/api/plans', plan);
  await made(api, '/api/subscriptions', { customer_id: CUSTOMER, plan_id, start_date });
}

/** Times all over the period so far. */
async function fill(
  clickhouse: ClickHouseClient,
  account: string,
  { events, start }: { events: number; start: number },
) {
  const so_far = Date.now() - start - 60_000;
  for (let at = 0; at < events; at += ROWS_PER_FILL) {
    await clickhouse.command({
      query: `INSERT INTO usage_events SELECT {account:String}, '${CUSTOMER}', '${EVENT}',
          fromUnixTimestamp64Milli({start:Int64} + toInt64(sipHash64(number) % {so_far:UInt64}), 'UTC'),
          'id-' || toString(number),
          map('tokens', toDecimal128(number % 1000, 18)),
          map('model', 'model-' || toString(intDiv(number, ${KINDS}) % ${MODELS}), 'kind', 'kind-' || toString(number % ${KINDS})),
          map(), reinterpret(MD5(toString(number)), 'UInt128'), number + 1024, 1, now64(3)
        FROM numbers({at:UInt64}, {count:UInt64})`,
      query_params: { account, start, so_far, at, count: Math.min(ROWS_PER_FILL, events - at) },
    });
  }
  // Else they go on beside the first questions.
  await clickhouse.command({ query: 'OPTIMIZE TABLE usage_events FINAL' });
}

/** As short as who knows the table would ask. */
async function groupedByHand(clickhouse: ClickHouseClient, account: string, start: number): Promise<number> {
  const answer = await clickhouse.query({
    query: `SELECT strings['model'] AS model, strings['kind'] AS kind, toString(sum(numbers['tokens'])) AS value, count() AS events
            FROM usage_events
            WHERE account_id = {account:String} AND customer_id = '${CUSTOMER}' AND event_name = '${EVENT}'
              AND time_created >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND time_created < now()
            GROUP BY model, kind`,
    query_params: { account, start },
    format: 'JSONEachRow',
  });
  return (await answer.json()).length;
}

async function draftOf({ base_url, api_key }: StackFile): Promise<{ lines: number }> {
  const url = new URL(`/api/customers/${CUSTOMER}/draft_invoice/`, base_url);
  const answer = await fetch(url, { headers: { 'X-API-KEY': api_key } });
  const text = await answer.text();
  if (answer.status !== 200) throw new Refused(text);
  // Each line is in the whole and in its invoice; the fee is in arrears.
  return { lines: text.split('"type":"usage"').length / 2 - 0.5 };
}

/** What the worker has more of memory at most until it has closed the period by a cancel. */
async function closed(file: StackFile, api: Api): Promise<number> {
  const { body } = await api.get(`/api/subscriptions?customer_id=${CUSTOMER}`);
  const [subscription] = itemsOf(body.results);
  const path = `/api/subscriptions/${subscription?.subscription_id}`;
  const worker = pidOf(file, 'worker');
  const before = residentMb(worker);
  let most = before;
  // Its answer may come before it is done.
  await api.post(`${path}/cancel`, { invoicing_behavior: 'invoice_now' });
  for (let isDone = false; !isDone; await sleep(100)) {
    isDone = String((await api.get(path)).body.status) === 'canceled';
    most = Math.max(most, residentMb(worker));
  }
  return most - before;
}

/** What a full machine makes the API say, which is no time. */
class Refused extends Error {}

function ofRefusal(error: unknown): null {
  if (!(error instanceof Refused)) throw error;
  console.error(error.message);
  return null;
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
