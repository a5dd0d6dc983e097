import { newId } from '../core/ids.ts';
import type { Load, Target } from '../soak/load.ts';
import { Probe } from './probe.ts';

/** Nobody waits longer for an answer before asking again. */
const ANSWER_MS = 10_000;
/** The customer whose name counts the writes that were answered. */
export const WRITTEN = 'written';

/** How long callers wait: for an event to be accepted, and for a change of the records. */
export type Waits = { events: Probe; writes: Probe };

/** Sends an event, and changes a customer, again and again until `signal`; the events are the load's own, for its checks. */
export async function startWaits(target: Target, { call, sent, signal }: Load): Promise<Waits> {
  await call('POST', '/api/customers/', { customer_id: WRITTEN, email: 'written@rehearsal.test' });
  let event = newEvent();
  const events = new Probe(
    'events',
    async () => {
      const { id, time, customerId, amount, user } = event;
      const body = {
        event_name: 'call',
        customer_id: customerId,
        idempotency_id: id,
        time_created: new Date(time).toISOString(),
        properties: { amount, user },
      };
      const isDone = await ask(target, 'POST', '/api/track', body, id);
      if (!isDone) return false;
      sent.add(event);
      event = newEvent();
      return true;
    },
    signal,
  );
  const writes = new Probe(
    'writes',
    (n) => ask(target, 'PATCH', `/api/customers/${WRITTEN}/`, { name: String(n) }, `write-${n}`),
    signal,
  );
  return { events, writes };
}

function newEvent() {
  return { customerId: WRITTEN, id: newId('req'), time: Date.now(), amount: '1.00', user: 'u' };
}

async function ask(target: Target, method: string, path: string, body: object, key: string): Promise<boolean> {
  const response = await fetch(new URL(path, target.baseUrl), {
    method,
    headers: { 'X-API-KEY': target.apiKey, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  await response.text();
  return response.ok;
}
