import { expect, test } from 'vitest';
import { whileVerifying } from '../../sql/postgres/chain/chain-checks.ts';
import { findBentBalance } from '../../sql/postgres/chain/customer-balances.ts';
import { newAccount, type TestAccount, withPostgres } from '../stack/accounts.ts';
import type { Api } from '../stack/api.ts';
import { invoicesOf, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { bend, verifyChainOf, wholeHeadOf } from '../stack/verify-chain.ts';

/** What customers have left and owe, which changes, beside what the ledger says of it, which must not (spec/chain#verification). */
const verify = ({ accountId }: TestAccount) =>
  withPostgres(async (postgres) => {
    await wholeHeadOf(postgres, accountId);
    return (await verifyChainOf(postgres, accountId)).bent;
  });

const changed = (recordId: string, fields: object[]) => {
  return { found: 'balance_changed', sequence: null, kind: 'customer', recordId, fields };
};

async function grant(api: Api, customer_id: string, amount: number) {
  expect((await api.post('/api/credits', { customer_id, amount })).status).toBe(201);
}

const FIVE = "account_id = $A AND customer_id = 'acme' AND amount = 5";
const SEVEN = "account_id = $A AND customer_id = 'beta'";
const forge = (customer: string) =>
  `INSERT INTO credits (account_id, credit_id, customer_id, amount, amount_remaining, currency, reason, created_at)
   VALUES ($A, 'crd_forged', '${customer}', 80, 70.50, 'USD', 'goodwill_credit', now())`;
const dollars = (stored: string, chained: string) => ({ field: 'customer_credits.USD', stored, chained });

const FORGED: [what: string, sql: string, bent: object][] = [
  [
    'raised',
    `UPDATE credits SET amount = 1000.25, amount_remaining = 1000.25 WHERE ${FIVE}`,
    changed('acme', [dollars('1002.25', '7')]),
  ],
  ['lowered', `UPDATE credits SET amount_remaining = 0 WHERE ${FIVE}`, changed('acme', [dollars('2', '7')])],
  ['put there beside another', forge('beta'), changed('beta', [dollars('77.5', '7')])],
  ['put there as the only one', forge('gamma'), changed('gamma', [dollars('70.5', '0')])],
  ['deleted', `DELETE FROM credits WHERE ${SEVEN}`, changed('beta', [dollars('0', '7')])],
  [
    'moved to a customer without any',
    `UPDATE credits SET customer_id = 'gamma' WHERE ${SEVEN}`,
    changed('beta', [dollars('0', '7')]),
  ],
  [
    'moved to a customer who comes first',
    `UPDATE credits SET customer_id = 'acme' WHERE ${SEVEN}`,
    changed('acme', [dollars('14', '7')]),
  ],
  [
    'in another currency',
    `UPDATE credits SET currency = 'EUR' WHERE ${SEVEN}`,
    changed('beta', [{ field: 'customer_credits.EUR', stored: '7', chained: '0' }, dollars('0', '7')]),
  ],
];

test.each(FORGED)('a credit %s is found by what the ledger says', async (_what, sql, bent) => {
  const account = await newAccount();
  for (const customer of ['acme', 'beta', 'gamma']) await makeCustomer(account.api, customer);
  await grant(account.api, 'acme', 5);
  await grant(account.api, 'acme', 2);
  await grant(account.api, 'beta', 7);
  expect(await verify(account)).toBe(null);
  await bend(account, sql);
  expect(await verify(account)).toEqual(bent);
});

test('an invoice that was marked as paid, or has less due, with SQL is found by what the ledger says is owed', async () => {
  const account = await newAccount();
  const { api } = account;
  const plan_id = await makePlan(api, { charge_timing: 'in_advance' });
  await makeCustomer(api, 'acme');
  await subscribe(api, { customer_id: 'acme', plan_id });
  const [invoice] = await invoicesOf(api, 'customer_id=acme');
  expect(invoice).toMatchObject({ status: 'open', amount_due: '29' });
  const owed = (stored: string) => changed('acme', [{ field: 'accounts_receivable.USD', stored, chained: '29' }]);
  await bend(account, "UPDATE invoices SET status = 'paid', amount_due = 0, amount_paid = 29 WHERE account_id = $A");
  expect(await verify(account)).toEqual(owed('0'));
  await bend(account, "UPDATE invoices SET status = 'void', voided_at = now(), amount_paid = 0 WHERE account_id = $A");
  expect(await verify(account)).toEqual(owed('0'));
  await bend(
    account,
    "UPDATE invoices SET status = 'open', voided_at = NULL, amount_due = 4, amount_paid = 25 WHERE account_id = $A",
  );
  expect(await verify(account)).toEqual(owed('4'));
  await bend(account, "UPDATE invoices SET status = 'open', amount_due = 29, amount_paid = 0 WHERE account_id = $A");
  expect((await api.post(`/api/invoices/${invoice?.invoice_id}/mark_uncollectible`)).status).toBe(200);
  expect(await verify(account)).toBe(null);
});

test('customers are looked at in pages, each of them whole', async () => {
  const account = await newAccount();
  const customers = ['a', 'b', 'c', 'd'];
  for (const customer of customers) {
    await makeCustomer(account.api, customer);
    for (const amount of [1, 2, 3]) await grant(account.api, customer, amount);
  }
  /** Ends of the pages, and what was found first. */
  const walk = async (rows: number) => {
    const ends: string[] = [];
    for (;;) {
      const find = () =>
        withPostgres((postgres) =>
          whileVerifying(postgres, (tx) => findBentBalance(tx, account.accountId, ends.at(-1) ?? '', rows)),
        );
      const { last, bent } = await find();
      if (bent || last === null) return { ends, bent };
      ends.push(last);
    }
  };
  expect(await walk(1)).toEqual({ ends: customers, bent: null });
  expect(await walk(8)).toEqual({ ends: ['b', 'd'], bent: null });
  await bend(
    account,
    "UPDATE credits SET amount_remaining = 0 WHERE account_id = $A AND customer_id IN ('c', 'd') AND amount = 3",
  );
  const bent = changed('c', [dollars('3', '6')]);
  expect(await walk(1)).toEqual({ ends: ['a', 'b'], bent });
  expect(await walk(8)).toEqual({ ends: ['b'], bent });
});

test('nothing is found while credits are given and pay invoices', async () => {
  const account = await newAccount();
  const { api } = account;
  const plan_id = await makePlan(api, { charge_timing: 'in_advance' });
  const bill = async (customer_id: string) => {
    await makeCustomer(api, customer_id);
    await grant(api, customer_id, 12);
    await grant(api, customer_id, 50);
    await subscribe(api, { customer_id, plan_id });
  };
  let billed = false;
  const billing = Promise.all(Array.from({ length: 6 }, (_, i) => bill(`c${i}`))).finally(() => {
    billed = true;
  });
  const found: unknown[] = [];
  while (!billed) found.push((await withPostgres((postgres) => verifyChainOf(postgres, account.accountId))).bent);
  await billing;
  expect(found.filter((bent) => bent !== null)).toEqual([]);
  const [invoice] = await invoicesOf(api, 'customer_id=c3');
  expect(invoice).toMatchObject({ status: 'paid', credits_applied: '29' });
  expect(await verify(account)).toBe(null);
});
