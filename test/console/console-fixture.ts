import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';
import { newAccount } from '../stack/accounts.ts';
import { type Api, stack } from '../stack/api.ts';
import {
  accessibilityFaults,
  type Look,
  looksFrom,
  openWindow,
  opposite,
  settled,
  sharedBrowser,
  sideways,
  WIDE,
} from './browser.ts';
import { newPartsOf } from './page-parts.ts';

/** Everything is judged in every look. */
export const IS_THOROUGH = process.env.THOROUGH === '1';

/** Whose key a window is logged in with (null: nobody's), and how it looks. `isAlone`: what is done there changes who is logged in. */
type Visit = { key?: string | null; look?: Look; isAlone?: boolean };

/** Pages that their tests have left, by window: to load the console anew takes five times what the next page does. */
const left = new WeakMap<BrowserContext, Page[]>();
/** Where they are left: nothing is read there. */
const NOWHERE = '/console/nowhere-at-all';

/** Leaves a page to the next test as if it had just been loaded; one that shows something else or looks otherwise is closed. */
async function leave(page: Page, { width }: Look): Promise<void> {
  const isAsOpened = page.viewportSize()?.width === width && !shown.has(page);
  if (!isAsOpened || !(await page.evaluate("'__TSR_ROUTER__' in window && location.pathname.startsWith('/console')")))
    return page.close();
  page.removeAllListeners();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await follow(page, NOWHERE);
  await page.evaluate('__TSR_ROUTER__.options.context.queries.clear()');
  const window = page.context();
  left.set(window, [...(left.get(window) ?? []), page]);
}

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

  /** A page for this test, in the window that tests share; of the account, unless another key is named. */
  async function open(path: string, { key = account.key, look = WIDE, isAlone = false }: Visit = {}): Promise<Page> {
    const window = isAlone ? await openWindow(browser, base, key, look) : await windowFor(key, look);
    const page = left.get(window)?.pop() ?? (await window.newPage());
    onTestFinished(({ task }) => {
      if (isAlone) return window.close();
      // One that is being led elsewhere just then cannot be left.
      return task.result?.state === 'fail' ? page.close() : leave(page, look).catch(() => page.close());
    });
    if (path.startsWith('/console') && page.url().endsWith(NOWHERE)) await follow(page, path);
    else await page.goto(path);
    return page;
  }

  return { base, account, records, open };
}

/** Leads a page that is shown to another one, as its links do: what is loaded stays. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`new Promise((done) => {
    const stop = __TSR_ROUTER__.subscribe('onRendered', () => done(stop()));
    history.pushState({}, '', ${JSON.stringify(path)});
  })`);
}

/** Waits until the page of that heading has all that it shows. */
export async function whenShown(page: Page, heading: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  await page.locator('[aria-busy=true], figure .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
}

/** Holds a page, in these looks, to the width of its window and to the rules of accessibility. `isOfNew`: of what is marked as new. */
function expectWellMade(page: Page, path: string, looks: readonly Look[], isOfNew = false): Promise<void> {
  return inLooks(page, path, looks, async (where, contrastsOnly) => {
    expect.soft(await sideways(page), where).toBe(0);
    expect.soft(await accessibilityFaults(page, { contrastsOnly, isOfNew }), where).toEqual([]);
  });
}

/**
 * Holds pages, one after another as they are shown, to what is said above: one that `isWhole`, and each of a thorough run, in every look;
 * another by what is of a kind that none before has had, and where there is nothing, by its width, its references and its contrasts.
 */
export function pagesInTurn() {
  const met: string[] = [];
  return async (page: Page, path: string, isWhole: boolean): Promise<void> => {
    const { kinds, faults } = await newPartsOf(page, met);
    met.push(...kinds);
    expect.soft(faults, path).toEqual([]);
    const look = lookOf(page);
    if (isWhole || IS_THOROUGH) await expectWellMade(page, path, looksFrom(look));
    else if (kinds.length > 0) await expectWellMade(page, path, [look], true);
    else await expectLikeOthers(page, path);
  };
}

async function expectLikeOthers(page: Page, path: string): Promise<void> {
  if ((await sideways(page)) !== 0) await settled(page);
  expect.soft(await sideways(page), path).toBe(0);
  expect.soft(await accessibilityFaults(page, { contrastsOnly: true }), path).toEqual([]);
}

/** Holds a page, in these looks, to the rules of accessibility alone. `isOfNew`: as above. */
export function expectAccessible(page: Page, path: string, looks: readonly Look[], isOfNew = false): Promise<void> {
  return inLooks(page, path, looks, async (where, contrastsOnly) => {
    expect.soft(await accessibilityFaults(page, { contrastsOnly, isOfNew }), where).toEqual([]);
  });
}

type Judge = (where: string, contrastsOnly: boolean) => Promise<void>;

/**
 * Where it is only one look, the page is judged in the opposite one as well. By its contrasts alone, as in each further one of a width
 * that it has been judged in: colors make no other difference.
 */
async function inLooks(page: Page, path: string, looks: readonly Look[], judge: Judge): Promise<void> {
  const [only, another] = looks;
  const others = only && !another ? [opposite(only)] : [];
  const widths = new Set(others.map(({ width }) => width));
  for (const look of [...looks, ...others]) {
    await showIn(page, look);
    await settled(page);
    await judge(`${path} at ${look.width} px, ${look.colorScheme}`, widths.has(look.width));
    widths.add(look.width);
  }
}

/** As each page is shown; one that is not here has no look yet. */
const shown = new WeakMap<Page, Look>();

export const lookOf = (page: Page): Look => shown.get(page) ?? WIDE;

/** Gives the window of a page this look. */
export async function showIn(page: Page, look: Look): Promise<void> {
  const before = shown.get(page);
  shown.set(page, look);
  if (before?.width !== look.width) await page.setViewportSize({ width: look.width, height: 900 });
  if (before?.colorScheme !== look.colorScheme) await page.emulateMedia({ colorScheme: look.colorScheme });
}
