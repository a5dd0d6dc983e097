import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { createRollUp } from '../../aggregator/roll-up.ts';
import type { StackFile } from '../../local/stack-file.ts';
import { BookRollUp } from '../../services/usage/roll-up-price-books.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';
import { type Api, api as apiOf, itemsOf } from '../../test/stack/api.ts';
import { median, percentile, rounded } from '../figures.ts';
import { made } from '../many-subscriptions.ts';
import { pidOf, residentMb } from '../process-usage.ts';

const CUSTOMER = 'huge';
const EVENT = 'tokens';
const DAY_MS = 86_400_000;
/** Of models and kinds; every other model has two rows. */
const [MODELS, KINDS, ROWS] = [500, 4, 500];
/** Above what the API has sent for other customers. */
const FIRST_POSITION = 1_024;
const ROWS_PER_FILL = 500_000;
const WARM_UP = 2;
/** Event by event one takes ten times as long. */
const ROUNDS = { events: 11, rollups: 41 };
/** The API looks for what is counted beforehand at a question, when it has last looked so long ago; a round finds it. */
const UNTIL_API_KNOWS_MS = 16_000;

/**
 * The draft of a customer with so many events, whose price book has 500 rows and finds 2,000 combinations, over hand-written SQL that groups the
 * same events, in turn: first event by event, then with what is counted beforehand. And what the worker's memory grows by when it closes that period.
 */
export async function measurePriceBook(file: StackFile, postgres: Pool, events: number) {
  const api = apiOf(file.api_key, file.base_url);
  const clickhouse = createClickHouse(file.clickhouse_url);
  try {
    const start = Math.floor(Date.now() / DAY_MS) * DAY_MS - 29 * DAY_MS;
    await subscribe(api, new Date(start).toISOString().slice(0, 10));
    await fill(clickhouse, file.account_id, { events, start });
    const byHand = () => groupedByHand(clickhouse, file.account_id, start);
    const raw = await compare(file, byHand, 'events');
    await rollUp(clickhouse, postgres, events);
    await sleep(UNTIL_API_KNOWS_MS);
    const rolled = await compare(file, byHand, 'rollups');
    const more = await closed(file, api);
    return [raw, { ...rolled, 'worker MB more': more }].map((row) => ({ events, rows: ROWS, ...row }));
  } finally {
    await clickhouse.close();
  }
}

/** The draft and the SQL by hand in turn; both find the same combinations. */
async function compare(file: StackFile, byHand: () => Promise<number>, read: keyof typeof ROUNDS) {
  const byApi = () => draftOf(file);
  const [draft, groups] = [await byApi(), await byHand()];
  if (draft.lines !== MODELS * KINDS || groups !== MODELS * KINDS) {
    throw new Error(`${draft.lines} lines of ${groups} combinations`);
  }
  const times: { api: number[]; hand: number[] } = { api: [], hand: [] };
  for (let round = -WARM_UP; round < ROUNDS[read]; round++) {
    const [hand, own] = [await msOf(byHand), await msOf(byApi).catch(ofRefusal)];
    if (round < 0 || own === null) continue;
    times.hand.push(hand);
    times.api.push(own);
  }
  return {
    ...{ combinations: groups, read },
    ...{ 'SQL ms': rounded(median(times.hand)), 'draft p50 ms': rounded(median(times.api)) },
    'draft p99 ms': rounded(percentile(times.api, 99)),
    ratio: rounded(median(times.api.map((ms, i) => ms / (times.hand[i] ?? Number.NaN)))),
  };
}

/** As the aggregator does it, then the worker. */
async function rollUp(clickhouse: ClickHouseClient, postgres: Pool, events: number): Promise<void> {
  const landed = BigInt(events + FIRST_POSITION);
  const spans = createRollUp({ clickhouse, progress: { landedPosition: async () => landed } });
  while ((await spans.runOnce()) === 'more');
  const lag = async () => ({ messages: 0, seconds: 0 });
  const priceBooks = new BookRollUp({ postgres, clickhouse, progress: { lag } });
  while ((await priceBooks.rollUpOnce()) === 'more');
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

/** One after another in the period so far, as they come; each of any combination. */
async function fill(
  clickhouse: ClickHouseClient,
  account: string,
  { events, start }: { events: number; start: number },
) {
  const so_far = Date.now() - start - 60_000;
  for (let at = 0; at < events; at += ROWS_PER_FILL) {
    await clickhouse.command({
      query: `INSERT INTO usage_events SELECT {account:String}, '${CUSTOMER}', '${EVENT}',
          fromUnixTimestamp64Milli({start:Int64} + toInt64(number * {so_far:UInt64} / {events:UInt64}), 'UTC'),
          'id-' || toString(number),
          map('tokens', toDecimal128(number % 1000, 18)),
          map('model', 'model-' || toString(intDiv(sipHash64(number), ${KINDS}) % ${MODELS}), 'kind', 'kind-' || toString(sipHash64(number) % ${KINDS})),
          map(), reinterpret(MD5(toString(number)), 'UInt128'), number + ${FIRST_POSITION}, 1, now64(3)
        FROM numbers({at:UInt64}, {count:UInt64})`,
      query_params: { account, start, so_far, events, at, count: Math.min(ROWS_PER_FILL, events - at) },
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
