import { expect, test } from 'vitest';
import { emptyLine } from '../../billing/invoices/invoice-lines.ts';
import { decimal } from '../../core/decimal.ts';
import { newId } from '../../core/ids.ts';
import { systemClock } from '../../runtime/clock.ts';
import { issueInvoices } from '../../services/invoices/issue-invoices.ts';
import type { SubscriptionRef } from '../../services/references.ts';
import { loadSubscriptionSnapshot } from '../../services/subscriptions/move-subscription.ts';
import { inTransaction, type Transaction } from '../../sql/postgres/postgres.ts';
import { newAccount, type TestAccount, withPostgres } from '../stack/accounts.ts';
import { itemsOf, type Json } from '../stack/api.ts';
import { invoicesOf, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';

async function makeOwner({ accountId, api }: TestAccount, name: string): Promise<SubscriptionRef> {
  const customer_id = await makeCustomer(api, name);
  const plan_id = await makePlan(api, { charge_timing: 'in_arrears' });
  return { accountId, subscriptionId: await subscribe(api, { customer_id, plan_id }) };
}

/** Issues an invoice of each of these amounts, as time does. */
async function issue(tx: Transaction, { accountId, subscriptionId }: SubscriptionRef, amounts: readonly number[]) {
  const { account, customer, subscription } = await loadSubscriptionSnapshot(tx, accountId, subscriptionId);
  const { currentPeriod: period } = subscription;
  const now = systemClock.now();
  const wanted = amounts.map((amount) => {
    const line = { ...emptyLine('proration', 'By hand'), subscriptionId, amount: decimal(amount) };
    const charged = { kind: 'proration', pending: [line] } as const;
    return { subscriptionId, period, charged, operationId: newId('req') };
  });
  await issueInvoices(tx, { account, customer, now, by: { dueAt: now } }, wanted);
}

const numbersOf = (invoices: Json[]) => invoices.map(({ invoice_number, total }) => `${invoice_number} ${total}`);

test('an invoice made first and committed last has the last number; one that is rolled back has none', async () => {
  const account = await newAccount();
  const [first, second] = [await makeOwner(account, 'first'), await makeOwner(account, 'second')];
  await withPostgres(async (postgres) => {
    await inTransaction(postgres, account.accountId, async (tx) => {
      await issue(tx, first, [10, 11]);
      // Neither waits for the other: nobody holds the counter before its transaction ends.
      await inTransaction(postgres, account.accountId, (other) => issue(other, second, [20]));
    });
    const undone = inTransaction(postgres, account.accountId, async (tx) => {
      await issue(tx, first, [12]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await inTransaction(postgres, account.accountId, (tx) => issue(tx, second, [21]));
  });
  expect(numbersOf(await invoicesOf(account.api, ''))).toEqual([
    'INV-000001 20',
    'INV-000002 10',
    'INV-000003 11',
    'INV-000004 21',
  ]);
});

test('all that says the number of an invoice of its transaction says the one that it got', async () => {
  const account = await newAccount();
  const { api, accountId } = account;
  const owner = await makeOwner(account, 'overpays');
  await withPostgres((postgres) =>
    inTransaction(postgres, accountId, async (tx) => {
      await issue(tx, owner, [-30, 10]);
      await issue(tx, owner, [15]);
    }),
  );
  const left = await withPostgres(async (postgres) => {
    const sql = `SELECT text FROM (
        SELECT data::text AS text FROM outbox_events WHERE account_id = $1
        UNION ALL SELECT to_jsonb(a)::text FROM audit_entries a WHERE account_id = $1
        UNION ALL SELECT description FROM credits WHERE account_id = $1
        UNION ALL SELECT description FROM invoice_lines WHERE account_id = $1
      ) said WHERE text LIKE '%{invoice:%'`;
    return (await postgres.query(sql, [accountId])).rows;
  });
  expect(left).toEqual([]);

  const invoices = await invoicesOf(api, '');
  expect(numbersOf(invoices)).toEqual(['INV-000001 -30', 'INV-000002 10', 'INV-000003 15']);
  const text = 'Overpayment of invoice INV-000001';
  const credits = itemsOf((await api.get('/api/credits')).body.results);
  expect(credits.map(({ description }) => description)).toEqual([text]);
  // Of the same call, and of the next one, which has found the credit among the records.
  const said = invoices.slice(1).map(({ lines }) => itemsOf(lines).at(-1)?.description);
  const line = `Overpayment credit: ${text}`;
  expect(said).toEqual([line, line]);
  const events = await withPostgres(async (postgres) => {
    const sql = `SELECT type, data->>'invoice_number' AS number, data->>'description' AS description,
        data->'lines'->-1->>'description' AS line
      FROM outbox_events WHERE account_id = $1 AND type IN ('invoice.created', 'credit.created') ORDER BY seq`;
    return (await postgres.query(sql, [accountId])).rows;
  });
  expect(events).toEqual([
    { type: 'invoice.created', number: 'INV-000001', description: null, line: 'By hand' },
    { type: 'invoice.created', number: 'INV-000002', description: null, line },
    { type: 'credit.created', number: null, description: text, line: null },
    { type: 'invoice.created', number: 'INV-000003', description: null, line },
  ]);
  const entries = itemsOf((await api.get('/api/audit-log?action=invoice.created')).body.results);
  expect(entries.map(({ after }) => (after as Json).invoice_number)).toEqual([
    'INV-000003',
    'INV-000002',
    'INV-000001',
  ]);
});
