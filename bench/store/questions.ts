import { Agent, get as httpGet } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ClickHouseClient } from '@clickhouse/client';
import type { StackFile } from '../../local/stack-file.ts';
import { api } from '../../test/stack/api.ts';

export const EVENT = 'api_call';
/** The month that is asked for. */
export const [START, END] = ['2026-11-01', '2026-12-01'];

/** Sizes of customers: their ids. */
export type Size = 'small' | 'middling' | 'huge';
export type Question = { aggregation: string; property: string | null; sql: string; isCountedBeforehand: boolean };

/** Written by hand: as short as who knows the table would ask. */
export const QUESTIONS: Question[] = [
  // The index alone tells it, by hand too: no rollup is sooner there.
  { aggregation: 'count', property: null, sql: 'count()', isCountedBeforehand: false },
  { aggregation: 'sum', property: 'bytes', sql: `sum(numbers['bytes'])`, isCountedBeforehand: true },
  { aggregation: 'max', property: 'bytes', sql: `max(numbers['bytes'])`, isCountedBeforehand: true },
  { aggregation: 'unique', property: 'user', sql: `uniqExact(strings['user'])`, isCountedBeforehand: true },
];

/** Makes the customers and a metric of each question; answers the metrics' ids by aggregation. */
export async function prepareMetrics(
  { base_url, api_key }: StackFile,
  customers: readonly string[],
): Promise<Map<string, string>> {
  const { post } = api(api_key, base_url);
  for (const customer_id of customers)
    await post('/api/customers/', { customer_id, email: `${customer_id}@example.com` });
  const metrics = new Map<string, string>();
  for (const { aggregation, property } of QUESTIONS) {
    const body = { metric_name: aggregation, aggregation_type: aggregation, event_name: EVENT };
    const { body: metric } = await post('/api/metrics', { ...body, ...(property && { property_name: property }) });
    metrics.set(aggregation, String(metric.metric_id));
  }
  return metrics;
}

export type Asked = { customer: Size; count: number; question: Question; metricId: string };

/** How often a question is asked, each way; `warmUp` times before it counts. */
export type Rounds = { warmUp: number; counted: number };

/**
 * Milliseconds of each round through the API and by hand-written SQL on the same table, in turn, both over `node:http` and connections that are
 * kept; by hand through ClickHouse's own client, which waits for a timer before each request (docs/decisions/clickhouse-client.md).
 * @throws where their answers differ, or are not of `count` events.
 */
export async function timesOf(
  stack: StackFile,
  clickhouse: ClickHouseClient,
  asked: Asked,
  rounds: Rounds,
): Promise<{ api: number[]; hand: number[] }> {
  const { customer, question, count } = asked;
  const path = `${stack.base_url}/api/metrics/${asked.metricId}/usage?customer_id=${customer}&start=${START}&end=${END}`;
  const byApi = async () => {
    const { status, body } = await get(path, { 'X-API-KEY': stack.api_key });
    if (status !== 200) throw new Error(body);
    return body;
  };
  const byHand = async () => {
    const answer = await clickhouse.query({
      query: `SELECT toString(${question.sql}) AS value, count() AS events FROM usage_events
              WHERE account_id = '${stack.account_id}' AND customer_id = '${customer}' AND event_name = '${EVENT}'
                AND time_created >= '${START}' AND time_created < '${END}'`,
      format: 'JSONEachRow',
    });
    return (await answer.json<{ value: string; events: string }>())[0];
  };
  const [said, wanted] = [await byApi(), await byHand()];
  if (!said.includes(`"value":${wanted?.value},`) || wanted?.events !== String(count)) {
    throw new Error(`${question.aggregation} of ${customer}: ${said}, by hand ${JSON.stringify(wanted)}`);
  }
  for (let round = 0; round < rounds.warmUp; round++) {
    await byHand();
    await byApi();
  }
  const times: { api: number[]; hand: number[] } = { api: [], hand: [] };
  for (let round = 0; round < rounds.counted; round++) {
    times.hand.push(await msOf(byHand));
    times.api.push(await msOf(byApi));
  }
  return times;
}

const agent = new Agent({ keepAlive: true });

/** Ends the connections that were kept, without which the process would stay. */
export function endQuestions() {
  agent.destroy();
}

function get(url: string, headers: Record<string, string>): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpGet(url, { agent, headers }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode, body }), reject);
    });
    sent.on('error', reject);
  });
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
