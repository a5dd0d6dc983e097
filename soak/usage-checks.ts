import type { ClickHouseClient } from '@clickhouse/client';
import { type Caller, itemsOf, type Json } from './caller.ts';
import type { Catalog } from './catalog.ts';
import type { Life } from './life.ts';
import type { SentEvent, SentEvents } from './sent-events.ts';

const SHOWN = 5;

/** accepted = landed + repeated, nothing missing, by GET /api/ingestion/audit. Answers breaches in words. */
export async function auditBreaches(call: Caller): Promise<string[]> {
  return breachesOf(await loadAudit(call));
}

async function loadAudit(call: Caller): Promise<Json> {
  return (await call('GET', '/api/ingestion/audit?start=2020-01-01&end=2100-01-01')).body;
}

function breachesOf(audit: Json): string[] {
  const [accepted, landed, repeated, missing, dead] = [
    'accepted',
    'landed',
    'repeated',
    'missing',
    'dead_lettered',
  ].map((name) => Number(audit[name])) as [number, number, number, number, number];
  const balances = accepted === landed + repeated && missing === 0 && dead === 0;
  return balances ? [] : [`not so: accepted = landed + repeated: ${JSON.stringify(audit)}`];
}

/** At the end, what landed is exactly what was sent: by the audit, and event by event ({@link storedBreaches}). */
export async function landedBreaches(
  call: Caller,
  clickhouse: ClickHouseClient,
  accountId: string,
  sent: SentEvents,
  deleted: ReadonlySet<string>,
): Promise<string[]> {
  const audit = await loadAudit(call);
  const breaches = breachesOf(audit);
  const ids = sent.ids();
  if (Number(audit.landed) !== ids.size) breaches.push(`${ids.size} ids were sent, ${audit.landed} have landed`);
  if (Number(audit.accepted) < sent.accepted)
    breaches.push(`${sent.accepted} were answered 200: ${audit.accepted} accepted`);
  return [...breaches, ...(await storedBreaches(clickhouse, accountId, sent, deleted))];
}

/** ClickHouse has each id once, as it was first accepted, of customers that are not deleted, and nothing else. */
export async function storedBreaches(
  clickhouse: ClickHouseClient,
  accountId: string,
  sent: SentEvents,
  deleted: ReadonlySet<string>,
): Promise<string[]> {
  const ids = sent.ids();
  const breaches: string[] = [];
  type Row = { id: string; customer: string; at: string; amount: string };
  const answer = await clickhouse.query({
    query: `SELECT idempotency_id AS id, customer_id AS customer, toUnixTimestamp64Milli(time_created) AS at, strings['amount'] AS amount
            FROM usage_events WHERE account_id = {account_id:String}`,
    query_params: { account_id: accountId },
    format: 'JSONEachRow',
  });
  const seen = new Set<string>();
  for (const row of await answer.json<Row>()) {
    const event = ids.get(row.id);
    if (!event) breaches.push(`${row.id} has landed and was never sent`);
    else if (seen.has(row.id)) breaches.push(`${row.id} has landed twice`);
    else if (deleted.has(row.customer)) breaches.push(`${row.id} of ${row.customer}, who was deleted, is still there`);
    else if (Number(row.at) !== event.time || row.amount !== event.amount)
      breaches.push(`${row.id} landed as ${JSON.stringify(row)}, sent first was ${JSON.stringify(event)}`);
    seen.add(row.id);
  }
  for (const { id, customerId } of ids.values())
    if (!seen.has(id) && !deleted.has(customerId))
      breaches.push(`${id} of ${customerId} was answered 200 and is not there`);
  return breaches.length > SHOWN ? [...breaches.slice(0, SHOWN), `and ${breaches.length - SHOWN} more`] : breaches;
}

/** GET /api/metrics/<id>/usage says of each customer what was sent for it. */
export async function totalsBreaches(
  call: Caller,
  catalog: Catalog,
  sent: SentEvents,
  customers: string[],
): Promise<string[]> {
  const breaches: string[] = [];
  for (const customerId of customers) {
    const events = sent.ofCustomer(customerId);
    const wanted = [
      [catalog.countMetricId, String(events.length)],
      [catalog.sumMetricId, sumOfAmounts(events)],
    ] as const;
    for (const [metricId, value] of wanted) {
      const query = `customer_id=${customerId}&start=2020-01-01&end=2100-01-01&granularity=total`;
      const { text } = await call('GET', `/api/metrics/${metricId}/usage?${query}`);
      const said = /"value":(-?[\d.]+)/.exec(text)?.[1];
      if (said !== value) breaches.push(`${customerId}: ${metricId} is ${said}, sent were ${value}`);
    }
  }
  return breaches;
}

/** Of a plain life: every closed period bills as many events as were sent for it, those that came late on its next invoice. */
export async function billedBreaches(call: Caller, catalog: Catalog, sent: SentEvents, life: Life): Promise<string[]> {
  const subscriptions = await all(call, `/api/subscriptions?customer_id=${life.customerId}`);
  const invoices = await all(call, `/api/invoices?customer_id=${life.customerId}`);
  const ends = new Map(subscriptions.map((one) => [String(one.subscription_id), Date.parse(String(one.canceled_at))]));
  const billed = new Map<string, number>();
  for (const line of invoices.flatMap((invoice) => itemsOf(invoice.lines))) {
    const isUsage = ['usage', 'late_usage'].includes(String(line.type));
    if (!isUsage || String(line.metric_id) !== catalog.countMetricId) continue;
    const period = [line.subscription_id, line.period_start, line.period_end].join(' ');
    billed.set(period, (billed.get(period) ?? 0) + Number(line.quantity));
  }
  const events = sent.ofCustomer(life.customerId);
  return [...billed].flatMap(([period, quantity]) => {
    const [subscription = '', start = '', end = ''] = period.split(' ');
    const until = Math.min(Date.parse(end), ends.get(subscription) || Number.POSITIVE_INFINITY);
    const counted = events.filter(({ time }) => time >= Date.parse(start) && time < until).length;
    return counted === quantity ? [] : [`${life.customerId} ${period}: ${quantity} billed, ${counted} sent`];
  });
}

async function all(call: Caller, path: string): Promise<Json[]> {
  const records: Json[] = [];
  for (let page = 1; ; page++) {
    const { body } = await call('GET', `${path}&page_size=200&page=${page}`);
    records.push(...itemsOf(body.results));
    if (body.next === null) return records;
  }
}

function sumOfAmounts(events: readonly SentEvent[]): string {
  const hundredths = events.reduce((sum, { amount }) => sum + BigInt(amount.replace('.', '')), 0n);
  const text = `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`;
  return text.replace(/\.?0+$/, '');
}
