import { expect } from 'vitest';
import type { Api } from '../stack/api.ts';

/** Events of a day, each with an id that says which, so that the same can be sent again. */
export async function send(to: Api, customer_id: string, day: string, count: number) {
  const sent = Array.from({ length: count }, (_, i) => {
    const event = { event_name: 'call', customer_id, time_created: `${day}T10:00:00Z`, properties: { n: i + 0.125 } };
    return to.post('/api/track', { ...event, idempotency_id: `${customer_id} ${day} ${i}` });
  });
  for (const answer of await Promise.all(sent)) expect(answer.status).toBe(200);
}

/** Sends events until it is stopped. */
export function sendOn(to: Api) {
  let isOver = false;
  const sending = (async () => {
    for (let i = 0; !isOver; i++) {
      const event = {
        event_name: 'call',
        customer_id: 'busy',
        time_created: '2026-04-06T10:00:00Z',
        properties: { n: 1 },
      };
      expect((await to.post('/api/track', { ...event, idempotency_id: `busy ${i}` })).status).toBe(200);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await sending;
    },
  };
}
