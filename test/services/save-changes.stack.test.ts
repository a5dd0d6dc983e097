import { expect, test } from 'vitest';
import type { ChangeSet } from '../../billing/change-set.ts';
import { decideInvoices } from '../../billing/decide/issue-invoices.ts';
import { saveChanges } from '../../services/billing/save-changes.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import { invoicesInput, wantedOf } from '../billing/decide/issue-fixtures.ts';
import { newAccount, type TestAccount, withPostgres } from '../stack/accounts.ts';
import { itemsOf } from '../stack/api.ts';
import { invoicesOf, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';

/** A decision of an invoice for each of these amounts. */
async function decisionOf({ accountId, api }: TestAccount, amounts: readonly string[]): Promise<ChangeSet> {
  const customer_id = await makeCustomer(api, `of ${amounts.length}`);
  const plan_id = await makePlan(api, { charge_timing: 'in_arrears' });
  const subscriptionId = await subscribe(api, { customer_id, plan_id });
  return withPostgres((postgres) =>
    inTransaction(postgres, accountId, async (tx) => {
      const customer = await loadCustomer(tx, accountId, customer_id);
      // Several of one subscription: of different periods.
      const wanted = amounts.map((amount, index) => {
        const { period, ...of } = wantedOf(amount);
        return { ...of, subscriptionId, period: { ...period, index: index + 7 } };
      });
      return decideInvoices({ ...invoicesInput({ payer: customer }), customer }, wanted).changes;
    }),
  );
}

/** Saves a decision; answers its ids, and how many statements it was. */
function save(accountId: string, changes: ChangeSet) {
  return withPostgres((postgres) =>
    inTransaction(postgres, accountId, async (tx) => {
      let statements = 0;
      const { query } = tx;
      tx.query = (...statement) => {
        statements += 1;
        return query(...statement);
      };
      const ids = await saveChanges(tx, accountId, changes);
      return { ids, statements };
    }),
  );
}

test('ten invoices are saved in as many statements as one, and none waits for another', async () => {
  const account = await newAccount();
  const { accountId, api } = account;
  const one = await save(accountId, await decisionOf(account, ['-30']));
  const amounts = ['-30', ...Array.from({ length: 9 }, () => '10')];
  const changes = await decisionOf(account, amounts);
  const ten = await save(accountId, changes);
  // An invoice that a credit pays takes one statement more, and so does one that is open.
  expect(one.statements).toBeGreaterThan(0);
  expect(ten.statements - one.statements).toBe(2);
  expect(await invoicesOf(api, '')).toHaveLength(11);
});

test('whatever has a local id gets the id of a record, and each text names the invoice by its number', async () => {
  const account = await newAccount();
  const { accountId, api } = account;
  const changes = await decisionOf(account, ['-30', '10']);
  const { ids } = await save(accountId, changes);
  const made = changes.invoices?.flatMap(({ invoice }) => [
    invoice.invoiceId,
    ...invoice.lines.map((line) => line.lineId),
  ]);
  const credits = changes.credits?.map(({ creditId }) => creditId) ?? [];
  expect([...ids.keys()].toSorted()).toEqual([...(made ?? []), ...credits].toSorted());
  const [first, second] = await invoicesOf(api, '');
  expect([first?.invoice_id, second?.invoice_id]).toEqual(
    changes.invoices?.map(({ invoice }) => ids.get(invoice.invoiceId)),
  );
  const [credit] = itemsOf((await api.get('/api/credits')).body.results);
  expect(credit).toMatchObject({ credit_id: ids.get(credits[0] ?? ''), amount_remaining: 20 });
  expect(credit?.description).toBe('Overpayment of invoice INV-000001');
  expect(credit?.applications).toMatchObject([{ invoice_id: second?.invoice_id, amount: 10 }]);
  expect(itemsOf(second?.lines).at(-1)).toMatchObject({ credit_id: credit?.credit_id });
});

test('a change set that names a record which it does not make is refused', async () => {
  const account = await newAccount();
  const changes = await decisionOf(account, ['10']);
  const postings = changes.postings?.map((one) => ({ ...one, subject: { ...one.subject, invoiceId: 'new:9' } }));
  await expect(save(account.accountId, { ...changes, postings: postings ?? [] })).rejects.toThrow(
    'makes no record new:9',
  );
  expect(await invoicesOf(account.api, '')).toEqual([]);
});

test('what a caller has written is never read as a name', async () => {
  const account = await newAccount();
  const changes = await decisionOf(account, ['10']);
  const invoices = changes.invoices?.map(({ invoice, ...of }) => {
    const lines = invoice.lines.map((line) => ({ ...line, description: 'Plan {invoice:new:1}' }));
    return { ...of, invoice: { ...invoice, lines } };
  });
  await save(account.accountId, { ...changes, invoices: invoices ?? [] });
  const [invoice] = await invoicesOf(account.api, '');
  expect(itemsOf(invoice?.lines).map(({ description }) => description)).toEqual(['Plan {invoice:new:1}']);
});

test('a period that has ended does not end again', async () => {
  const { accountId, api } = await newAccount();
  const plan_id = await makePlan(api, { charge_timing: 'in_arrears' });
  const subscriptionId = await subscribe(api, { customer_id: await makeCustomer(api, 'acme'), plan_id });
  const ended = { subscriptionId, periodIndex: 0, closedAt: Date.now(), invoiceDueAt: Date.now(), addons: [] };
  await save(accountId, { periodsEnded: [ended] });
  await expect(save(accountId, { periodsEnded: [ended] })).rejects.toThrow('1 periods end, 0 were open');
});
