import { decimal, sum } from '../../core/decimal.ts';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import {
  findTestClock,
  updateClockAdvancing,
  updateClockArrived,
} from '../../sql/postgres/subscriptions/test-clocks.ts';
import { testClockWorkflowId } from '../../workflows/workflow-ids.ts';
import { advance } from '../workflows/in-process-clock.ts';
import { type TestAccount, withPostgres } from './accounts.ts';
import { type Api, itemsOf, type Json } from './api.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from './clocks.ts';
import { withoutWorkflow } from './held-workflow.ts';

export const FIRST_DAY = '2026-03-02T00:00:00.000Z';
const PERIOD_MS = 30 * 86_400_000;

export type BilledCustomer = {
  customerId: string;
  clockId: string;
  /** The clock's time: the end of the last billed period, a Wednesday after the first one. */
  now: string;
  invoices: Json[];
};

/**
 * A customer on a test clock whose first `periods` months have been billed, a fee of 100 each (tax as `customer` says),
 * after `before` has done what it wants to with the clock at {@link FIRST_DAY}.
 */
export async function makeBilledCustomer(
  api: Api,
  options: {
    periods?: number;
    customer?: Record<string, unknown>;
    before?: (customerId: string) => Promise<void>;
  } = {},
): Promise<BilledCustomer> {
  const { periods = 1, customer = {}, before } = options;
  const clockId = await makeClock(api, FIRST_DAY);
  const customerId = await makeCustomer(api, 'acme', { test_clock_id: clockId, ...customer });
  await before?.(customerId);
  await subscribe(api, { customer_id: customerId, plan_id: await makePlan(api, { recurring_fee: 100 }) });
  const now = new Date(Date.parse(FIRST_DAY) + periods * PERIOD_MS).toISOString();
  await advance(api, clockId, now);
  return { customerId, clockId, now, invoices: await invoicesOf(api, `customer_id=${customerId}`) };
}

/** A customer's whole ledger, oldest first; numbers as their digits. */
export async function ledgerOf(api: Api, customerId: string): Promise<Json[]> {
  const all: Json[] = [];
  for (let page = 1; ; page++) {
    const { exact } = await api.get(`/api/customers/${customerId}/ledger?page_size=200&page=${page}`);
    all.push(...itemsOf(exact.results));
    if (exact.next === null) return all.toReversed();
  }
}

/** The types of the events about a resource, e.g. `invoice/<id>`, with what they carry, in the order they were written. */
export async function eventsOf(subject: string): Promise<{ type: string; data: string }[]> {
  const sql = 'SELECT type, data::text FROM outbox_events WHERE subject = $1 ORDER BY seq';
  return withPostgres(async (postgres) => (await postgres.query<{ type: string; data: string }>(sql, [subject])).rows);
}

/** The balance of one ledger account in these transactions, as its digits. */
export function balanceOf(ledger: Json[], ledgerAccount: string): string {
  const entries = ledger.flatMap((transaction) => itemsOf(transaction.entries));
  const amounts = entries.filter((entry) => String(entry.ledger_account) === ledgerAccount);
  return sum(amounts.map(({ amount }) => decimal(String(amount)))).toFixed();
}

/** Holds a clock in its advance while `work` runs. */
export async function whileAdvancing<T>(
  { accountId }: TestAccount,
  clockId: string,
  work: () => Promise<T>,
): Promise<T> {
  const inPostgres = (change: (tx: Transaction) => Promise<void>) =>
    withPostgres((postgres) => inTransaction(postgres, accountId, change));
  return withoutWorkflow(testClockWorkflowId({ accountId, testClockId: clockId }), async () => {
    await inPostgres(async (tx) => {
      const clock = await findTestClock(tx, accountId, clockId);
      await updateClockAdvancing(tx, accountId, clockId, (clock?.frozenTime ?? 0) + 1);
    });
    try {
      return await work();
    } finally {
      await inPostgres((tx) => updateClockArrived(tx, accountId, clockId));
    }
  });
}
