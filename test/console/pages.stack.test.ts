import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildConsole } from '../../console/build/build-console.ts';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';
import { accessibilityFaults, launchBrowser, openWindow, sideways, watchPage } from './browser.ts';
import { startSessionStandIn } from './session-stand-in.ts';
import { makeShownRecords, type ShownRecords } from './shown-records.ts';

/** Every page in a real browser (spec/service#console): as it looks to people, and to those who cannot see it. */

let browser: Browser;
let account: TestAccount;
let records: ShownRecords;
let empty: TestAccount;
let server: Awaited<ReturnType<typeof startSessionStandIn>>;

beforeAll(async () => {
  await buildConsole(() => {});
  browser = await launchBrowser();
  account = await newAccount();
  empty = await newAccount();
  records = await makeShownRecords(account.api);
  server = await startSessionStandIn(stack().base_url);
});
afterAll(async () => {
  await browser.close();
  server.stop();
});

/** The pages, by their headings. */
const PAGES: [path: () => string, heading: () => string][] = [
  [() => '/customers', () => 'Customers'],
  [() => '/invoices', () => 'Invoices'],
];
const LOOKS = [
  { width: 1_280, colorScheme: 'light' },
  { width: 1_280, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const;

describe.each(LOOKS)('$width px, $colorScheme', (look) => {
  test.each([
    ['records', () => account],
    ['nothing', () => empty],
  ])(
    'with %s, pages show themselves within their policy, their width and the rules of accessibility',
    async (_, whose) => {
      const window = await openWindow(browser, server.url, whose().key, look);
      for (const [path, heading] of PAGES) {
        const page = await window.newPage();
        const faults = watchPage(page, server.url);
        await page.goto(`/console${path()}`);
        await page.getByRole('heading', { level: 1, name: heading(), exact: true }).waitFor();
        await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
        expect.soft(await page.title(), path()).toBe(`${heading()} · Meterbook`);
        expect.soft(faults, path()).toEqual([]);
        expect.soft(await sideways(page), path()).toBe(0);
        expect.soft(await accessibilityFaults(page), path()).toEqual([]);
        await page.close();
      }
      await window.close();
    },
  );
});

describe('what a customer is called', () => {
  test('is text, whatever stands in it', async () => {
    const window = await openWindow(browser, server.url, account.key, LOOKS[0]);
    const page = await window.newPage();
    const faults = watchPage(page, server.url);
    await page.goto('/console/customers');
    await page.getByRole('link', { name: records.evilName }).waitFor();
    expect([faults, await page.locator('img').count()]).toEqual([[], 0]);
    await window.close();
  });
});

describe('logging in', () => {
  test('leads to the page that was asked for; a wrong key is told, and kept', async () => {
    const window = await openWindow(browser, server.url, null, LOOKS[0]);
    const page = await window.newPage();
    await page.goto('/console/invoices?status=open');
    await page.waitForURL('**/console/login?next=*');
    await page.getByLabel('API key').fill('mb_test_wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('mb_test_wrong');
    await page.getByLabel('API key').fill(account.key);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/invoices?status=open');
    await page.getByRole('button', { name: 'Account menu' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.waitForURL('**/console/login');
    await page.goto('/console/customers');
    await page.waitForURL('**/console/login?next=*');
    await window.close();
  });

  test.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/console/../elsewhere', '/docs'])(
    'does not lead to %s',
    async (next) => {
      const window = await openWindow(browser, server.url, null, LOOKS[0]);
      const page = await window.newPage();
      await page.goto(`/console/login?next=${encodeURIComponent(next)}`);
      await page.getByLabel('API key').fill(account.key);
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/console/customers');
      await window.close();
    },
  );
});

test('lists are walked, searched and sorted by links, which stand in the address', async () => {
  const window = await openWindow(browser, server.url, account.key, LOOKS[0]);
  const page = await window.newPage();
  await page.goto('/console/customers?page_size=1');
  await page.getByRole('link', { name: 'Next' }).click();
  await page.waitForURL(/page=2/);
  await page.getByRole('link', { name: /^Created/ }).click();
  await page.waitForURL((url) => url.searchParams.get('sort') === 'created_at' && !url.searchParams.has('page'));
  await page.getByLabel('Search').last().fill('Globex');
  await page.waitForURL(/search=Globex/);
  await page.getByRole('cell', { name: 'img' }).waitFor({ state: 'detached' });
  expect(await page.getByRole('table', { name: 'Customers' }).getByRole('link').allTextContents()).toContain('Globex');
  await window.close();
});

test('under 768 px the navigation is behind the menu', async () => {
  const window = await openWindow(browser, server.url, account.key, LOOKS[2]);
  const page = await window.newPage();
  await page.goto('/console/customers');
  const invoices = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Invoices' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await invoices.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await invoices.click();
  await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor();
  await window.close();
});
