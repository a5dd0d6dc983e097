import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Api, itemsOf } from '../stack/api.ts';
import { advance, makeClock, subscribe } from '../stack/clocks.ts';
import { landed, makeCustomer, makeMetric, makePlan, posted, track } from '../stack/resources.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { openConsole } from './console-fixture.ts';

/** The questions that the console is for: from the overview to the answer, by just the clicks that docs/guide/console.md tells. */

const { account, records: ids, open } = await openConsole(makeAskedAbout);

/** Acme owes an invoice that is past due, has used what it may, and is told of by a webhook that nobody hears. */
async function makeAskedAbout(api: Api) {
  const { webhook_endpoint_id: endpoint } = (
    await posted(api, '/api/webhooks', { webhook_url: 'https://receiver.invalid/hooks' })
  ).body;
  const metric_id = String((await makeMetric(api, { metric_name: 'Tokens' })).metric_id);
  const plan = await makePlan(api, {
    charge_timing: 'in_advance',
    components: [{ metric_id, overage_price: '0.5' }],
    features: [{ name: 'exports', included: true, limit: 1, metric_id }],
  });
  const test_clock_id = await makeClock(api, '2026-01-01T00:00:00Z');
  await makeCustomer(api, { customer_id: 'acme', customer_name: 'Acme', test_clock_id });
  const subscription = await subscribe(api, { customer_id: 'acme', plan_id: plan.plan_id });
  const sent = [1, 2].map(() => track(api, { customer_id: 'acme', time_created: '2026-01-02T00:00:00Z' }));
  const [event = ''] = await Promise.all(sent);
  await landed(api);
  await advance(api, test_clock_id, '2026-01-05T00:00:00Z');
  await posted(api, `/api/webhooks/${endpoint}/test`);
  const failing = await waitUntil(
    async () => itemsOf((await api.get('/api/webhook-deliveries?failing=true')).body.results),
    (deliveries) => deliveries.length > 0,
  );
  await api.patch('/api/customers/acme', { email: 'new@acme.example' });
  return { event, subscription, delivery: String(failing[0]?.delivery_id) };
}

/** A click or an Enter, in the guide's words. */
type Step = [words: string, take: (page: Page) => Promise<void>];

/** Ends on the page that it leads to, as whoever looks does: until then a link of the page before may be the first of its name. */
const followed = async (page: Page, lead: () => Promise<void>) => {
  const before = page.url();
  await lead();
  await page.waitForURL(({ href }) => href !== before);
};
const enterInSearch = (what: () => string) => (page: Page) =>
  followed(page, async () => {
    await page.keyboard.press('/');
    await page.keyboard.type(what());
    await page.keyboard.press('Enter');
  });
const clickLink = (name: string | RegExp) => (page: Page) =>
  followed(page, () => page.getByRole('link', { name }).first().click());
const clickButton = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).first().click();
const findAcme: Step = ['Search for the customer, Enter', enterInSearch(() => 'Acme')];

const WALKS: [question: string, steps: Step[], answer: (page: Page) => Promise<unknown>][] = [
  [
    'What will this customer pay, and why?',
    [findAcme, ['Explain of a line of the upcoming invoice', clickLink(/^Explain Tokens/)]],
    async (page) => {
      await page.getByRole('table', { name: 'Steps' }).waitFor();
      await page.getByRole('table', { name: 'Events' }).getByRole('link', { name: ids.event }).waitFor();
    },
  ],
  [
    'Did that event arrive, and where is it billed?',
    [['Search for its idempotency id, Enter', enterInSearch(() => ids.event)]],
    async (page) => {
      await page.getByRole('region', { name: 'Fate' }).getByText('Landed').waitFor();
      await page.getByRole('table', { name: 'Billed in' }).getByRole('cell', { name: 'Upcoming invoice' }).waitFor();
    },
  ],
  [
    'What happens next to a subscription?',
    [findAcme, ['The subscription', (page) => clickLink(ids.subscription)(page)]],
    (page) => page.getByRole('region', { name: 'What happens next' }).getByRole('table').waitFor(),
  ],
  [
    'Why was access refused?',
    [findAcme],
    (page) => page.getByRole('table', { name: 'Access' }).getByText('Limit reached').first().waitFor(),
  ],
  [
    'Which invoices are overdue?',
    [
      ['Invoices', clickLink('Invoices')],
      ['Past due', clickLink('Past due')],
    ],
    (page) => page.getByRole('table', { name: 'Invoices' }).getByRole('link', { name: 'INV-000001' }).waitFor(),
  ],
  [
    'Which webhook fails? Send it again.',
    [
      ['Redeliver, beside the failing webhook', clickButton('Redeliver')],
      ['Review', clickButton('Review')],
      ['Confirm', clickButton('Confirm')],
    ],
    async (page) => {
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const { body } = await account.api.get('/api/audit-log?action=webhook_delivery.redelivered');
      expect(itemsOf(body.results).length).toBeGreaterThan(0);
    },
  ],
  [
    'What changed, and who did it?',
    [
      ['Audit log', clickLink('Audit log')],
      ['The entry', clickLink('customer.updated')],
    ],
    async (page) => {
      await page.getByRole('table', { name: 'Changes' }).getByRole('cell', { name: 'new@acme.example' }).waitFor();
    },
  ],
];

test.each(WALKS)('%s', async (_, steps, answer) => {
  const page = await open('/console');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  for (const [, take] of steps) await take(page);
  await answer(page);
  expect(steps.length).toBeLessThanOrEqual(3);
});

/** Else a click is lost where what it began on is gone when it ends. */
test('a link is the same one after its page has read something new', async () => {
  const page = await open('/console/customers/acme');
  const link = await page
    .getByRole('link', { name: /^Explain Tokens: 2/ })
    .first()
    .elementHandle();
  await track(account.api, { customer_id: 'acme', time_created: '2026-01-03T00:00:00Z' });
  await page
    .getByRole('link', { name: /^Explain Tokens: 3/ })
    .first()
    .waitFor();
  expect(await link?.evaluate((element) => element.isConnected)).toBe(true);
});

test('the guide tells these walks', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/console.md'), 'utf8');
  const told = [...guide.matchAll(/^\| ([^|]+\?[^|]*) \| ([^|]+) \|/gm)].map(([, question, clicks]) => [
    question,
    clicks,
  ]);
  expect(told).toEqual(WALKS.map(([question, steps]) => [question, steps.map(([words]) => words).join(' → ')]));
});
