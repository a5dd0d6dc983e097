import { expect, test } from 'vitest';
import { newAccount } from '../../stack/accounts.ts';
import { itemsOf } from '../../stack/api.ts';
import { draftOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

/** Late usage without a later invoice is drafted as a part without a date (spec/invoices#draft). */
test('3 calls at 1 that come after a cancel are drafted without a date, and with the next invoice once there is one', async () => {
  const { api } = await newAccount();
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'acme', { test_clock_id: clock });
  const { metric_id } = await makeMetric(api);
  const calls = { recurring_fee: 0, components: [{ metric_id, overage_price: 1 }] };
  const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api, calls) });
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 2);
  await landed(api);
  await advance(api, clock, '2026-03-11T00:00:00Z');
  const cancel = await api.post(`/api/subscriptions/${subscription}/cancel`, { invoicing_behavior: 'invoice_now' });
  expect(cancel.status, cancel.text).toBe(200);
  expect(await draftOf(api, customer_id)).toMatchObject({ invoices: [], total: '0', issue_date: '2026-03-11' });

  await trackCalls(api, customer_id, '2026-03-06T00:00:00Z', 3);
  await landed(api);
  const draft = await draftOf(api, customer_id);
  expect(draft).toMatchObject({ total: '3', issue_date: null, due_date: null });
  const [part, ...others] = itemsOf(draft.invoices);
  expect(others).toEqual([]);
  expect(part).toMatchObject({ status: 'draft', subscription_id: subscription, issue_date: null, due_date: null });
  expect(rowsOf(part)).toEqual(['late_usage x3 3 from 2026-03-01']);

  await subscribe(api, { customer_id, plan_id: await makePlan(api, { name: 'Next', recurring_fee: 7 }) });
  const next = await draftOf(api, customer_id);
  expect(itemsOf(next.invoices).map(rowsOf)).toEqual([
    ['recurring_fee 7 from 2026-03-11', 'late_usage x3 3 from 2026-03-01'],
  ]);
  expect(next.issue_date).toBe('2026-04-10');
});
