import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../../test/stack/api.ts';

/** Calls of people and apps while the month is closed. */
const PER_SECOND = 20;

/** Makes calls by the clock, however slow the answers are; milliseconds since each was due, until `stop` is called. */
export function callBeside(api: Api, customerId: string): { stop(): Promise<number[]>; reset(): void } {
  const paths = [
    `/api/customers/${customerId}/`,
    `/api/subscriptions?customer_id=${customerId}`,
    `/api/invoices?customer_id=${customerId}`,
    '/api/account',
  ];
  let times: number[] = [];
  let isOver = false;
  const calls = new Set<Promise<void>>();
  const calling = (async () => {
    const begun = performance.now();
    for (let i = 0; !isOver; i++) {
      const due = begun + (i * 1000) / PER_SECOND;
      await sleep(Math.max(0, due - performance.now()));
      const call: Promise<void> = api.get(paths[i % paths.length] ?? '').then(({ status, text }) => {
        if (status !== 200) throw new Error(`${paths[i % paths.length]}: ${status} ${text}`);
        times.push(performance.now() - due);
        calls.delete(call);
      });
      calls.add(call);
    }
  })();
  return {
    reset: () => {
      times = [];
    },
    stop: async () => {
      isOver = true;
      await calling;
      await Promise.all(calls);
      return times;
    },
  };
}
