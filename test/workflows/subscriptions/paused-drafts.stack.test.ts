import { beforeAll, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { billOf, draftOf, rowsOf } from '../../stack/bills.ts';
import { advance, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';

/** Drafts of subscriptions that are paused (spec/invoices#draft). Periods of 30 days from 2026-03-01, fees in arrears. */
let account: TestAccount;
let plans: string[];

beforeAll(async () => {
  account = await newAccount({ isPatient: true });
  const fees = [30, 60];
  plans = await Promise.all(fees.map((fee) => makePlan(account.api, { name: `Fee ${fee}`, recurring_fee: fee })));
});

const done = async (path: string, body: object = {}) => {
  const answer = await account.api.post(path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
};

/** Customers on a clock, the others billed to the first, each with a subscription to every plan. */
async function fixture(...ids: string[]) {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const subscriptions: string[] = [];
  for (const [i, id] of ids.entries()) {
    const customer_id = await makeCustomer(api, id, { test_clock_id: clock, ...(i > 0 && { billed_to: ids[0] }) });
    for (const plan_id of plans) subscriptions.push(await subscribe(api, { customer_id, plan_id }));
  }
  await advance(api, clock, '2026-03-11T00:00:00Z');
  return { clock, subscriptions };
}

const partsOf = (draft: Json) => itemsOf(draft.invoices);
const shown = (part: Json) => [part.condition, part.issue_date, part.subscription_id, ...rowsOf(part), part.amount_due];

test('what a resume would bill is a part of its own, which the draft neither counts nor lists', async () => {
  const { api } = account;
  const { clock, subscriptions } = await fixture('alone');
  const [active = '', paused = ''] = subscriptions;
  await done(`/api/subscriptions/${paused}/pause`);
  await advance(api, clock, '2026-04-05T00:00:00Z');
  await done('/api/credits', { customer_id: 'alone', amount: 7 });

  const draft = await draftOf(api, 'alone');
  const credit = 'credit -7';
  expect(partsOf(draft).map(shown)).toEqual([
    [null, '2026-04-30', active, 'recurring_fee 30 from 2026-03-31', credit, '23'],
    ['on_resume', '2026-04-05', paused, 'recurring_fee 20 from 2026-03-01', credit, '13'],
  ]);
  expect(shown(draft)).toEqual(shown(partsOf(draft)[0] ?? {}));
  expect(draft).toMatchObject({ total: '30', subtotal: '30', charges_subtotal: '30', credits_applied: '7' });
  const { body: lines } = await api.get('/api/customers/alone/draft_invoice/lines');
  expect(itemsOf(lines.results).map(({ subscription_id }) => subscription_id)).toEqual([active, null]);

  await done(`/api/subscriptions/${paused}/resume`);
  const [resumed] = await invoicesOf(api, `subscription_id=${paused}`);
  expect(billOf(resumed)).toEqual(billOf(partsOf(draft)[1]));
});

test('a draft of only what a resume would bill comes to nothing', async () => {
  const { api } = account;
  const { clock, subscriptions } = await fixture('only');
  for (const id of subscriptions) await done(`/api/subscriptions/${id}/pause`);
  await advance(api, clock, '2026-04-05T00:00:00Z');
  const draft = await draftOf(api, 'only');
  expect(draft).toMatchObject({ total: '0', amount_due: '0', lines: [], condition: null, subscription_id: null });
  expect(partsOf(draft).map(({ condition, total }) => [condition, total])).toEqual([
    ['on_resume', '10'],
    ['on_resume', '20'],
  ]);
});

test('it is on no invoice of a payer with what time makes due of others', async () => {
  const { api } = account;
  const { clock, subscriptions } = await fixture('payer', 'child');
  const [, , active = '', paused = ''] = subscriptions;
  await done(`/api/subscriptions/${paused}/pause`);
  await advance(api, clock, '2026-04-05T00:00:00Z');
  const draft = await draftOf(api, 'payer');
  const [together, onResume] = partsOf(draft);
  expect(itemsOf(together?.sections).map(({ subscription_id }) => subscription_id)).toEqual(subscriptions.slice(0, 3));
  expect(together).toMatchObject({ condition: null, total: '120', issue_date: '2026-04-30' });
  const about = { customer_id: 'payer', subscription_id: paused, sections: [] };
  expect(onResume).toMatchObject({ ...about, condition: 'on_resume', total: '20', issue_date: '2026-04-05' });
  expect(itemsOf(onResume?.lines)).toMatchObject([{ customer_id: 'child' }]);
  expect(draft.total).toBe('120');
  expect((await draftOf(api, 'child')).total).toBe('30');
  expect(partsOf(await draftOf(api, 'child')).map(({ subscription_id }) => subscription_id)).toEqual([active, paused]);

  await done(`/api/subscriptions/${paused}/resume`);
  const made = (await invoicesOf(api, 'customer_id=payer')).find(
    ({ subscription_id }) => String(subscription_id) === paused,
  );
  expect(billOf(made)).toEqual(billOf(onResume));
});
