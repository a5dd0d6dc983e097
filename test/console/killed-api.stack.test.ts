import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { itemsOf } from '../stack/api.ts';
import { makeCustomer } from '../stack/resources.ts';
import { openWindow, sharedBrowser, WIDE } from './browser.ts';
import { startOwnGateway } from './own-gateway.ts';

/** kill -9 of the API while somebody works in the console, and while a customer looks at its portal (spec/accounts#sessions, spec/portal#page). */

let own: Awaited<ReturnType<typeof startOwnGateway>>;
let browser: Browser;
let account: TestAccount;

beforeAll(async () => {
  [own, browser] = await Promise.all([startOwnGateway(), sharedBrowser()]);
  account = await newAccount({ at: own.file, isPatient: true });
});
afterAll(() => own?.stop());

const base = () => own.file.base_url;
const killApi = () => own.killApi();

const MOMENTS: [when: string, kill: (route: Route) => Promise<void>][] = [
  [
    'before it arrives',
    async (route) => {
      killApi();
      await route.continue();
    },
  ],
  [
    'while it is being done',
    async (route) => {
      await route.continue();
      killApi();
    },
  ],
  [
    'once it is done, before it is answered',
    async (route) => {
      await route.fetch();
      killApi();
      await route.abort();
    },
  ],
];

test.each(MOMENTS)(
  'a write is confirmed and the API dies %s: what was typed stays, it is done once, the session lives on',
  { timeout: 180_000 },
  async (_, kill) => {
    const customerId = String((await makeCustomer(account.api)).customer_id);
    const window = await openWindow(browser, base(), account.key, WIDE);
    const page = await window.newPage();
    await page.goto(`/console/customers/${customerId}`);
    await killAtFirst(page, kill);
    await page.getByRole('button', { name: 'New credit' }).click();
    const dialog = page.getByRole('dialog', { name: 'New credit' });
    await dialog.getByLabel('Amount').fill('7.25');
    await dialog.getByLabel('Description').fill('For the trouble');
    await dialog.getByRole('button', { name: 'Review' }).click();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    // An API that is quick enough has answered before it dies.
    const isDone = await Promise.race([
      dialog
        .getByRole('alert')
        .waitFor()
        .then(() => false),
      dialog.waitFor({ state: 'detached' }).then(() => true),
    ]);
    if (!isDone) {
      await dialog.getByRole('button', { name: 'Back' }).click();
      expect(await dialog.getByLabel('Amount').inputValue()).toBe('7.25');
      expect(await dialog.getByLabel('Description').inputValue()).toBe('For the trouble');
      await confirmUntilDone(page);
    }
    await page.getByRole('region', { name: 'Balance' }).getByText('7.25').waitFor();
    await page.reload();
    await page.getByRole('region', { name: 'Balance' }).getByText('7.25').waitFor();
    const credits = await account.api.get(`/api/credits?customer_id=${customerId}`);
    expect(itemsOf(credits.body.results)).toMatchObject([{ amount: 7.25, description: 'For the trouble' }]);
    const entries = await account.api.get(`/api/audit-log?action=credit.created&customer_id=${customerId}`);
    expect(entries.body.count).toBe(1);
    await window.close();
  },
);

/** The first confirmation meets its end; what is sent later goes its way. A preview writes nothing. */
async function killAtFirst(page: Page, kill: (route: Route) => Promise<void>): Promise<void> {
  let isFirst = true;
  await page.route(
    (url) => url.pathname === '/api/credits' && !url.searchParams.has('preview'),
    (route) => {
      if (route.request().method() !== 'POST' || !isFirst) return route.continue();
      isFirst = false;
      return kill(route);
    },
  );
}

/** As somebody does who has read that it did not work: until it does. */
async function confirmUntilDone(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'New credit' });
  const next = dialog.getByRole('button', { name: /^(Review|Confirm)$/ });
  await expect
    .poll(
      async () => {
        await next.click({ timeout: 1_000 }).catch(() => {});
        return dialog.count();
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBe(0);
}

test('a portal link lives on', { timeout: 180_000 }, async () => {
  const customerId = String((await makeCustomer(account.api, { customer_name: 'Hooli' })).customer_id);
  const { body } = await account.api.post(`/api/customers/${customerId}/portal_link`, {});
  const window = await openWindow(browser, base(), null, WIDE);
  const page = await window.newPage();
  await page.goto(new URL(String(body.url)).pathname);
  await page.getByRole('region', { name: 'Balance' }).getByText('USD 0.00').waitFor();
  killApi();
  await page.getByRole('region', { name: 'Upcoming invoice' }).getByText('Nothing will be billed').waitFor();
  await account.api.post('/api/credits', { customer_id: customerId, amount: 3 });
  await page.reload();
  await page.getByRole('region', { name: 'Balance' }).locator('data[value="3"]').first().waitFor();
  await window.close();
});
