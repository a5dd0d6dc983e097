import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf } from '../../stack/api.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { advance } from '../../workflows/in-process-clock.ts';

const DAY_MS = 24 * 3_600_000;

/** What a metric counts, and what a unit of it costs. */
export type Price = { event_name: string; aggregation_type: 'count' | 'sum'; property_name?: string; price: string };

/** A line of an invoice as a test compares it. */
export type BilledLine = { quantity: string; amount: string; events_count: string };

/**
 * An account whose customer's period begins on `date`, or yesterday: what senders send without a time is in it. The customer is on a test
 * clock, and `close` ends the period: the lines of usage by event name and property, as `prompt.tokens`.
 */
export async function billedAccount(customerId: string, prices: readonly Price[], date?: string) {
  const account: TestAccount = await newAccount();
  const { api } = account;
  const startsAt = date === undefined ? Math.floor(Date.now() / DAY_MS - 1) * DAY_MS : Date.parse(date);
  const clock = await makeClock(api, new Date(startsAt).toISOString());
  await makeCustomer(api, customerId, { test_clock_id: clock });
  const names = new Map<string, string>();
  const components = [];
  for (const { price, ...fields } of prices) {
    const { metric_id } = await makeMetric(api, fields);
    names.set(String(metric_id), [fields.event_name, fields.property_name].filter(Boolean).join('.'));
    components.push({ metric_id, overage_price: price });
  }
  const planId = await makePlan(api, { recurring_fee: 0, components });
  await subscribe(api, { customer_id: customerId, plan_id: planId });
  const close = async (): Promise<Record<string, BilledLine>> => {
    await landed(api);
    await advance(api, clock, new Date(startsAt + 31 * DAY_MS).toISOString());
    const [invoice] = await invoicesOf(api, `customer_id=${encodeURIComponent(customerId)}`);
    const usage = itemsOf(invoice?.lines).filter(({ type }) => String(type) === 'usage');
    const lines = usage.map(({ metric_id, quantity, amount, events_count }) => [
      names.get(String(metric_id)),
      { quantity: String(quantity), amount: String(amount), events_count: String(events_count) },
    ]);
    return Object.fromEntries(lines);
  };
  return { ...account, close };
}
