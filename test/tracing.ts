import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Stack } from '../local/start-stack.ts';
import { subscriptionWorkflowId } from '../workflows/workflow-ids.ts';
import { newAccount, withPostgres } from './stack/accounts.ts';
import type { Api } from './stack/api.ts';
import { advance, clockAtRest, makeClock, makeCustomer, makePlan, subscribe } from './stack/clocks.ts';
import { waitUntil } from './stack/wait-until.ts';

/** What a collector is sent (OTLP over HTTP, JSON), as far as it is looked at here. */
type Export = {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue: string } }[] };
    scopeSpans: { spans: { traceId: string; name: string }[] }[];
  }[];
};

type Span = { traceId: string; what: string };

/** What the processes of a stack tell a collector, where they have this `environment`. */
export async function collectSpans() {
  const spans: Span[] = [];
  const server = await serve((body) => {
    for (const { resource, scopeSpans } of (body as Export).resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue;
      for (const { traceId, name } of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({ traceId, what: `${service}: ${name}` });
    }
  });
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: urlOf(server), OTEL_BSP_SCHEDULE_DELAY: '100' };
  return { spans, environment, stop: () => void server.close() };
}

/** `find`: the stack, once it has started, and what its collector has been told. */
export function testTraces(find: () => { stack: Stack; spans: Span[] }): void {
  const webhooks: string[] = [];
  let receiver: Server;
  let spans: Span[];
  let stack: Stack;
  let call: Api;

  beforeAll(async () => {
    ({ stack, spans } = find());
    receiver = await serve((body) => webhooks.push((body as { type: string }).type));
  });
  beforeEach(async () => {
    ({ api: call } = await newAccount({ at: stack.file() }));
    spans.length = 0;
    webhooks.length = 0;
  });
  afterAll(() => void receiver?.close());

  /** The spans of a trace that a caller began, once they include all of `wanted`. */
  async function spansOf(traceId: string, wanted: string[]): Promise<string[]> {
    const own = async () => spans.filter((span) => span.traceId === traceId).map(({ what }) => what);
    return waitUntil(own, (found) => wanted.every((what) => found.includes(what)));
  }

  test('a call that makes a clock advance is one trace with the invoice it leads to and its webhook', async () => {
    await call.post('/api/webhooks', { webhook_url: urlOf(receiver), triggers_in: ['invoice.created'] });
    const clockId = await makeClock(call, '2026-03-01T00:00:00.000Z');
    await makeCustomer(call, 'acme', { test_clock_id: clockId });
    await subscribe(call, { customer_id: 'acme', plan_id: await makePlan(call) });

    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const path = `/api/test-clocks/${clockId}/advance`;
    const goal = '2026-04-01T00:00:00.000Z';
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    expect((await call.post(path, { frozen_time: goal }, headers)).status).toBe(200);
    await waitUntil(
      async () => webhooks,
      (got) => got.includes('invoice.created'),
    );
    await spansOf(traceId, [
      'meterbook-ingest: POST /api/test-clocks',
      'meterbook-api: POST /api/test-clocks',
      'meterbook-worker: relay test_clock.advancing',
      'meterbook-worker: closeLandedPeriod',
      'meterbook-worker: webhook invoice.created',
    ]);
    // The webhook is sent as soon as the invoice is there, and the clock may have more to do then.
    expect(await clockAtRest(call, clockId)).toMatchObject({ status: 'ready' });
    expect(await advance(call, clockId, '2026-04-02T00:00:00.000Z')).toMatchObject({ status: 'ready' });
  });

  test('a call that is done after a boundary keeps its trace, whatever its workflow is told meanwhile', async () => {
    const { accountId, api } = await newAccount({ at: stack.file(), isPatient: true });
    await makeCustomer(api, 'acme');
    const subscriptionId = await subscribe(api, { customer_id: 'acme', plan_id: await makePlan(api) });
    const connection = await Connection.connect({ address: stack.file().temporal_address });
    const { workflow } = new Client({ connection });
    const handle = workflow.getHandle(subscriptionWorkflowId({ accountId, subscriptionId }));
    await waitUntil(() => handle.describe().catch(() => undefined), Boolean);
    // Begun anew by the call, it reads the records before it does what is asked.
    await handle.terminate('for a test');
    const traceId = '1af7651916cd43dd8448eb211c80319d';
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    const worker = stack.file().pids.worker ?? 0;
    const paused = await withPostgres(async (postgres) => {
      const holder = await postgres.connect();
      try {
        await stopOutsideTransactions(worker, postgres);
        const paused = api.post(`/api/subscriptions/${subscriptionId}/pause`, undefined, headers);
        await waitUntil(
          () => handle.describe(),
          ({ status }) => status.name === 'RUNNING',
        );
        await holder.query('BEGIN; LOCK TABLE subscriptions IN ACCESS EXCLUSIVE MODE');
        process.kill(worker, 'SIGCONT');
        await waitUntil(
          () => handle.describe(),
          ({ raw }) => (raw.pendingActivities?.length ?? 0) > 0,
        );
        await handle.signal('look_again');
        return { answer: paused };
      } finally {
        process.kill(worker, 'SIGCONT');
        await holder.query('COMMIT');
        holder.release();
      }
    }, stack.file());
    expect((await paused.answer).status).toBe(200);
    await connection.close();
    await spansOf(traceId, ['meterbook-worker: loadSubscriptionCourse', 'meterbook-worker: pauseSubscription']);
  });

  test('an event is one trace from its request to its landing', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const event = {
      event_name: 'call',
      customer_id: 'acme',
      idempotency_id: 'e-1',
      time_created: '2026-03-02T00:00:00Z',
    };
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    expect((await call.post('/api/track', event, headers)).status).toBe(200);
    await spansOf(traceId, [
      'meterbook-ingest: POST /api/track',
      'meterbook-ingest: store group',
      'meterbook-aggregator: land batch',
    ]);
  });
}

/** Stops a process while no transaction is open: one that it had begun would keep its locks until the process goes on. */
async function stopOutsideTransactions(pid: number, postgres: Pool): Promise<void> {
  const open = async () => {
    process.kill(pid, 'SIGCONT');
    await sleep(20);
    process.kill(pid, 'SIGSTOP');
    const { rows } = await postgres.query(
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND xact_start IS NOT NULL AND pid <> pg_backend_pid()",
    );
    return rows;
  };
  await waitUntil(open, (transactions) => transactions.length === 0);
}

function serve(take: (body: unknown) => void): Promise<Server> {
  const server = createServer((request, response) => {
    json(request).then((body) => {
      take(body);
      response.end('{}');
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
