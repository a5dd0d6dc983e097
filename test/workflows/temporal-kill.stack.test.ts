import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Stack } from '../../local/start-stack.ts';
import { newAccount } from '../stack/accounts.ts';
import { clockAtRest, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { startOwnStack } from '../stack/own-stack.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startOwnStack();
});
afterAll(() => stack.stop());

/** kill -9 of Temporal and of the worker, again and again, while a year passes. */
test('a year goes on by itself, each period billed once', { timeout: 180_000 }, async () => {
  const { api: call } = await newAccount({ at: stack.file(), isPatient: true });
  const clock = await makeClock(call, '2026-01-10T09:00:00Z');
  const plan_id = await makePlan(call);
  const subscriptions: string[] = [];
  for (const customer_id of ['a', 'b', 'c', 'd', 'e']) {
    await makeCustomer(call, customer_id, { test_clock_id: clock });
    subscriptions.push(await subscribe(call, { customer_id, plan_id, start_date: '2026-01-15' }));
  }
  await call.post(`/api/test-clocks/${clock}/advance`, { frozen_time: '2027-01-15T09:00:00Z' });
  for (const victim of ['temporal', 'worker', 'temporal'] as const) {
    await sleep(1_200);
    const pid = stack.file().pids[victim];
    if (pid) process.kill(pid, 'SIGKILL');
  }
  expect(await clockAtRest(call, clock)).toMatchObject({ status: 'ready', frozen_time: '2027-01-15T09:00:00.000Z' });
  for (const subscription of subscriptions) {
    const starts = (await invoicesOf(call, `subscription_id=${subscription}`)).map((invoice) => invoice.period_start);
    expect(starts).toHaveLength(12);
    expect(starts).toEqual([...new Set(starts)].toSorted());
  }
});
