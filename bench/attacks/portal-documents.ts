import { invoicesOf } from '../../test/stack/clocks.ts';
import { waitUntil } from '../../test/stack/wait-until.ts';
import { type Attack, startFlood } from './flood.ts';
import { made } from './making.ts';

const [COMPONENTS, MONTHS] = [100, 12];
/** Close to the longest name, in characters that few fonts have. */
const LONG_NAME = 'データ 使用量 '.repeat(100);

/** A guest with a portal link who asks for the PDFs of large invoices, four at a time. */
export const portalDocuments: Attack = async ({ api }) => {
  const { test_clock_id } = await made(api, '/api/test-clocks', { frozen_time: '2026-01-01T00:00:00Z' });
  const customer = { customer_id: 'guest', customer_name: LONG_NAME, email: 'a@b.example', test_clock_id };
  await made(api, '/api/customers/', customer);
  const components: object[] = [];
  for (let i = 0; i < COMPONENTS; i++) {
    const metric = { metric_name: `${i} ${LONG_NAME}`, event_name: `used-${i}`, aggregation_type: 'count' };
    const { metric_id } = await made(api, '/api/metrics', metric);
    components.push({ metric_id, overage_price: 1 });
  }
  const plan = { name: 'Large', recurring_fee: 1, billing_period: 'monthly', components };
  const { plan_id } = await made(api, '/api/plans', plan);
  await made(api, '/api/subscriptions', { customer_id: 'guest', plan_id });
  await api.post(`/api/test-clocks/${test_clock_id}/advance`, { frozen_time: '2027-01-02T00:00:00Z' });
  const invoices = await waitUntil(
    () => invoicesOf(api, 'customer_id=guest'),
    ({ length }) => length >= MONTHS,
    300_000,
  );
  const { url } = await made(api, '/api/customers/guest/portal_link', {});
  const requests = invoices.map(({ invoice_id }) => ({
    ...{ url: `${url}/api/invoices/${invoice_id}/pdf`, method: 'GET', headers: {} },
  }));
  return () => startFlood({ requests, connections: 4, pauseMs: 0 });
};
