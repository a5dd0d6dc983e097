import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { changePrepaidUnits } from '../../../services/subscriptions/change-prepaid-units.ts';
import { createClickHouse } from '../../../sql/clickhouse/clickhouse.ts';
import { newAccount } from '../../stack/accounts.ts';
import { stack } from '../../stack/api.ts';
import { invoicesOf, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { makeMetric } from '../../stack/resources.ts';
import { connectActivities } from '../activity-fixture.ts';

/** A way to ClickHouse that takes every question and carries none of them on until it is opened: as a server that has stopped. */
async function startGate(target: URL) {
  const opening = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const server = createServer((incoming) => {
    incoming.on('error', () => {});
    asked.resolve();
    opening.promise.then(() => {
      const onward = connect(Number(target.port), target.hostname);
      onward.on('error', () => incoming.destroy());
      incoming.pipe(onward).pipe(incoming);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href, asked: asked.promise, open: opening.resolve, close: () => server.close() };
}

test('while ClickHouse hangs in the middle of a change that is invoiced, the account’s other invoices get their numbers', async () => {
  const { api, accountId } = await newAccount();
  const metricId = String((await makeMetric(api)).metric_id);
  const components = [{ metric_id: metricId, overage_price: 0.5, prepaid_units: 100 }];
  const subscriptionId = await subscribe(api, {
    customer_id: await makeCustomer(api, 'prepays'),
    plan_id: await makePlan(api, { components }),
  });
  const ahead = await makePlan(api, { charge_timing: 'in_advance' });
  const customers = [await makeCustomer(api, 'second'), await makeCustomer(api, 'third')];

  const gate = await startGate(new URL(stack().clickhouse_url));
  const { dependencies, close } = await connectActivities();
  const clickhouse = createClickHouse(gate.url);
  const request = { metricId, units: '150', invoicingBehavior: 'invoice_now' } as const;
  const call = { accountId, subscriptionId, operationId: newId('req'), requestHash: '', request };
  const hanging = changePrepaidUnits({ ...dependencies, clickhouse }, call, new AbortController().signal);
  try {
    await Promise.race([gate.asked, hanging]);
    for (const customer_id of customers) await subscribe(api, { customer_id, plan_id: ahead });
  } finally {
    gate.open();
    await hanging;
    await Promise.all([clickhouse.close(), close()]);
    gate.close();
  }
  const invoices = await invoicesOf(api, '');
  expect(invoices.map(({ invoice_number, kind, total }) => `${invoice_number} ${kind} ${total}`)).toEqual([
    'INV-000001 opening 50',
    'INV-000002 opening 29',
    'INV-000003 opening 29',
    'INV-000004 proration 25',
  ]);
});
