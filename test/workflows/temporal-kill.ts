import type { Stack } from '../../local/start-stack.ts';
import { howMany } from '../how-many.ts';
import { newAccount } from '../stack/accounts.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { clockReady, patiently } from '../stack/kills.ts';

const CUSTOMERS = howMany(2, 5);
const GOAL = '2027-01-15T09:00:00.000Z';

/** Customers whose year passes, while Temporal and the worker are killed. */
export async function openYear(stack: Stack) {
  const { api: call } = await newAccount({ at: stack.file(), isPatient: true });
  const clock = await makeClock(call, '2026-01-10T09:00:00Z');
  const plan_id = await makePlan(call);
  const subscriptions: string[] = [];
  for (let n = 0; n < CUSTOMERS; n++) {
    const customer_id = `year-${n}`;
    await makeCustomer(call, customer_id, { test_clock_id: clock });
    subscriptions.push(await subscribe(call, { customer_id, plan_id, start_date: '2026-01-15' }));
  }
  return {
    goal: GOAL,
    /** The clock, once it has arrived. */
    async close() {
      await patiently(() => call.post(`/api/test-clocks/${clock}/advance`, { frozen_time: GOAL }));
      return clockReady(stack, call, clock);
    },
    /** Where the invoiced periods of each subscription begin. */
    starts: () =>
      Promise.all(
        subscriptions.map(async (one) =>
          (await invoicesOf(call, `subscription_id=${one}`)).map(({ period_start }) => String(period_start)),
        ),
      ),
  };
}
