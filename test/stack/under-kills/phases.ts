import type { Stack } from '../../../local/start-stack.ts';
import { howMany } from '../../how-many.ts';
import { newAccount } from '../accounts.ts';
import { itemsOf } from '../api.ts';
import { makeClock, makeCustomer, makePlan, subscribe } from '../clocks.ts';
import { clockReady, patiently } from '../kills.ts';

/** Customers whose deal goes on in phases. */
const DEALS = howMany(2, 6);

/** The dates of phases come: of one plan with a billing period, then a switch within one. */
export async function openPhases(stack: Stack) {
  const { api: call } = await newAccount({ at: stack.file() });
  const test_clock_id = await makeClock(call, '2026-03-01T00:00:00Z');
  const planOf = (recurring_fee: number) => makePlan(call, { recurring_fee, billing_calendar: 'anniversary' });
  const [plan_id, other] = [await planOf(100), await planOf(151)];
  const phases = [
    { start_date: '2026-04-15', overrides: { recurring_fee: 120 } },
    { start_date: '2026-05-15', plan_id: other },
  ];
  const ids: string[] = [];
  for (let n = 0; n < DEALS; n++) {
    const customer_id = await makeCustomer(call, `deal-${n}`, { test_clock_id });
    ids.push(await subscribe(call, { customer_id, plan_id, phases }));
  }

  return {
    ids,
    plans: [plan_id, other],
    async close(): Promise<void> {
      const frozen_time = '2026-07-01T00:00:00Z';
      await patiently(() => call.post(`/api/test-clocks/${test_clock_id}/advance`, { frozen_time }));
      await clockReady(stack, call, test_clock_id);
    },
    /** Of each customer: its subscriptions, and the amounts on its invoices, the oldest first. */
    found: () =>
      Promise.all(
        ids.map(async (_, n) => {
          const of = `customer_id=deal-${n}`;
          const held = itemsOf((await patiently(() => call.get(`/api/subscriptions?${of}`))).body.results);
          const { body } = await patiently(() => call.get(`/api/invoices?${of}`));
          const amounts = itemsOf(body.results).map((one) => itemsOf(one.lines).map(({ amount }) => Number(amount)));
          return { held, amounts: amounts.toReversed() };
        }),
      ),
  };
}
