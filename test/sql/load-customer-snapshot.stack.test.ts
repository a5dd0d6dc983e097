import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { draftParts } from '../../billing/invoices/draft-parts.ts';
import { toPlain } from '../../core/decimal.ts';
import { loadCustomerSnapshot } from '../../services/snapshot/load-customer-snapshot.ts';
import { answerUsages } from '../../services/usage/answer-usage.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { NOTHING_ROLLED_UP } from '../../sql/clickhouse/metrics/rollup-query.ts';
import { createPool } from '../../sql/postgres/postgres.ts';
import { newAccount } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';
import { trackCalls } from '../stack/bills.ts';
import { makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { landed, makeMetric } from '../stack/resources.ts';

/** A way to ClickHouse that counts the questions. */
async function startCounter(target: string) {
  let asked = 0;
  const server = createServer((incoming, outgoing) => {
    asked++;
    const { method, headers, url } = incoming;
    const onward = request(`${target}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => incoming.socket.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href, asked: () => asked, stop };
}

test('a draft of 25 subscriptions takes one transaction and two questions, as one of a single subscription does', async () => {
  const { api, accountId } = await newAccount();
  const metrics: string[] = [];
  for (const fields of [{}, { aggregation_type: 'unique', property_name: 'user' }]) {
    metrics.push(String((await makeMetric(api, fields)).metric_id));
  }
  const components = metrics.map((metric_id) => ({ metric_id, overage_price: 1 }));
  const today = Date.now();
  const subscribeOften = async (customer_id: string, count: number) => {
    await makeCustomer(api, customer_id);
    for (let i = 0; i < count; i++) {
      const start_date = new Date(today - (i % 9) * 86_400_000).toISOString().slice(0, 10);
      await subscribe(api, {
        customer_id,
        plan_id: await makePlan(api, { name: `Plan ${i}`, components }),
        start_date,
      });
    }
    await trackCalls(api, customer_id, new Date(today).toISOString(), 3, { user: 'ann' });
  };
  await subscribeOften('one', 1);
  await subscribeOften('many', 25);
  await landed(api);

  const counter = await startCounter(stack().clickhouse_url);
  const postgres = createPool(stack().postgres_url);
  let transactions = 0;
  postgres.on('acquire', () => transactions++);
  const sources = { postgres, clickhouse: createClickHouse(counter.url), rolledUp: NOTHING_ROLLED_UP };
  const draftOf = async (customerId: string) => {
    const before = { transactions, asked: counter.asked() };
    const question = { accountId, customerId, now: Date.now() };
    const snapshot = await loadCustomerSnapshot(sources, question);
    if (!snapshot) throw new Error('the customer is missing');
    const parts = (await answerUsages(sources, question, draftParts(snapshot))).flat();
    const quantities = parts.flatMap(({ usages }) => usages.map(({ quantity }) => toPlain(quantity)));
    const cost = { transactions: transactions - before.transactions, asked: counter.asked() - before.asked };
    return { parts: parts.length, quantities: new Set(quantities), ...cost };
  };
  try {
    const quantities = new Set(['3', '1']);
    expect(await draftOf('one')).toMatchObject({ parts: 1, quantities, transactions: 1 });
    const many = await draftOf('many');
    expect(many).toMatchObject({ parts: 25, quantities, transactions: 1 });
    expect(many.asked).toBeLessThanOrEqual(2);
  } finally {
    await Promise.all([postgres.end(), sources.clickhouse.close()]);
    counter.stop();
  }
});
