import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { draftParts } from '../../billing/invoices/draft-parts.ts';
import type { CustomerState } from '../../billing/state/customer-state.ts';
import { toPlain } from '../../core/decimal.ts';
import { plainFromJson, plainToJson } from '../../core/plain-json.ts';
import { loadState, loadStatesWith } from '../../services/billing/load-state.ts';
import { answerUsages, answerUsagesOf } from '../../services/usage/answer-usage.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { NOTHING_ROLLED_UP } from '../../sql/clickhouse/metrics/rollup-query.ts';
import { newAccount } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';
import { trackCalls } from '../stack/bills.ts';
import { makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { patientPool } from '../stack/own-database.ts';
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

/** Records and usage of the shared stack; what is asked of them is counted. */
async function countedSources() {
  const counter = await startCounter(stack().clickhouse_url);
  const postgres = patientPool(stack().postgres_url);
  let transactions = 0;
  postgres.on('acquire', () => transactions++);
  const sources = { postgres, clickhouse: createClickHouse(counter.url), rolledUp: NOTHING_ROLLED_UP };
  return {
    sources,
    counted: () => ({ transactions, asked: counter.asked() }),
    stop: async () => {
      await Promise.all([postgres.end(), sources.clickhouse.close()]);
      counter.stop();
    },
  };
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
    // Usage from before its creation is another subscription's, so it comes behind the last of them.
    await trackCalls(api, customer_id, new Date().toISOString(), 3, { user: 'ann' });
  };
  await subscribeOften('one', 1);
  await subscribeOften('many', 25);
  await landed(api);

  const { sources, counted, stop } = await countedSources();
  const draftOf = async (customerId: string) => {
    const before = counted();
    const question = { accountId, customerId, now: Date.now() };
    const state = await loadState(sources, question);
    if (!state) throw new Error('the customer is missing');
    const again = plainFromJson(plainToJson(state)) as CustomerState;
    expect(again).toEqual(state);
    const parts = (await answerUsages(sources, question, draftParts(again))).flat();
    const quantities = parts.flatMap(({ usages }) => usages.map(({ quantity }) => toPlain(quantity)));
    const cost = { transactions: counted().transactions - before.transactions, asked: counted().asked - before.asked };
    return { parts: parts.length, quantities: new Set(quantities), ...cost };
  };
  try {
    const quantities = new Set(['3', '1']);
    expect(await draftOf('one')).toMatchObject({ parts: 1, quantities, transactions: 1 });
    const many = await draftOf('many');
    // Nothing was used before the earlier ones began, which is a line of its own.
    expect(many).toMatchObject({ parts: 25, quantities: new Set(['0', ...quantities]), transactions: 1 });
    expect(many.asked).toBeLessThanOrEqual(2);
  } finally {
    await stop();
  }
});

test('customers are loaded together, in one transaction and few questions: each as it is alone', async () => {
  const { api, accountId } = await newAccount();
  const { metric_id } = await makeMetric(api);
  const plan = { components: [{ metric_id, overage_price: 1 }] };
  const plans = [await makePlan(api, { ...plan, name: 'A' }), await makePlan(api, { ...plan, name: 'B' })];
  const ids = Array.from({ length: 8 }, (_, i) => `child-${i}`);
  for (const [i, customer_id] of ids.entries()) {
    await makeCustomer(api, customer_id);
    for (const plan_id of plans.slice(i % 2)) await subscribe(api, { customer_id, plan_id });
    await api.post('/api/credits', { customer_id, amount: i + 1 });
  }
  const now = Date.now();
  for (const [i, customer_id] of ids.entries()) {
    if (i > 0) await trackCalls(api, customer_id, new Date(now).toISOString(), i, {});
  }
  await landed(api);
  const { sources, counted, stop } = await countedSources();
  /** The account, the rules and what they are made of are read anew; all else is compared. */
  const shown = ({ customer, subscriptions, credits, pending, watermarks }: CustomerState) => {
    return { customer, subscriptions, credits, pending, watermarks };
  };
  try {
    const before = counted();
    const asked = { accountId, customerIds: [...ids, 'nobody'], now };
    const read = await loadStatesWith(sources, asked, async (_, those) => those.length);
    const states = read
      .flatMap((one) => one.states)
      .toSorted((a, b) => (a.customer.customerId < b.customer.customerId ? -1 : 1));
    expect(read.map(({ also }) => also)).toEqual([8]);
    const owners = states.map((state) => {
      return { owner: { accountId, customerId: state.customer.customerId }, sequence: draftParts(state) };
    });
    const parts = (await answerUsagesOf(sources, owners)).map((some) => some.flat());
    // The later ones of a customer count from their creation on: with the others these are two questions at most.
    expect(counted().transactions).toBe(before.transactions + 1);
    expect(counted().asked).toBeLessThanOrEqual(before.asked + 2);
    for (const [i, customerId] of ids.entries()) {
      const question = { accountId, customerId, now };
      const alone = await loadState(sources, question);
      if (!alone) throw new Error('the customer is missing');
      const together = states[i];
      expect(together && shown(together)).toEqual(shown(alone));
      expect(alone.credits).toHaveLength(1);
      const usages = (some: (typeof parts)[number] | undefined) =>
        some?.flatMap((part) => part.usages.map(({ subscriptionId, quantity }) => [subscriptionId, toPlain(quantity)]));
      const own = (await answerUsages(sources, question, draftParts(alone))).flat();
      expect(usages(parts[i])).toEqual(usages(own));
      expect(usages(own)?.map(([, quantity]) => quantity)).toEqual(plans.slice(i % 2).map(() => `${i}`));
    }
  } finally {
    await stop();
  }
});
