import type { Stack } from '../../../local/start-stack.ts';
import { howMany } from '../../how-many.ts';
import { newAccount } from '../accounts.ts';
import { type Api, itemsOf, type Json } from '../api.ts';
import { makeClock, makeCustomer, makePlan, subscribe } from '../clocks.ts';
import { sendEvents } from '../event-sender.ts';
import { clockReady, patiently } from '../kills.ts';
import { makeMetric } from '../resources.ts';

const START = Date.UTC(2026, 2, 1);
const DAY_MS = 86_400_000;
/** Thousands: the sum below is that of each thousand. Between two kills some hundreds, for which whoever was killed has to come back. */
export const EVENTS = howMany(3_000, 40_000);
/** They fill the period, whatever their number. */
const SPACING_MS = 2_500_000_000 / EVENTS;
/** Every twentieth is sent twice: 5 % repeats. */
const REPEAT_EVERY = 20;
/** Of the sendings, the last ones go out while the rest of it ends in bills. */
const LAST = EVENTS / 10;

/** Events with repeats of one subscription with a metric of each kind; two periods of it are closed in the end. */
export async function openEvents(stack: Stack) {
  const { base_url: baseUrl } = stack.file();
  const { key: apiKey, api: call } = await newAccount({ at: stack.file() });
  const { clockId, subscriptionId } = await openSubscription(call);
  const events = Array.from({ length: EVENTS }, (_, n) => usageEvent(n));
  const sent = events.flatMap((event, n) => (n % REPEAT_EVERY === 0 ? [event, event] : [event]));
  const send = (some: object[], onAccepted: (share: number) => void) =>
    sendEvents({ baseUrl, apiKey }, some, (count) => onAccepted(count / some.length));

  return {
    /** `onAccepted` hears which share of them has been. */
    sendMost: (onAccepted: (share: number) => void) => send(sent.slice(0, -LAST), onAccepted),
    sendLast: (onAccepted: (share: number) => void) => send(sent.slice(-LAST), onAccepted),
    async close(): Promise<void> {
      const frozen_time = iso(START + 65 * DAY_MS);
      await patiently(() => call.post(`/api/test-clocks/${clockId}/advance`, { frozen_time }));
      await clockReady(stack, call, clockId);
    },
    /** The newest first; numbers as their digits. */
    async invoices(): Promise<Json[]> {
      return itemsOf(
        (await patiently(() => call.get(`/api/invoices?subscription_id=${subscriptionId}`))).exact.results,
      );
    },
  };
}

/** Over each thousand: the sum of tenth (0.0 to 99.9) is 49,950; over all n: 250 users. */
function usageEvent(n: number) {
  return {
    event_name: 'request',
    customer_id: 'acme',
    idempotency_id: `e-${n}`,
    time_created: iso(START + n * SPACING_MS),
    properties: { tenth: `${Math.floor((n % 1_000) / 10)}.${n % 10}`, rank: n / 10, user: `u${n % 250}` },
  };
}

async function openSubscription(call: Api) {
  const clockId = await makeClock(call, iso(START));
  const customer_id = await makeCustomer(call, 'acme', { test_clock_id: clockId });
  const prices = [
    ['count', undefined, 0.001],
    ['sum', 'tenth', 0.01],
    ['max', 'rank', 0],
    ['unique', 'user', 2],
  ] as const;
  const components = [];
  for (const [aggregation_type, property_name, overage_price] of prices) {
    const metric = { metric_name: aggregation_type, aggregation_type, property_name, event_name: undefined };
    components.push({ metric_id: (await makeMetric(call, metric)).metric_id, overage_price });
  }
  const plan_id = await makePlan(call, { recurring_fee: 10, components });
  return { clockId, subscriptionId: await subscribe(call, { customer_id, plan_id }) };
}

function iso(instant: number) {
  return new Date(instant).toISOString();
}
