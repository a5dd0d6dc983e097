import type { Browser } from 'playwright-core';
import { openWindow, WIDE } from '../../test/console/browser.ts';

/** A page: what it asks the API for, by path and query, and how long until its data stood there, from the browser's first request. */
export type OpenedPage = { path: string; calls: string[]; shownMs: number };

/** Opens each page in the browser, in a window that is logged in with `apiKey` and has been there before. */
export async function openPages(
  browser: Browser,
  base: string,
  apiKey: string,
  pages: readonly [path: string, heading: string][],
): Promise<OpenedPage[]> {
  const window = await openWindow(browser, base, apiKey, WIDE);
  const page = await window.newPage();
  const opened: OpenedPage[] = [];
  let calls = new Set<string>();
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.method() === 'GET' && pathname.startsWith('/api/')) calls.add(`${pathname}${search}`);
  });
  for (const [path, heading] of pages) {
    calls = new Set();
    const begun = performance.now();
    await page.goto(`/console${path}`);
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    opened.push({ path, calls: [...calls], shownMs: performance.now() - begun });
  }
  await window.close();
  return opened;
}
