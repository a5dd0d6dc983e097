import { expect, test } from 'vitest';
import { decimal } from '../../core/decimal.ts';
import { instantFromIso } from '../../core/instants.ts';
import { createLog } from '../../runtime/log.ts';
import { attachAddon } from '../../services/addons/attach-addon.ts';
import { createAddon } from '../../services/addons/create-addon.ts';
import { createPlan } from '../../services/catalog/create-plan.ts';
import { createCredit } from '../../services/credits/create-credit.ts';
import { createCustomer } from '../../services/customers/create-customer.ts';
import { loadCustomerRecord } from '../../services/customers/customer-records.ts';
import { voidInvoice } from '../../services/invoices/void.ts';
import { createSubscription } from '../../services/subscriptions/create-subscription.ts';
import { addUsage } from '../../services/transactions.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { inReading, inTransaction } from '../../sql/postgres/postgres.ts';
import { addonAttach, addonCreate } from '../../wire/addons.ts';
import { creditCreate } from '../../wire/credits.ts';
import { customerCreate } from '../../wire/customers.ts';
import { planCreate } from '../../wire/plans.ts';
import { subscriptionCreate } from '../../wire/subscriptions/new-subscription.ts';
import { newAccount, withPostgres } from '../stack/accounts.ts';

const NOW = instantFromIso('2026-03-10T12:00:00Z') ?? 0;
const NO_PROCESSORS = {
  connections: { find: async () => undefined },
  log: createLog('test', 'silent'),
};

test('use cases need a database and nothing else: a customer subscribes, gets an add-on and a credit, its invoice is voided', async () => {
  const { accountId } = await newAccount();
  await withPostgres(async (postgres) => {
    const nowhere = createClickHouse('http://127.0.0.1:1', undefined);
    const transactions = addUsage(nowhere, {
      read: (work) => inReading(postgres, accountId, work),
      write: (work) => inTransaction(postgres, accountId, async (tx) => (await work(tx)).answer),
    });
    const { write, writeWithUsage, readWithUsage } = transactions;

    const wanted = customerCreate.parse({ customer_id: 'acme', email: 'billing@acme.example' });
    expect(await createCustomer(transactions, NO_PROCESSORS, accountId, wanted, NOW)).toMatchObject({
      customer_id: 'acme',
      subscriptions: [],
    });
    const fee = { name: 'Pro', recurring_fee: decimal(29), billing_period: 'monthly', charge_timing: 'in_advance' };
    const plan = await write((tx) => createPlan(tx, accountId, planCreate.parse(fee), { now: NOW }));
    const subscribed = await writeWithUsage((stores) =>
      createSubscription(
        stores,
        accountId,
        subscriptionCreate.parse({ customer_id: 'acme', plan_id: plan.plan_id }),
        NOW,
      ),
    );
    const ofSubscription = { accountId, subscriptionId: subscribed.subscription_id };
    const addon = await write((tx) =>
      createAddon(tx, accountId, addonCreate.parse({ name: 'Support', kind: 'recurring', price: decimal(5) }), NOW),
    );
    const attached = addonAttach.parse({ addon_id: addon.addon_id });
    await write((tx) => attachAddon(tx, ofSubscription, attached, NOW));
    const credit = creditCreate.parse({ customer_id: 'acme', amount: decimal('7.50'), reason: 'goodwill_credit' });
    await write((tx) => createCredit(tx, accountId, credit, NOW));

    const { billing } = await readWithUsage((stores) => loadCustomerRecord(stores, { accountId, customerId: 'acme' }));
    expect(billing.subscriptions.map(({ addons }) => addons.map(({ addonId }) => addonId))).toEqual([[addon.addon_id]]);
    const [opening] = billing.invoices;
    expect(opening?.total.toFixed(2)).toBe('29.00');
    expect(await write((tx) => voidInvoice(tx, accountId, opening?.invoiceNumber ?? '', { now: NOW }))).toMatchObject({
      status: 'void',
      voided_at: '2026-03-10T12:00:00.000Z',
    });
    await nowhere.close();
  });
});
