import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Requests under way at once. */
const SENDERS = 64;
/** A sender whose event was not accepted tries it again after this. */
const RETRY_MS = 50;

/**
 * Sends every event to `/api/track` until it is accepted: a 503, or a connection that breaks, is tried again with the same
 * event, as a careful sender does. `onAccepted` hears how many have been.
 */
export async function sendEvents(
  target: { baseUrl: string; apiKey: string },
  events: readonly object[],
  onAccepted: (count: number) => void = () => {},
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
  let next = 0;
  let accepted = 0;
  const sendAll = async () => {
    for (let event = events[next++]; event; event = events[next++]) {
      const body = JSON.stringify(event);
      while (!(await isAccepted(agent, target, body))) await sleep(RETRY_MS);
      onAccepted(++accepted);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sendAll));
  agent.destroy();
}

/** True for a 200, false for what may be tried again. Throws on a refusal. */
function isAccepted(agent: Agent, { baseUrl, apiKey }: { baseUrl: string; apiKey: string }, body: string) {
  return new Promise<boolean>((resolve, reject) => {
    const headers = {
      'X-API-KEY': apiKey,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    const call = request(new URL('/api/track', baseUrl), { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.on('error', () => resolve(false));
      const { statusCode = 0 } = answer;
      if (statusCode === 200) answer.on('end', () => resolve(true));
      else if (statusCode >= 500) resolve(false);
      else reject(new Error(`an event was refused with ${statusCode}`));
    });
    call.on('error', () => resolve(false));
    call.end(body);
  });
}
