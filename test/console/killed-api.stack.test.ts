import type { BrowserContext, Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { itemsOf } from '../stack/api.ts';
import { makeCustomer } from '../stack/resources.ts';
import { openWindow, sharedBrowser, WIDE } from './browser.ts';
import { startOwnGateway } from './own-gateway.ts';

/** kill -9 of the API while some work in the console, and while a customer looks at its portal (spec/accounts#sessions, spec/portal#page). */

let own: Awaited<ReturnType<typeof startOwnGateway>>;
let account: TestAccount;
let writers: BrowserContext;
let customers: BrowserContext;

beforeAll(async () => {
  const [gateway, browser] = await Promise.all([startOwnGateway(), sharedBrowser()]);
  own = gateway;
  account = await newAccount({ at: own.file, isPatient: true });
  writers = await openWindow(browser, own.file.base_url, account.key, WIDE);
  customers = await openWindow(browser, own.file.base_url, null, WIDE);
});
afterAll(async () => {
  await Promise.all([writers?.close(), customers?.close()]);
  await own?.stop();
});

test('the API dies before a write arrives, while another is done, once a third is done and before it is answered: what was typed stays, each is done once, the session and a portal link live on', {
  timeout: 180_000,
}, async () => {
  const [customer, beginning, ...writing] = await Promise.all([
    lookingCustomer(),
    beginner(),
    writer(),
    writer(),
    writer(),
  ]);
  const [early, under, done] = writing;
  await done.write.fetch();
  await under.write.continue();
  own.killApi();
  await early.write.continue();
  await done.write.abort();
  await Promise.all([...writing.map(finish), begin(beginning), goOn(customer)]);
});

type Writer = { page: Page; customerId: string; write: Route };

/** Somebody whose page could not even begin. */
async function beginner(): Promise<Page> {
  const page = await writers.newPage();
  await page.route('**/console/session', (route) => route.fulfill({ status: 503, json: { detail: 'Restarting.' } }));
  await page.goto('/console/customers');
  await page.getByRole('alert').getByText('Restarting.').waitFor();
  return page;
}

async function begin(page: Page): Promise<void> {
  await page.unroute('**/console/session');
  await showsInTheEnd(page.getByRole('heading', { name: 'Customers' }));
  await page.close();
}

/** Somebody who confirms a credit, which is held on its way. What is sent later goes its way. A preview writes nothing. */
async function writer(): Promise<Writer> {
  const customerId = String((await makeCustomer(account.api)).customer_id);
  const page = await writers.newPage();
  await page.goto(`/console/customers/${customerId}`);
  const held = Promise.withResolvers<Route>();
  let isFirst = true;
  await page.route(
    (url) => url.pathname === '/api/credits' && !url.searchParams.has('preview'),
    (route) => {
      if (route.request().method() !== 'POST' || !isFirst) return route.continue();
      isFirst = false;
      held.resolve(route);
    },
  );
  await page.getByRole('button', { name: 'New credit' }).click();
  const dialog = page.getByRole('dialog', { name: 'New credit' });
  await dialog.getByLabel('Amount').fill('7.25');
  await dialog.getByLabel('Description').fill('For the trouble');
  await dialog.getByRole('button', { name: 'Review' }).click();
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  return { page, customerId, write: await held.promise };
}

async function finish({ page, customerId }: Writer): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'New credit' });
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
  await showsInTheEnd(page.getByRole('region', { name: 'Balance' }).getByText('7.25'));
  await page.reload();
  await showsInTheEnd(page.getByRole('region', { name: 'Balance' }).getByText('7.25'));
  const credits = await account.api.get(`/api/credits?customer_id=${customerId}`);
  expect(itemsOf(credits.body.results)).toMatchObject([{ amount: 7.25, description: 'For the trouble' }]);
  const entries = await account.api.get(`/api/audit-log?action=credit.created&customer_id=${customerId}`);
  expect(entries.body.count).toBe(1);
  await page.close();
}

/** Nobody has to click for it: what could not be read while the API was away is asked for until it answers. */
async function showsInTheEnd(what: Locator): Promise<void> {
  await what.first().waitFor({ timeout: 60_000 });
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

async function lookingCustomer(): Promise<{ page: Page; customerId: string }> {
  const customerId = String((await makeCustomer(account.api, { customer_name: 'Hooli' })).customer_id);
  const { body } = await account.api.post(`/api/customers/${customerId}/portal_link`, {});
  const page = await customers.newPage();
  await page.goto(new URL(String(body.url)).pathname);
  await page.getByRole('region', { name: 'Balance' }).getByText('USD 0.00').waitFor();
  return { page, customerId };
}

async function goOn({ page, customerId }: { page: Page; customerId: string }): Promise<void> {
  await showsInTheEnd(page.getByRole('region', { name: 'Upcoming invoice' }).getByText('Nothing will be billed'));
  await account.api.post('/api/credits', { customer_id: customerId, amount: 3 });
  await page.reload();
  await page.getByRole('region', { name: 'Balance' }).locator('data[value="3"]').first().waitFor();
  await page.close();
}
