import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '../../../local/start-stack.ts';
import { newAccount } from '../accounts.ts';
import { makeCustomer } from '../clocks.ts';
import { patiently } from '../kills.ts';

/** Between two calls; a stop waits for one. */
const PAUSE_MS = 25;

/** Calls that write one after another, each repeated under its key until it is answered. */
export async function openCredits(stack: Stack) {
  const { api: call } = await newAccount({ at: stack.file() });
  const customer_id = await makeCustomer(call, 'stopper');
  const statuses = new Set<number>();
  let written = 0;
  let isOver = false;
  let begun = Promise.withResolvers<void>();

  async function write(): Promise<void> {
    const headers = { 'Idempotency-Key': `stop-${written}` };
    await patiently(async () => {
      const asked = call.post('/api/credits', { customer_id, amount: 1, description: 'stop' }, headers);
      begun.resolve();
      begun = Promise.withResolvers();
      const answer = await asked;
      statuses.add(answer.status);
      return answer;
    });
  }

  return {
    async writeOn(): Promise<void> {
      for (; !isOver; written++) {
        await write();
        await sleep(PAUSE_MS);
      }
    },
    /** Until the next call is sent. */
    midCall: () => begun.promise,
    stop: () => {
      isOver = true;
    },
    /** How many calls were answered, how many credits there are, and every status that a call was answered with. */
    async found() {
      const { body } = await patiently(() => call.get(`/api/credits?customer_id=${customer_id}&page_size=1`));
      return { written, count: Number(body.count), statuses: [...statuses] };
    },
  };
}
