import { beforeAll, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf } from '../../stack/api.ts';
import { draftOf, linesOf, trackCalls } from '../../stack/bills.ts';
import { advance, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';

/** Deals in phases through a life (spec/subscriptions#phases); monthly by anniversary, so that periods begin on the 1st. */
let account: TestAccount;
let metric_id: string;
beforeAll(async () => {
  account = await newAccount();
  metric_id = String((await makeMetric(account.api)).metric_id);
});

/** A test may be tried twice. */
let made = 0;
const newPlan = (more: object = {}) => {
  const components = [{ metric_id, overage_price: 0.1 }];
  return makePlan(account.api, { recurring_fee: 100, billing_calendar: 'anniversary', components, ...more });
};

async function begin(plan_id: string, more: object = {}) {
  const { api } = account;
  const clock = await makeClock(api, '2027-01-01T09:00:00Z');
  const customer_id = await makeCustomer(api, `phases ${++made}`, { test_clock_id: clock });
  return { clock, customer_id, id: await subscribe(api, { customer_id, plan_id, ...more }) };
}

const recordOf = async (id: string) => (await account.api.get(`/api/subscriptions/${id}`)).body;
const chargesOf = async (customer_id: string) => {
  const invoices = await invoicesOf(account.api, `customer_id=${customer_id}`);
  return invoices.map((one) => linesOf(one).map(({ type, amount }) => `${type} ${amount}`));
};

test('of one plan: each from the first period on or after its date; late usage and what waits is billed by its own', async () => {
  const { api } = account;
  const plan_id = await newPlan();
  const phases = [
    { start_date: '2027-02-15', overrides: { recurring_fee: 120, components: [{ metric_id, overage_price: 0.2 }] } },
    { start_date: '2027-04-01' },
  ];
  const { clock, customer_id, id } = await begin(plan_id, { phases });
  const nothing = { plan_id: null, version: null };
  expect((await recordOf(id)).phases).toEqual([
    { ...nothing, ...phases[0] },
    { ...nothing, start_date: '2027-04-01', overrides: null },
  ]);
  expect((await api.patch(`/api/plans/${plan_id}`, { recurring_fee: 999 })).status).toBe(200);
  await trackCalls(api, customer_id, '2027-02-05T10:00:00Z', 10);
  await landed(api);
  await advance(api, clock, '2027-02-20T00:00:00Z');
  expect(linesOf(await draftOf(api, customer_id)).map(({ amount }) => amount)).toEqual(['100', '1']);
  await advance(api, clock, '2027-03-01T00:00:00Z');
  expect(await recordOf(id)).toMatchObject({
    version: 1,
    overrides: phases[0]?.overrides,
    phases: [{ start_date: '2027-04-01' }],
  });
  // 10 of March, 10 that come late for February.
  await trackCalls(api, customer_id, '2027-03-05T10:00:00Z', 10);
  await trackCalls(api, customer_id, '2027-02-05T10:00:00Z', 10);
  await landed(api);
  await advance(api, clock, '2027-03-20T00:00:00Z');
  expect(linesOf(await draftOf(api, customer_id)).map(({ amount }) => amount)).toEqual(['120', '2', '1']);
  await advance(api, clock, '2027-05-01T00:00:00Z');
  expect(await chargesOf(customer_id)).toEqual([
    ['recurring_fee 100', 'usage 0'],
    ['recurring_fee 100', 'usage 1'],
    ['recurring_fee 120', 'usage 2', 'late_usage 1'],
    ['recurring_fee 100', 'usage 0'],
  ]);
  expect(await recordOf(id)).toMatchObject({ version: 1, overrides: null, phases: [] });
});

test('in advance the fee of the phase is on the invoice of the period before it, over a grace', async () => {
  const { api } = account;
  expect((await api.patch('/api/account', { invoice_grace_seconds: 3 * 86_400 })).status).toBe(200);
  const plan_id = await newPlan({ charge_timing: 'in_advance' });
  const phases = [{ start_date: '2027-02-01', overrides: { recurring_fee: 120 } }];
  const { clock, customer_id } = await begin(plan_id, { phases });
  await advance(api, clock, '2027-02-02T00:00:00Z');
  const drafted = itemsOf((await draftOf(api, customer_id)).invoices).map((one) =>
    linesOf(one).map(({ amount }) => amount),
  );
  expect(drafted).toEqual([
    ['120', '0'],
    ['120', '0'],
  ]);
  await advance(api, clock, '2027-02-05T00:00:00Z');
  expect(await chargesOf(customer_id)).toEqual([['recurring_fee 100'], ['recurring_fee 120', 'usage 0']]);
  expect((await api.patch('/api/account', { invoice_grace_seconds: 0 })).status).toBe(200);
});

test('of another plan: a switch on its date, and the phases behind it go on', async () => {
  const { api } = account;
  const other = await newPlan({ recurring_fee: 160 });
  const { clock, customer_id, id } = await begin(await newPlan());
  const phases = [
    { start_date: '2027-02-15', plan_id: other, overrides: { recurring_fee: 156 } },
    { start_date: '2027-04-01', plan_id: other, version: 1 },
  ];
  const put = (of: string, body: object) => api.put(`/api/subscriptions/${of}/phases`, body);
  const answer = await put(id, { phases });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({ pending_change: null, phases });
  await advance(api, clock, '2027-02-01T00:00:00Z');
  expect(await recordOf(id)).toMatchObject({ pending_change: { effective_date: '2027-02-15' }, phases });
  await advance(api, clock, '2027-05-01T00:00:00Z');
  // 56 more for 14 of 28 days; then 156, and 160 from April on.
  expect(await chargesOf(customer_id)).toEqual([
    ['recurring_fee 100', 'usage 0'],
    ['recurring_fee 100', 'usage 0', 'proration 28'],
    ['recurring_fee 156', 'usage 0'],
    ['recurring_fee 160', 'usage 0'],
  ]);
  const next = String((await recordOf(id)).replaced_by);
  expect(await recordOf(next)).toMatchObject({ plan_id: other, version: 1, overrides: null, phases: [] });
  expect((await put(id, { phases: [] })).status).toBe(409);
});

test('a switch overtakes a phase that no period has begun with; one that is passed over leaves those behind it', async () => {
  const { api } = account;
  const [own, other] = [await newPlan(), await newPlan({ recurring_fee: 131 })];
  const phases = [
    { start_date: '2027-01-10', overrides: { recurring_fee: 120 } },
    { start_date: '2027-01-20', plan_id: other },
    { start_date: '2027-03-01', plan_id: own, overrides: { recurring_fee: 150 } },
  ];
  const { clock, customer_id, id } = await begin(own, { phases });
  expect(await recordOf(id)).toMatchObject({ pending_change: { effective_date: '2027-01-20' }, phases });
  await advance(api, clock, '2027-04-01T00:00:00Z');
  // 31 more for 12 of 31 days.
  expect(await chargesOf(customer_id)).toEqual([
    ['recurring_fee 100', 'usage 0', 'proration 12'],
    ['recurring_fee 131', 'usage 0'],
    ['recurring_fee 150', 'usage 0'],
  ]);

  const holder = await begin(own, { phases: [...phases, { start_date: '2027-04-01', plan_id: own }] });
  await subscribe(api, { customer_id: holder.customer_id, plan_id: other, start_date: '2027-01-19' });
  await advance(api, holder.clock, '2027-05-01T00:00:00Z');
  const invoices = await invoicesOf(api, `subscription_id=${holder.id}`);
  const fees = invoices.map((one) => linesOf(one).map(({ amount }) => amount)[0]);
  expect(fees).toEqual(['100', '120', '150', '100']);
  expect(await recordOf(holder.id)).toMatchObject({ plan_id: own, version: 1, phases: [] });
});

test('a switch drops them, a cancel those behind it; what is wrong is named', async () => {
  const { api } = account;
  const plan_id = await newPlan();
  const phases = [{ start_date: '2027-03-01' }, { start_date: '2027-06-01' }];
  const { id } = await begin(plan_id, { phases });
  await api.post(`/api/subscriptions/${id}/cancel`, { cancel_at: '2027-05-01' });
  expect((await recordOf(id)).phases).toMatchObject([{ start_date: '2027-03-01' }]);
  await api.post(`/api/subscriptions/${id}/cancel`, { cancel_at: null });
  await api.post(`/api/subscriptions/${id}/switch_plan/`, {
    new_plan_id: await newPlan(),
    effective_date: '2027-01-20',
  });
  expect((await recordOf(id)).phases).toEqual([]);
  const put = (sent: object[]) => api.put(`/api/subscriptions/${id}/phases`, { phases: sent });
  expect((await put(phases)).status).toBe(409);
  await api.post(`/api/subscriptions/${id}/switch_plan/`, { effective_date: null });
  const fieldsOf = async (sent: object[]) => {
    const answer = await put(sent);
    return [answer.status, ...Object.keys(answer.body)];
  };
  expect(await fieldsOf([{ start_date: '2027-01-01' }, { start_date: '2026-01-01' }])).toEqual([
    422,
    'phases.1.start_date',
  ]);
  expect(await fieldsOf([{ start_date: '2027-01-01' }])).toEqual([422, 'phases.0.start_date']);
  expect(await fieldsOf([{ start_date: '2027-02-01', version: 9 }])).toEqual([422, 'phases.0.version']);
  const metric = { metric_name: 'other', aggregation_type: 'count', event_name: 'other' };
  const other = (await api.post('/api/metrics', metric)).body.metric_id;
  const bad = { components: [{ metric_id: other }] };
  const field = 'phases.0.overrides.components.0.metric_id';
  expect(await fieldsOf([{ start_date: '2027-02-01', overrides: bad }])).toEqual([422, field]);
  const none = { start_date: '2027-04-01', plan_id: 'plan_none' };
  const all = [
    { start_date: '2027-01-01', overrides: bad },
    { start_date: '2027-02-01', version: 9 },
    { start_date: '2027-03-01', overrides: { recurring_fee: 1.001 } },
    none,
    { start_date: '2027-05-01', version: 9 },
  ];
  const fields = [field, 'phases.0.start_date', 'phases.1.version', 'phases.2.overrides.recurring_fee'];
  const [status, ...named] = await fieldsOf(all);
  expect([status, named.toSorted()]).toEqual([422, fields.toSorted()]);
  // What is not there comes behind what is bad, and what would stay on it is not judged.
  expect((await put([none, { start_date: '2027-05-01', version: 9 }])).status).toBe(404);
  await api.post(`/api/subscriptions/${id}/cancel`, { cancel_at: '2027-02-15' });
  expect(await fieldsOf([{ start_date: '2027-01-01' }, { start_date: '2027-03-01' }])).toEqual([
    422,
    'phases.0.start_date',
    'phases.1.start_date',
  ]);
  await api.post(`/api/subscriptions/${id}/cancel`, { cancel_at: null });
  const many = Array.from({ length: 21 }, (_, i) => ({ start_date: `2028-01-${String(i + 1).padStart(2, '0')}` }));
  expect(await fieldsOf(many)).toEqual([422, 'phases']);
});

test('of several phases due in one pause only the last is made, at the resume; the timeline shows when one takes effect', async () => {
  const { api } = account;
  const [own, second, third] = [await newPlan(), await newPlan(), await newPlan()];
  const phases = [
    { start_date: '2027-01-10', plan_id: second },
    { start_date: '2027-01-15', plan_id: third },
    { start_date: '2027-04-20' },
  ];
  const { clock, customer_id, id } = await begin(own, { phases });
  await advance(api, clock, '2027-01-05T09:00:00Z');
  expect((await api.post(`/api/subscriptions/${id}/pause`, {})).status).toBe(200);
  await advance(api, clock, '2027-01-20T09:00:00Z');
  expect((await api.post(`/api/subscriptions/${id}/resume`, {})).status).toBe(200);
  await advance(api, clock, '2027-01-21T09:00:00Z');
  const held = itemsOf((await api.get(`/api/subscriptions?customer_id=${customer_id}`)).body.results);
  expect(held.map(({ plan_id, status }) => [plan_id, status])).toEqual([
    [third, 'active'],
    [own, 'canceled'],
  ]);
  expect(Date.parse(String(held[1]?.canceled_at))).toBe(Date.parse('2027-01-20T09:00:00Z'));
  const timeline = itemsOf((await api.get(`/api/subscriptions/${held[0]?.subscription_id}/timeline`)).body.results);
  const begins = timeline.find(({ kind }) => String(kind) === 'phase_begun');
  expect(Date.parse(String(begins?.at))).toBe(Date.parse('2027-05-01T00:00:00Z'));
});
