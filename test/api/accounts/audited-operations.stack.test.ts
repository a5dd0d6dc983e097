import { expect, test } from 'vitest';
import { OPERATIONS } from '../../../api/routes.ts';
import { type Answer, itemsOf } from '../../stack/api.ts';
import { connectedAccount, newPayer } from '../../stack/processors.ts';
import { entries, requestIdOf } from './audit-log-fixture.ts';

const NOWHERE = 'http://127.0.0.1:9/';

test('each operation that changes something has one entry, named as it is', async () => {
  const { api: client } = await connectedAccount();
  const done = new Map<string, Answer>();
  /** Calls an operation by its name; ids in its path are those of `ids`. */
  const call = async (id: string, ids: Record<string, unknown> = {}, body: object = {}) => {
    const operation = OPERATIONS.find((one) => one.id === id);
    if (!operation) throw new Error(`there is no ${id}`);
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
    const answer =
      operation.method === 'delete' ? await client.delete(path) : await client[operation.method](path, body);
    expect([id, answer.status, answer.text]).toEqual([id, operation.success, answer.text]);
    done.set(id, answer);
    return answer.body;
  };
  const { fields } = await newPayer();

  // What is due later is not collected by itself meanwhile.
  await call('updateAccount', {}, { net_terms_days: 30 });
  const key = await call('createApiKey', {}, { name: 'edge' });
  await call('revokeApiKey', await call('rotateApiKey', key));
  const webhook = await call('createWebhook', {}, { webhook_url: NOWHERE });
  await call('updateWebhook', webhook, { name: 'renamed' });
  await call('rollWebhookSecret', webhook);
  const delivery = await call('testWebhook', webhook);
  await call('redeliverWebhook', { ...webhook, ...delivery });
  await call('deleteWebhook', webhook);

  const acme = await call('createCustomer', {}, { customer_id: 'acme', email: 'a@acme.example', ...fields });
  await call('updateCustomer', acme, { customer_name: 'Acme' });
  const link = await call('createPortalLink', acme);
  await call('revokePortalLinks', acme);
  const metric = await call('createMetric', {}, { metric_name: 'calls', aggregation_type: 'count' });
  await call('updateMetric', metric, { metric_name: 'requests' });
  const terms = { name: 'Pro', recurring_fee: 30, billing_period: 'monthly', charge_timing: 'in_advance' };
  const components = [{ metric_id: metric.metric_id, overage_price: 1 }];
  const plan = await call('createPlan', {}, { ...terms, components });
  await call('updatePlan', plan, { name: 'Pro 2' });
  const prices = [{ when: {}, overage_price: 1 }];
  const grouped = [{ metric_id: metric.metric_id, group_by: ['model'], prices }];
  const book = (await client.post('/api/plans', { ...terms, components: grouped })).body;
  await call('createPrice', book, { metric_id: metric.metric_id, when: { model: 'a' }, overage_price: 2 });
  const larger = (await client.post('/api/plans', { ...terms, recurring_fee: 60 })).body;
  const addon = await call('createAddon', {}, { name: 'Seats', kind: 'quantity', price: 3 });
  await call('updateAddon', addon, { price: 4 });
  const coupon = await call('createCoupon', {}, { name: 'Offer', percent_off: 5, duration: 'forever' });
  await call('updateCoupon', coupon, { max_redemptions: 3 });

  const subscription = await call('createSubscription', {}, { customer_id: 'acme', plan_id: plan.plan_id });
  await call('updateSubscription', subscription, { auto_renew: false });
  await call('attachAddon', subscription, { addon_id: addon.addon_id, quantity: 2 });
  await call('cancelAddon', subscription, { addon_id: addon.addon_id });
  await call('deleteDiscount', await call('createDiscount', subscription, { coupon_id: coupon.coupon_id }));
  await call('archiveCoupon', coupon);
  await call('replacePhases', subscription, { phases: [] });
  await call('changePrepaidUnits', subscription, { metric_id: metric.metric_id, units: 5 });
  await call('pauseSubscription', subscription);
  await call('resumeSubscription', subscription);
  const switched = await call('switchPlan', subscription, { new_plan_id: larger.plan_id });
  await call('cancelSubscription', switched);

  const subscribeAgain = async () =>
    (await client.post('/api/subscriptions', { customer_id: 'acme', plan_id: larger.plan_id })).body;
  const open = async () => {
    const live = await subscribeAgain();
    const { body } = await client.get(`/api/invoices?subscription_id=${live.subscription_id}`);
    const [invoice = {}] = itemsOf(body.results);
    await client.post(`/api/subscriptions/${live.subscription_id}/cancel`, { flat_fee_behavior: 'charge_full' });
    return invoice;
  };
  await call('payInvoice', await open());
  const uncollectible = await open();
  await call('markInvoiceUncollectible', uncollectible);
  await call('voidInvoice', uncollectible);
  const marked = await open();
  await call('markInvoicePaid', marked);
  const transfer = { invoice_id: marked.invoice_id, amount: 1, method: 'bank_transfer' };
  await call('completeRefund', await call('createRefund', {}, transfer));
  await call('cancelRefund', (await client.post('/api/refunds', transfer)).body);
  const credit = await call('createCredit', {}, { customer_id: 'acme', amount: 5 });
  await call('updateCredit', credit, { description: 'sorry' });
  await call('voidCredit', credit);

  const clock = await call('createTestClock', {}, { frozen_time: '2026-01-01T00:00:00Z' });
  await call('advanceTestClock', clock, { frozen_time: '2026-02-01T00:00:00Z' });
  const other = (await client.post('/api/test-clocks', { frozen_time: '2026-01-01T00:00:00Z' })).body;
  await call('deleteTestClock', other);
  await call('archivePlan', plan);
  await call(
    'archiveMetric',
    (await client.post('/api/metrics', { metric_name: 'm', aggregation_type: 'count' })).body,
  );
  await call('archiveAddon', addon);
  await call('connectPaymentProvider', { provider: 'stripe' }, { redirect_url: 'https://app.test/done' });
  await call('disconnectPaymentProvider', { provider: 'stripe' });
  await call('deleteCustomer', acme);

  const named = OPERATIONS.flatMap(({ id, audit }) => (audit ? [[id, audit] as const] : []));
  expect([...done.keys()].sort()).toEqual(named.map(([id]) => id).sort());
  const all = await entries(client);
  const found = named.map(([id]) => {
    const requestId = requestIdOf(done.get(id) as Answer);
    return [id, all.filter(({ request_id }) => request_id === requestId).map(({ action }) => action)];
  });
  expect(found).toEqual(named.map(([id, audit]) => [id, [audit]]));
  expect(OPERATIONS.filter(({ method, audit }) => method !== 'get' && audit === null).map(({ id }) => id)).toEqual([
    'verifyEvents',
    'previewMetric',
    'previewPlan',
  ]);

  // Ids are those of the records, not of what stood in the path.
  for (const entry of all) expect([entry.action, entry.resource_id]).not.toEqual([entry.action, 'undefined']);
  const [rotated, rolled] = [done.get('rotateApiKey'), done.get('rollWebhookSecret')];
  const way = new URL(String(done.get('connectPaymentProvider')?.body.authorization_url));
  const state = way.searchParams.get('state');
  for (const secret of [
    key.key,
    link.url,
    webhook.webhook_secret,
    rotated?.body.key,
    rolled?.body.webhook_secret,
    state,
  ]) {
    expect(secret).toEqual(expect.any(String));
    expect(JSON.stringify(all)).not.toContain(String(secret));
  }
});
