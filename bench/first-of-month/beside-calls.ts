import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../../test/stack/api.ts';

/** Calls of people and apps while the month is closed. */
const PER_SECOND = 20;

/** Milliseconds from when each was due until it was answered, and how many were refused, as a busy machine may. */
type Answered = { times: number[]; refused: number };

/** Makes calls by the clock, however slow the answers are, until `stop` is called. */
export function callBeside(api: Api, customerId: string): { stop(): Promise<Answered>; reset(): void } {
  const paths = [
    `/api/customers/${customerId}/`,
    `/api/subscriptions?customer_id=${customerId}`,
    `/api/invoices?customer_id=${customerId}`,
    '/api/account',
  ];
  let answered: Answered = { times: [], refused: 0 };
  let isOver = false;
  const calls = new Set<Promise<void>>();
  const calling = (async () => {
    const begun = performance.now();
    for (let i = 0; !isOver; i++) {
      const due = begun + (i * 1000) / PER_SECOND;
      await sleep(Math.max(0, due - performance.now()));
      // What breaks, or is not as documented, is refused as well.
      const answer = api.get(paths[i % paths.length] ?? '').catch(() => undefined);
      const call: Promise<void> = answer.then((got) => {
        if (got?.status !== 200) answered.refused++;
        answered.times.push(performance.now() - due);
        calls.delete(call);
      });
      calls.add(call);
    }
  })();
  return {
    reset: () => {
      answered = { times: [], refused: 0 };
    },
    stop: async () => {
      isOver = true;
      await calling;
      await Promise.all(calls);
      return answered;
    },
  };
}
