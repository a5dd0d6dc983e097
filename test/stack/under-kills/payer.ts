import type { Stack } from '../../../local/start-stack.ts';
import { howMany } from '../../how-many.ts';
import { newAccount, withPostgres } from '../accounts.ts';
import { itemsOf, type Json } from '../api.ts';
import { makeCustomer, makePlan, subscribe } from '../clocks.ts';
import { patiently } from '../kills.ts';
import { waitUntil } from '../wait-until.ts';
import { tellSubscriptions } from './tell-subscriptions.ts';

const DAY_MS = 86_400_000;
const HOUR_S = 3_600;
const PATIENCE_MS = 120_000;
/** Customers that are billed to one payer; more of them where somebody measures. */
export const CHILDREN = howMany(12, 60);

/** All that is due at one instant comes onto one invoice, while customers join, leave, pause and cancel. */
export async function openPayer(stack: Stack) {
  const { accountId, api: call } = await newAccount({ at: stack.file() });
  const plan_id = await makePlan(call, { recurring_fee: 10 });
  await makeCustomer(call, 'payer');
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  // Their periods have ended at midnight; their invoices are pending until it is said.
  const invoice_grace_seconds = Math.round((Date.now() - midnight) / 1_000) + HOUR_S;
  await patiently(() => call.patch('/api/account', { invoice_grace_seconds }));
  const start_date = new Date(midnight - 30 * DAY_MS).toISOString().slice(0, 10);
  const ids: string[] = [];
  // Side by side they would wait for the lock of their payer, on a busy machine for too long.
  for (let n = 0; n < CHILDREN; n++) {
    const customer_id = await makeCustomer(call, `child-${n}`, { billed_to: n === 0 ? null : 'payer' });
    ids.push(await subscribe(call, { customer_id, plan_id, start_date }));
  }

  return {
    ids,
    /** Has all of them fall due then. */
    async dueAt(instant: number): Promise<void> {
      await withPostgres(async (postgres) => {
        const pending = 'SELECT FROM periods WHERE account_id = $1 AND waits AND invoice_due_at IS NOT NULL';
        await waitUntil(
          async () => (await postgres.query(pending, [accountId])).rowCount,
          (count) => count === CHILDREN,
        );
        const sql = 'UPDATE periods SET invoice_due_at = $2 WHERE account_id = $1 AND waits';
        await postgres.query(sql, [accountId, new Date(instant).toISOString()]);
      }, stack.file());
      await tellSubscriptions(stack, accountId, ids);
    },
    /** What is asked meanwhile; done or not: a call that was cut off is not asked again. */
    async change(): Promise<void> {
      await Promise.allSettled([
        call.patch('/api/customers/child-0/', { billed_to: 'payer' }),
        call.patch('/api/customers/child-1/', { billed_to: null }),
        call.post(`/api/subscriptions/${ids[2]}/pause`),
        call.post(`/api/subscriptions/${ids[3]}/cancel`),
      ]);
    },
    /** All that was issued, once each period was. */
    invoices: () =>
      waitUntil(
        async () => itemsOf((await patiently(() => call.get('/api/invoices?page_size=200'))).body.results),
        (issued) => sectionsOfPeriods(issued).length >= CHILDREN,
        PATIENCE_MS,
      ),
  };
}

/** The subscriptions whose periods were invoiced. */
export function sectionsOfPeriods(issued: Json[]): string[] {
  const sectionsOf = (one: Json) => (one.subscription_id === null ? itemsOf(one.sections) : [one]);
  return issued
    .filter(({ kind }) => String(kind) === 'period')
    .flatMap(sectionsOf)
    .map(({ subscription_id }) => String(subscription_id));
}
