import { setTimeout as sleep } from 'node:timers/promises';
import { Temporal } from 'temporal-polyfill';
import { newId } from '../core/ids.ts';
import type { Load } from '../soak/load.ts';
import type { Pool } from '../sql/postgres/postgres.ts';

/** Between two subscriptions whose first period is over when they are made. */
const PAUSE_MS = 1_500;
const PREFIX = 'due-';
const FEE = 10;
/** A month, as plans count it unless they say otherwise. */
const PERIOD_DAYS = 30;
const EVENTS = 3;
const PRICE = 1;
const DAY_MS = 86_400_000;

/** What became of the closings that fell due by the machine's own clock. */
export type Closings = { due: number; late: number; notOnce: number; wrong: number };

/**
 * Makes customers, each with a few accepted events and a subscription that began a period ago, until `signal`: each of its closings
 * falls due at once, by the real clock, and bills these events.
 */
export async function fallDue({ call, sender, sent, signal, catalog }: Load): Promise<void> {
  const components = [{ metric_id: catalog.countMetricId, overage_price: PRICE }];
  const plan = { name: 'Due at once', billing_period: 'monthly', recurring_fee: FEE, components };
  const { body } = await call('POST', '/api/plans', plan);
  const start_date = Temporal.Now.plainDateISO('UTC').subtract({ days: PERIOD_DAYS }).toString();
  while (!signal.aborted) {
    const customerId = newId('req').replace('req_', PREFIX);
    await call('POST', '/api/customers/', { customer_id: customerId, email: 'due@rehearsal.test', timezone: 'UTC' });
    for (let n = 0; n < EVENTS; n++) {
      const event = { customerId, id: newId('req'), time: Date.now() - DAY_MS, amount: '1.00', user: 'u' };
      await sender.send(event);
      sent.add(event);
    }
    const subscription = { customer_id: customerId, plan_id: body.plan_id, start_date };
    const made = await call('POST', '/api/subscriptions', subscription);
    if (made.status !== 201) throw new Error(`a subscription that began a period ago was not made: ${made.text}`);
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}

const CLOSINGS = `
  SELECT count(i.invoice_id) AS invoices, bool_and(i.total = $2) AS is_right,
    extract(epoch FROM coalesce(min(i.created_at), now()) - s.created_at) AS late
  FROM subscriptions s LEFT JOIN invoices i ON i.account_id = s.account_id AND i.subscription_id = s.subscription_id AND i.kind = 'period'
  WHERE s.customer_id LIKE $1 || '%' GROUP BY s.account_id, s.subscription_id, s.created_at`;

/** `late`: of the latest one, in seconds. `notOnce`: billed not at all, or twice; `wrong`: another amount than what was sent. */
export async function loadClosings(postgres: Pool): Promise<Closings> {
  type Row = { invoices: string; is_right: boolean | null; late: string };
  const { rows } = await postgres.query<Row>(CLOSINGS, [PREFIX, FEE + EVENTS * PRICE]);
  return {
    due: rows.length,
    late: Math.max(0, ...rows.map((row) => Number(row.late))),
    notOnce: rows.filter(({ invoices }) => invoices !== '1').length,
    wrong: rows.filter(({ is_right }) => is_right === false).length,
  };
}
