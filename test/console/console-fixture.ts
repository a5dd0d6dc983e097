import type { Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';
import { newAccount } from '../stack/accounts.ts';
import { type Api, stack } from '../stack/api.ts';
import { accessibilityFaults, type Look, launchBrowser, openWindow, settled, sideways, WIDE } from './browser.ts';

/** Whose key a window is logged in with (null: nobody's), and how it looks. */
type Visit = { key?: string | null; look?: Look };

/** A browser that is there for all tests of the file that calls this, and an account with the records that its pages are to show. */
export async function openConsole<Records>(makeRecords: (api: Api) => Promise<Records>) {
  const base = stack().base_url;
  const [browser, account] = await Promise.all([launchBrowser(), newAccount()]);
  afterAll(() => browser.close());
  const records = await makeRecords(account.api);

  /** A page in a window of its own, which its test ends with; of the account, unless another key is named. */
  async function open(path: string, { key = account.key, look = WIDE }: Visit = {}): Promise<Page> {
    const window = await openWindow(browser, base, key, look);
    onTestFinished(() => window.close());
    const page = await window.newPage();
    await page.goto(path);
    return page;
  }

  return { base, account, records, open };
}

/** Holds a page, in each of the looks, to the width of its window and to the rules of accessibility. */
export async function expectWellMade(page: Page, path: string, looks: readonly Look[]): Promise<void> {
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await settled(page);
    const look = `${path} at ${width} px, ${colorScheme}`;
    expect.soft(await sideways(page), look).toBe(0);
    expect.soft(await accessibilityFaults(page), look).toEqual([]);
  }
}
