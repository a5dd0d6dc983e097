import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildConsole } from '../../console/build/build-console.ts';
import { keyWithScopes, newAccount, type TestAccount } from '../stack/accounts.ts';
import { itemsOf, stack } from '../stack/api.ts';
import { makeCustomer } from '../stack/resources.ts';
import { accessibilityFaults, launchBrowser, openWindow, WIDE } from './browser.ts';

/** Logging in, and what is written by dialogs (spec/service#console). */

let browser: Browser;
let account: TestAccount;
let customerId: string;
const base = () => stack().base_url;

beforeAll(async () => {
  await buildConsole(() => {});
  browser = await launchBrowser();
  account = await newAccount();
  customerId = String((await makeCustomer(account.api, { customer_name: 'Globex' })).customer_id);
});
afterAll(() => browser.close());

async function openPage(path: string, key: string | null = account.key): Promise<Page> {
  const window = await openWindow(browser, base(), key, WIDE);
  const page = await window.newPage();
  await page.goto(`/console${path}`);
  return page;
}

async function creditsOf(customer: string) {
  return itemsOf((await account.api.get(`/api/credits?customer_id=${customer}`)).body.results);
}

describe('logging in', () => {
  test('leads to the page that was asked for; a wrong key is told, and stays', async () => {
    const page = await openPage('/invoices?status=open', null);
    await page.waitForURL('**/console/login?next=*');
    await page.getByLabel('API key').fill('mb_test_wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('mb_test_wrong');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByLabel('API key').fill(account.key);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/invoices?status=open');
    await page.getByRole('button', { name: 'Account menu' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.waitForURL('**/console/login');
    await page.goto('/console/customers');
    await page.waitForURL('**/console/login?next=*');
    await page.context().close();
  });

  test.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/console/../elsewhere', '/docs'])(
    'does not lead to %s',
    async (next) => {
      const page = await openPage(`/login?next=${encodeURIComponent(next)}`, null);
      await page.getByLabel('API key').fill(account.key);
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      expect(page.url()).toMatch(new RegExp(`^${base()}/console(/customers)?$`));
      await page.context().close();
    },
  );

  test('a session that ends meanwhile leads to the log-in, and back', async () => {
    const page = await openPage('/customers');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.context().clearCookies();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Plans' }).click();
    await page.waitForURL('**/console/login?next=*');
    await page.getByLabel('API key').fill(account.key);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/plans');
    await page.context().close();
  });
});

describe('a write', () => {
  test('is entered, reviewed and confirmed, by keyboard alone', async () => {
    const page = await openPage(`/customers/${customerId}`);
    await page.getByRole('button', { name: 'New credit' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New credit' });
    await dialog.waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Review' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Amount').and(page.locator('[aria-invalid=true]')).waitFor();
    await dialog.getByLabel('Amount').focus();
    await page.keyboard.type('12.50');
    await page.keyboard.press('Enter');
    await dialog.getByRole('table', { name: 'What will be sent' }).getByRole('cell', { name: '12.50' }).waitFor();
    await dialog
      .getByRole('table', { name: 'What it does' })
      .getByRole('row', { name: /Credit.*12\.50/ })
      .waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await creditsOf(customerId)).toEqual([]);
    await dialog.getByRole('button', { name: 'Confirm' }).focus();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Balance' }).getByText('12.50').waitFor();
    expect(await creditsOf(customerId)).toMatchObject([{ amount: 12.5 }]);
    await page.context().close();
  });

  test('that is refused says so at its field, and keeps what was entered', async () => {
    const page = await openPage('/customers');
    await page.getByRole('button', { name: 'New customer' }).click();
    const dialog = page.getByRole('dialog', { name: 'New customer' });
    await dialog.getByLabel('Customer ID').fill('initech');
    await dialog.getByLabel('Email').fill('not an address');
    await dialog.getByRole('button', { name: 'Review' }).click();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    const email = dialog.getByLabel('Email');
    await email.and(page.locator('[aria-invalid=true]')).waitFor();
    expect(await dialog.getByLabel('Customer ID').inputValue()).toBe('initech');
    expect(await accessibilityFaults(page)).toEqual([]);
    await email.fill('billing@initech.example');
    await dialog.getByRole('button', { name: 'Review' }).click();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { level: 1, name: 'initech' }).waitFor();
    await page.context().close();
  });

  test('whose answer is lost is done once, however often it is confirmed', async () => {
    const { customer_id } = await makeCustomer(account.api);
    const page = await openPage(`/customers/${customer_id}`);
    let isLost = true;
    await page.route('**/api/credits', async (route) => {
      if (route.request().method() !== 'POST' || !isLost) return route.continue();
      isLost = false;
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('button', { name: 'New credit' }).click();
    const dialog = page.getByRole('dialog', { name: 'New credit' });
    await dialog.getByLabel('Amount').fill('3');
    await dialog.getByRole('button', { name: 'Review' }).click();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await creditsOf(String(customer_id))).toHaveLength(1);
    await page.context().close();
  });

  test('of a portal link shows its address once, which opens the portal until it is revoked', async () => {
    const page = await openPage(`/customers/${customerId}`);
    await page.getByRole('button', { name: 'Portal link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Portal link' });
    await dialog.getByLabel('Expires in seconds').fill('60');
    await dialog.getByRole('button', { name: 'Review' }).click();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    const url = await dialog.getByLabel('URL').inputValue();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'detached' });
    const portal = await page.context().newPage();
    await portal.goto(url);
    await portal.getByRole('heading', { level: 1, name: 'Globex' }).waitFor();
    const links = page.getByRole('region', { name: 'Portal links' });
    await links.getByRole('button', { name: 'Revoke link' }).click();
    const revoke = page.getByRole('dialog', { name: 'Revoke link' });
    await revoke.getByRole('button', { name: 'Review' }).click();
    await revoke.getByRole('button', { name: 'Confirm' }).click();
    await links.getByRole('button', { name: 'Revoke link' }).waitFor({ state: 'detached' });
    await portal.reload();
    await portal.getByRole('heading', { level: 1, name: 'This link does not work' }).waitFor();
    await page.context().close();
  });

  test('is not offered to a key that may only read, nor are the pages of administrators', async () => {
    const page = await openPage(`/customers/${customerId}`, await keyWithScopes(account, ['read']));
    await page.getByRole('region', { name: 'Balance' }).waitFor();
    for (const name of ['Edit', 'New credit', 'Portal link', 'Delete customer']) {
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    }
    expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    await page.goto('/console/settings/api-keys');
    await page.getByRole('alert').getByText('Not allowed').waitFor();
    await page.context().close();
  });
});

test('a service that is away is told with a way to try again', async () => {
  const page = await openPage('/customers');
  await page.getByRole('heading', { level: 1 }).waitFor();
  let isAway = true;
  await page.route('**/api/plans*', (route) =>
    isAway
      ? route.fulfill({ status: 500, headers: { 'X-Request-Id': 'req_lost' }, json: { detail: 'It broke.' } })
      : route.continue(),
  );
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Plans' }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('req_lost').waitFor();
  isAway = false;
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No plans yet').waitFor();
  await page.context().close();
});
