import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../../test/stack/api.ts';
import { eventOf } from '../../test/stack/webhook-receiver.ts';
import { percentile, rounded } from '../figures.ts';

/** An event that no receiver has got by then is a failure. */
const TOLD_BY_MS = 120_000;

/** A call of the victim's; each round makes all of them, one after another. */
type Calls = Record<string, () => Promise<{ status: number; text: string }>>;

/** Between two calls of the victim. */
const PAUSE_MS = 20;

/** What was measured of the victim's calls. */
export type Measured = { calls: number; failed: number; p50: number; p99: number; worst: number; failures: string[] };

/** Makes what the victim works with in its account, and returns its calls. */
export async function prepareVictim(api: Api): Promise<Calls> {
  const made = async (path: string, body: object) => {
    const answer = await api.post(path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  await made('/api/customers/', { customer_id: 'victim', email: 'a@b.example' });
  const { metric_id } = await made('/api/metrics', {
    ...{ metric_name: 'Calls', aggregation_type: 'count', event_name: 'call' },
  });
  const features = [{ name: 'calls', included: true, limit: 1_000_000_000, metric_id }];
  const { plan_id } = await made('/api/plans', { name: 'Pro', recurring_fee: 29, billing_period: 'monthly', features });
  const { subscription_id } = await made('/api/subscriptions', { customer_id: 'victim', plan_id });
  const event = { event_name: 'call', customer_id: 'victim' };
  let tracked = 0;
  const track = () => {
    const sent = {
      ...event,
      idempotency_id: `victim-${Date.now()}-${tracked++}`,
      time_created: new Date().toISOString(),
    };
    return api.post('/api/track', sent);
  };
  return {
    retrieve: () => api.get('/api/customers/victim'),
    list: () => api.get('/api/subscriptions?customer_id=victim'),
    access: () => api.get(`/api/metric-access?customer_id=victim&metric_id=${metric_id}`),
    change: () => api.patch('/api/customers/victim', { customer_name: 'Acme' }),
    track,
    pause: () => api.post(`/api/subscriptions/${subscription_id}/pause`, {}),
    resume: () => api.post(`/api/subscriptions/${subscription_id}/resume`, {}),
    webhook: await webhookCall(api),
  };
}

/** A call that ends when the receiver of the victim has got the event that it leads to. */
async function webhookCall(api: Api): Promise<Calls[string]> {
  const told = new EventEmitter();
  const received = new Set<string>();
  const server = createServer(async (request, response) => {
    const credit = String(eventOf(await text(request)).data.credit_id);
    received.add(credit);
    told.emit(credit);
    response.writeHead(204).end();
  });
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const webhook_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoint = await api.post('/api/webhooks', { webhook_url, triggers_in: ['credit.created'] });
  if (endpoint.status !== 201) throw new Error(`/api/webhooks: ${endpoint.status} ${endpoint.text}`);
  return async () => {
    const credit = await api.post('/api/credits', { customer_id: 'victim', amount: 1 });
    if (credit.status !== 201) return credit;
    const id = String(credit.body.credit_id);
    // It may have come before the answer.
    if (!received.has(id)) await once(told, id, { signal: AbortSignal.timeout(TOLD_BY_MS) });
    return credit;
  };
}

/** Makes the victim's calls for `ms`; no call begins later, and each is waited for. */
export async function measureVictim(calls: Calls, ms: number): Promise<Record<string, Measured>> {
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
  const failures: Record<string, string[]> = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
  const until = performance.now() + ms;
  while (performance.now() < until) {
    for (const [name, call] of Object.entries(calls)) {
      const begun = performance.now();
      const failure = await call().then(
        ({ status, text }) => (status < 300 ? undefined : `${status} ${text.slice(0, 200)}`),
        (error) => String(error),
      );
      times[name]?.push(performance.now() - begun);
      if (failure !== undefined) failures[name]?.push(failure);
      await sleep(PAUSE_MS);
    }
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, taken]) => [name, measuredOf(taken, failures[name] ?? [])]),
  );
}

function measuredOf(times: number[], failures: string[]): Measured {
  const [p50, p99] = [50, 99].map((percent) => rounded(percentile(times, percent)));
  const worst = rounded(Math.max(...times));
  return { calls: times.length, failed: failures.length, p50: p50 ?? NaN, p99: p99 ?? NaN, worst, failures };
}
