import { expect, test } from 'vitest';
import { copyPlan } from '../../../bench/many-subscriptions.ts';
import { isLargeCustomer } from '../../../services/customers/is-large-customer.ts';
import { newAccount } from '../../stack/accounts.ts';
import { api as clientOf, itemsOf, stack } from '../../stack/api.ts';
import { makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { patientPool } from '../../stack/own-database.ts';
import { landed, makeMetric, track } from '../../stack/resources.ts';

/** What takes long for a customer of many subscriptions is answered by a thread of the API (decisions/large-customers). */

test('a large customer is answered as a small one: draft, its explanation, costs, the portal; refusals, too', async () => {
  const { api, accountId } = await newAccount();
  const customer_id = await makeCustomer(api, 'large', {
    test_clock_id: await makeClock(api, '2026-03-10T00:00:00Z'),
    tax_rate: 10,
  });
  const { metric_id } = await makeMetric(api, {});
  const components = [{ metric_id, overage_price: 0.5 }];
  const plan_id = await makePlan(api, { name: 'Plan', recurring_fee: 30, components });
  const subscription_id = await subscribe(api, { customer_id, plan_id, start_date: '2026-03-01' });
  await track(api, { customer_id, time_created: '2026-03-02T00:00:00Z' });
  await landed(api);

  const postgres = patientPool(stack().postgres_url);
  const isLarge = () => isLargeCustomer(postgres, { accountId, customerId: customer_id });
  const url = `/api/customers/${customer_id}`;
  const explain = `${url}/draft_invoice/explain?subscription_id=${subscription_id}&metric_id=${metric_id}`;
  const costs = `${url}/cost_analysis/?start_date=2026-03-01&end_date=2026-03-10`;
  const ids = { planId: plan_id, subscriptionId: subscription_id };
  try {
    await copyPlan(postgres, accountId, ids, 48);
    expect(await isLarge()).toBe(false);
    const small = [await api.get(`${url}/draft_invoice/`), await api.get(explain), await api.get(costs)];
    await copyPlan(
      postgres,
      accountId,
      { ...ids, planId: `${plan_id}-1`, subscriptionId: `${subscription_id}-000001` },
      1,
    );
    expect(await isLarge()).toBe(true);
    const large = [await api.get(`${url}/draft_invoice/`), await api.get(explain), await api.get(costs)];

    expect(large.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [before, after] = [small[0], large[0]].map(
      (draft) => new Map(itemsOf(draft?.body.invoices).map((one) => [one.subscription_id, one])),
    );
    expect([before?.size, after?.size]).toEqual([49, 50]);
    for (const [id, bill] of before ?? []) expect(after?.get(id)).toEqual(bill);
    // Fifty times 30 and 0.50, and a tenth of it.
    expect(large[0]?.body).toMatchObject({ subtotal: 1525, total: 1677.5 });
    expect(large[1]?.body).toEqual(small[1]?.body);
    expect(large[2]?.body).not.toEqual(small[2]?.body);

    const none = await api.get(`${url}/draft_invoice/explain?subscription_id=sub_none&metric_id=${metric_id}`);
    expect(none).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(none.body.request_id).toBe(none.headers.get('x-request-id'));

    const link = await api.post(`${url}/portal_link`, {});
    const shown = await clientOf(null).get(`${new URL(String(link.body.url)).pathname}/api/draft_invoice`);
    expect(shown).toMatchObject({ status: 200, body: { total: 1677.5 } });
    expect(shown.text).not.toContain('test_clock_id');
  } finally {
    await postgres.end();
  }
});
