import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { Pool } from '../sql/postgres/postgres.ts';
import type { Dice } from '../test/billing/simulator/dice.ts';
import type { Caller } from './caller.ts';

/** A receiver that has a bad moment this often; its second answer to an event is always good, so that no retry is minutes away. */
const BAD_MOMENT = 0.05;
const SHOWN = 5;

export type WebhookReceiver = {
  /** What is wrong with what came, and which events never did. */
  breaches(postgres: Pool): Promise<string[]>;
  received(): number;
  close(): void;
};

/** A receiver of every event, which checks signatures as the standard's own library does. */
export async function receiveWebhooks(call: Caller, dice: Dice): Promise<WebhookReceiver> {
  const heard = new Set<string>();
  const refused = new Set<string>();
  const wrong: string[] = [];
  let verifier: Webhook | undefined;
  let received = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    received += 1;
    const id = String(request.headers['webhook-id']);
    try {
      verifier?.verify(body, request.headers as Record<string, string>);
    } catch (error) {
      wrong.push(`webhook ${id} is not signed as it should be: ${error}`);
    }
    if (!refused.has(id) && dice.chance(BAD_MOMENT)) {
      refused.add(id);
      response.writeHead(500).end();
      return;
    }
    heard.add(id);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const webhook_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const made = await call('POST', '/api/webhooks', { webhook_url });
  verifier = new Webhook(String(made.body.webhook_secret));
  return {
    received: () => received,
    breaches: async (postgres) => {
      const { rows } = await postgres.query<{ event_id: string; type: string }>(
        `SELECT e.event_id, e.type FROM outbox_events e JOIN webhook_deliveries d USING (event_id)
         UNION SELECT event_id, 'waits to be given to endpoints' FROM webhook_events`,
      );
      const unheard = rows.filter(({ event_id }) => !heard.has(event_id));
      const lost =
        unheard.length > 0
          ? [`${unheard.length} events were not delivered: ${JSON.stringify(unheard.slice(0, SHOWN))}`]
          : [];
      return [...wrong.slice(0, SHOWN), ...lost];
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
