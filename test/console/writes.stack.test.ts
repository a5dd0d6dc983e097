import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { keyWithScopes, newAccount } from '../stack/accounts.ts';
import { itemsOf } from '../stack/api.ts';
import { makeCustomer } from '../stack/resources.ts';
import { accessibilityFaults } from './browser.ts';
import { openConsole } from './console-fixture.ts';

/** Logging in, and what is written by dialogs (spec/service#console). */

const { base, account, records, open } = await openConsole((api) => makeCustomer(api, { customer_name: 'Globex' }));
const customerId = String(records.customer_id);

async function creditsOf(customer: string) {
  return itemsOf((await account.api.get(`/api/credits?customer_id=${customer}`)).body.results);
}

describe('logging in', () => {
  test('leads to the page that was asked for; a wrong key is told, and stays', async () => {
    const page = await open('/console/invoices?status=open', { key: null, isAlone: true });
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
  });

  test('leads nowhere but to the console, whatever its address says', async () => {
    const page = await open('about:blank', { key: null, isAlone: true });
    for (const next of [
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      '/console/../elsewhere',
      '/docs',
    ]) {
      await page.context().clearCookies();
      await page.goto(`/console/login?next=${encodeURIComponent(next)}`);
      await page.getByLabel('API key').fill(account.key);
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      expect.soft(page.url(), next).toMatch(new RegExp(`^${base}/console(/customers)?$`));
    }
  });

  test('a session that ends meanwhile leads to the log-in, and back', async () => {
    const page = await open('/console/customers', { isAlone: true });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.context().clearCookies();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Plans' }).click();
    await page.waitForURL('**/console/login?next=*');
    await page.getByLabel('API key').fill(account.key);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/plans');
  });
});

describe('another window of the browser', () => {
  /** Logs the browser in by `key`; its windows do not hear of it. */
  async function logInBeside(page: Page, key: string): Promise<void> {
    const answer = await page.context().request.post('/console/session', {
      data: { api_key: key },
      headers: { Origin: base },
    });
    expect(answer.status()).toBe(201);
  }

  test('that logs in to another account: nothing of that is shown or changed as if it were the one before', async () => {
    const other = await newAccount();
    await makeCustomer(account.api, { customer_id: 'same', customer_name: 'Ours' });
    await makeCustomer(other.api, { customer_id: 'same', customer_name: 'Theirs' });
    const page = await open('/console/customers/same', { isAlone: true });
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit' });
    await dialog.getByLabel('Customer name').fill('Ours, renamed');
    await dialog.getByRole('button', { name: 'Review' }).click();
    // The page cannot begin anew yet.
    await page.route('**/console/session', (route) => route.abort());
    await logInBeside(page, other.key);
    // Not what the page reads of it every now and then.
    const isWrite = (call: Request) => call.url().includes('/api/customers/same') && call.method() !== 'GET';
    const refused = page.waitForResponse((answer) => isWrite(answer.request()));
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    expect((await refused).status()).toBe(403);
    expect(await page.getByText('Theirs').count()).toBe(0);
    await page.unroute('**/console/session');
    await page.getByRole('heading', { level: 1, name: 'Theirs' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect((await other.api.get('/api/customers/same')).body.customer_name).toBe('Theirs');
  });

  test('that logs out leads to the log-in here, too', async () => {
    const page = await open('/console/plans', { isAlone: true });
    const second = await page.context().newPage();
    await second.goto('/console/metrics');
    await page.getByRole('heading', { level: 1 }).waitFor();
    let isAway = true;
    await second.route('**/console/session', (route) =>
      isAway && route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    );
    await second.getByRole('button', { name: 'Account menu' }).click();
    await second.getByRole('menuitem', { name: 'Log out' }).click();
    const alert = second.getByRole('dialog', { name: 'Log out' }).getByRole('alert');
    await alert.getByText('The service did not answer').waitFor();
    isAway = false;
    await alert.getByRole('button', { name: 'Try again' }).click();
    await second.waitForURL('**/console/login');
    await page.waitForURL('**/console/login?next=*');
  });
});

describe('a write', () => {
  test('is entered, reviewed and confirmed, by keyboard alone', async () => {
    const page = await open('about:blank', { isAlone: true });
    // As for a page by plain http.
    await page.addInitScript('delete Crypto.prototype.randomUUID');
    await page.goto(`/console/customers/${customerId}`);
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
  });

  test('that is refused says so at its field, and keeps what was entered', async () => {
    const page = await open('/console/customers');
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
  });

  test('whose answer is lost is done once, however often it is confirmed', async () => {
    const { customer_id } = await makeCustomer(account.api);
    const page = await open(`/console/customers/${customer_id}`);
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
    await dialog.getByRole('button', { name: 'Back' }).click();
    expect(await dialog.getByLabel('Amount').inputValue()).toBe('3');
    await dialog.getByRole('button', { name: 'Review' }).click();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await creditsOf(String(customer_id))).toHaveLength(1);
  });

  test('of a portal link shows its address once, which opens the portal until it is revoked', async () => {
    const page = await open(`/console/customers/${customerId}`);
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
    await portal.close();
  });

  test('that empties a field says so', async () => {
    const made = await account.api.post('/api/credits', {
      customer_id: customerId,
      amount: 1,
      expires_at: '2099-01-01',
    });
    const page = await open(`/console/credits/${made.body.credit_id}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit' });
    await dialog.getByLabel('Expires at').fill('');
    await dialog.getByRole('button', { name: 'Review' }).click();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await account.api.get(`/api/credits/${made.body.credit_id}`)).body.expires_at).toBeNull();
  });

  test('whose answer is told once shows it, although the session ends with it', async () => {
    const { body: own } = await account.api.post('/api/api-keys', { name: 'My own' });
    const page = await open('/console/settings/api-keys', { key: String(own.key) });
    await page.getByTitle(`My own (${own.prefix}…)`).filter({ hasText: 'Rotate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rotate' });
    await dialog.getByText(`My own (${own.prefix}…)`).waitFor();
    await dialog.getByRole('button', { name: 'Review' }).click();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.waitForURL('**/console/login?next=*');
    const key = await dialog.getByLabel('Key').inputValue();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/settings/api-keys');
  });

  test('by a session that has ended waits for another, and nothing that was entered is lost', async () => {
    const { customer_id } = await makeCustomer(account.api);
    const page = await open(`/console/customers/${customer_id}/ledger`, { isAlone: true });
    await page.getByRole('button', { name: 'New credit' }).click();
    const dialog = page.getByRole('dialog', { name: 'New credit' });
    await dialog.getByLabel('Amount').fill('4');
    await page.context().clearCookies();
    await dialog.getByRole('button', { name: 'Review' }).click();
    const over = dialog.getByRole('alert');
    await over.getByText('Your session has ended').waitFor();
    const [window] = await Promise.all([
      page.waitForEvent('popup'),
      over.getByRole('link', { name: 'Log in' }).click(),
    ]);
    await window.getByLabel('API key').fill(account.key);
    await window.keyboard.press('Enter');
    await over.waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Review' }).click();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await creditsOf(String(customer_id))).toMatchObject([{ amount: 4 }]);
  });

  test('is not offered to a key that may only read, nor are the pages of administrators', async () => {
    const page = await open(`/console/customers/${customerId}`, { key: await keyWithScopes(account, ['read']) });
    await page.getByRole('region', { name: 'Balance' }).waitFor();
    for (const name of ['Edit', 'New credit', 'Portal link', 'Delete customer']) {
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    }
    expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    await page.goto('/console/settings/api-keys');
    await page.getByRole('alert').getByText('Not allowed').waitFor();
  });
});

test('a service that is away is told with a way to try again', async () => {
  const page = await open('/console/customers');
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
});
