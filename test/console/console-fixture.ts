import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';
import { newAccount } from '../stack/accounts.ts';
import { type Api, stack } from '../stack/api.ts';
import {
  accessibilityFaults,
  type Look,
  openWindow,
  opposite,
  settled,
  sharedBrowser,
  sideways,
  WIDE,
} from './browser.ts';

/** Whose key a window is logged in with (null: nobody's), and how it looks. `isAlone`: what is done there changes who is logged in. */
type Visit = { key?: string | null; look?: Look; isAlone?: boolean };

/** The browser of the worker, and an account with the records that its pages are to show. */
export async function openConsole<Records>(makeRecords: (api: Api) => Promise<Records>) {
  const base = stack().base_url;
  const [browser, account] = await Promise.all([sharedBrowser(), newAccount()]);
  const records = await makeRecords(account.api);

  const windows = new Map<string, BrowserContext>();
  afterAll(async () => void (await Promise.all([...windows.values()].map((window) => window.close()))));

  async function windowFor(key: string | null, look: Look): Promise<BrowserContext> {
    const name = JSON.stringify([key, look]);
    const window = windows.get(name) ?? (await openWindow(browser, base, key, look));
    windows.set(name, window);
    return window;
  }

  /** A page that its test ends with, in the window that tests share; of the account, unless another key is named. */
  async function open(path: string, { key = account.key, look = WIDE, isAlone = false }: Visit = {}): Promise<Page> {
    const window = isAlone ? await openWindow(browser, base, key, look) : await windowFor(key, look);
    const page = await window.newPage();
    onTestFinished(() => (isAlone ? window.close() : page.close()));
    await page.goto(path);
    return page;
  }

  return { base, account, records, open };
}

/** Holds a page, in these looks, to the width of its window and to the rules of accessibility. */
export function expectWellMade(page: Page, path: string, looks: readonly Look[]): Promise<void> {
  return inLooks(page, path, looks, async (where, contrastsOnly) => {
    expect.soft(await sideways(page), where).toBe(0);
    expect.soft(await accessibilityFaults(page, { contrastsOnly }), where).toEqual([]);
  });
}

/** Holds a page, in these looks, to the rules of accessibility alone. */
export function expectAccessible(page: Page, path: string, looks: readonly Look[]): Promise<void> {
  return inLooks(page, path, looks, async (where, contrastsOnly) => {
    expect.soft(await accessibilityFaults(page, { contrastsOnly }), where).toEqual([]);
  });
}

type Judge = (where: string, contrastsOnly: boolean) => Promise<void>;

/** Where it is only one look, the page is judged in the opposite one as well, by its contrasts alone. */
async function inLooks(page: Page, path: string, looks: readonly Look[], judge: Judge): Promise<void> {
  const [only, another] = looks;
  const others = only && !another ? [opposite(only)] : [];
  for (const look of [...looks, ...others]) {
    await showIn(page, look);
    await settled(page);
    await judge(`${path} at ${look.width} px, ${look.colorScheme}`, others.includes(look));
  }
}

/** Gives the window of a page this look. */
export async function showIn(page: Page, { width, colorScheme }: Look): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
}
