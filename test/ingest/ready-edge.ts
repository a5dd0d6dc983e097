import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import type { StreamSettings } from '../../stream/streams.ts';
import { type OwnNats, startNats } from '../stack/usage-engines.ts';
import { startEdge } from './edge-fixture.ts';

/** An edge that is ready, and the NATS that it alone has. */
export type ReadyEdge = { edge: Awaited<ReturnType<typeof startEdge>>; nats: OwnNats };

/** To be called once in a file; what it answers is filled before its first test. */
export function readyEdge(settings: StreamSettings): ReadyEdge {
  const ready = {} as ReadyEdge;
  beforeAll(async () => {
    ready.nats = await startNats();
    ready.edge = await startEdge(ready.nats.natsUrl, settings);
    while ((await fetch(`${ready.edge.url}/readyz`)).status !== 200) await sleep(50);
  });
  afterAll(async () => {
    await ready.edge.stop();
    await ready.nats.stop();
  });
  return ready;
}

let count = 0;

/** A good event of `/api/track`, with an id of its own. */
export function trackEvent(more: Record<string, unknown> = {}) {
  count += 1;
  const time = new Date().toISOString();
  return { event_name: 'call', customer_id: 'c', idempotency_id: `evt-${count}`, time_created: time, ...more };
}
