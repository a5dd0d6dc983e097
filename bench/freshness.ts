import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import type { StackFile } from '../local/stack-file.ts';
import { createClickHouse } from '../sql/clickhouse/clickhouse.ts';
import { startOwnStack } from '../test/stack/own-stack.ts';
import { assertLanded } from './assert-landed.ts';
import { median, percentile, report } from './figures.ts';
import { prepareRequests, sendAll } from './track-load.ts';

const RATES = [1_000, 10_000];
const ROUNDS = 3;
const CONNECTIONS = 256;
/** Events per second that are looked for; the others are load. */
const PROBES_PER_SECOND = 25;
const POLL_MS = 5;
const GOAL_MS = { p50: 250, p99: 750 };
/** The last events have this long to land. */
const LAND_MS = 10_000;

type Round = { rate: number; delays: number[] };

/**
 * How long after its 200 an event is seen by a query over its customer: some events of a steady load belong to a customer
 * that is asked about without pause. `events` are those of one round at the highest rate.
 */
export async function benchFreshness(events: number): Promise<void> {
  const stack = await startOwnStack();
  const seconds = events / Math.max(...RATES);
  try {
    const rounds = new Map<number, Round[]>(RATES.map((rate) => [rate, []]));
    await sendAndWatch(stack.file(), 'warm', Math.max(...RATES), Math.min(3, seconds));
    let sent = Math.round(Math.max(...RATES) * Math.min(3, seconds));
    for (let round = 0; round < ROUNDS; round++) {
      for (const rate of RATES) {
        rounds.get(rate)?.push(await sendAndWatch(stack.file(), `r${round}-${rate}`, rate, seconds));
        sent += Math.round(rate * seconds);
      }
    }
    await assertLanded(stack.file(), sent);
    report(
      'freshness',
      RATES.map((rate) => rowOf(rate, rounds.get(rate) ?? [])),
      { seconds, rounds: ROUNDS },
    );
  } finally {
    await stack.stop();
  }
}

/** Sends at a steady rate; how long after its answer each of the events that are looked for was seen, in milliseconds. */
export async function sendAndWatch(
  stack: StackFile,
  tag: string,
  perSecond: number,
  seconds: number,
  landMs = LAND_MS,
): Promise<Round> {
  const port = Number(new URL(stack.base_url).port);
  const every = Math.max(1, Math.round(perSecond / PROBES_PER_SECOND));
  const isProbe = (i: number) => i % every === 0;
  const requests = prepareRequests(tag, Math.round(perSecond * seconds), port, stack.api_key, (i) =>
    isProbe(i) ? tag : `customer-${i % 1_000}`,
  );
  const acceptedAt = new Map<string, number>();
  const clickhouse = createClickHouse(stack.clickhouse_url);
  const sending = new AbortController();
  const watching = watch(clickhouse, stack.account_id, tag, sending.signal, () => acceptedAt.size, landMs);
  const onAccepted = (i: number) => {
    if (isProbe(i)) acceptedAt.set(`${tag}-${i}`, performance.now());
  };
  const rate = await sendAll(port, requests, { connections: CONNECTIONS, perSecond, onAccepted });
  sending.abort();
  const seenAt = await watching;
  await clickhouse.close();
  // An event may be seen before its answer has come back.
  return { rate, delays: [...acceptedAt].map(([id, at]) => Math.max(0, (seenAt.get(id) ?? Number.NaN) - at)) };
}

/** When each event of the customer was first seen, until all that were accepted have been. */
async function watch(
  clickhouse: ClickHouseClient,
  accountId: string,
  customerId: string,
  sent: AbortSignal,
  accepted: () => number,
  landMs: number,
): Promise<Map<string, number>> {
  const seenAt = new Map<string, number>();
  let deadline = Number.POSITIVE_INFINITY;
  while (!sent.aborted || seenAt.size < accepted()) {
    const answer = await clickhouse.query({
      query: `SELECT idempotency_id FROM usage_events
              WHERE account_id = {account_id:String} AND customer_id = {customer_id:String}`,
      query_params: { account_id: accountId, customer_id: customerId },
      format: 'JSONEachRow',
    });
    const rows = await answer.json<{ idempotency_id: string }>();
    const now = performance.now();
    for (const { idempotency_id } of rows) if (!seenAt.has(idempotency_id)) seenAt.set(idempotency_id, now);
    if (sent.aborted) deadline = Math.min(deadline, now + landMs);
    if (now > deadline) throw new Error(`${accepted()} accepted, ${seenAt.size} seen.`);
    await sleep(POLL_MS);
  }
  return seenAt;
}

function rowOf(rate: number, rounds: Round[]) {
  const of = (percent: number) => Math.round(median(rounds.map(({ delays }) => percentile(delays, percent))));
  return {
    'events/s': rate,
    'reached/s': Math.round(median(rounds.map((round) => round.rate))),
    'p50 ms': of(50),
    'p99 ms': of(99),
    'goal p50': GOAL_MS.p50,
    'goal p99': GOAL_MS.p99,
  };
}
