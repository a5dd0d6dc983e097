import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Stack } from '../../local/start-stack.ts';
import { howMany } from '../how-many.ts';
import { newAccount } from '../stack/accounts.ts';
import { clockAtRest, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';

const CUSTOMERS = howMany(3, 5);

/** kill -9 of Temporal and of the worker, again and again, while a year passes. */
export async function closeYearUnderKills(stack: Stack): Promise<void> {
  const { api: call } = await newAccount({ at: stack.file(), isPatient: true });
  const clock = await makeClock(call, '2026-01-10T09:00:00Z');
  const plan_id = await makePlan(call);
  const subscriptions: string[] = [];
  for (let n = 0; n < CUSTOMERS; n++) {
    const customer_id = `year-${n}`;
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
}
