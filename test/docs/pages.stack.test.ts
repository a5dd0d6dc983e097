import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildDocs } from '../../docs/site/build-docs.ts';
import { readDocument } from '../../docs/site/document.ts';
import { createSite } from '../../docs/site/site.ts';
import {
  accessibilityFaults,
  looksFrom,
  NARROW_LIGHT,
  openWindow,
  opposite,
  sharedBrowser,
  sideways,
  WIDE,
  watchPage,
} from '../console/browser.ts';
import { expectAccessible, IS_THOROUGH, lookOf, showIn } from '../console/console-fixture.ts';
import { newPartsOf } from '../console/page-parts.ts';
import { stack } from '../stack/api.ts';

/** The documentation in a real browser (spec/service#documents). */

let browser: Browser;
let window: BrowserContext;
const base = () => stack().base_url;

beforeAll(async () => {
  await buildDocs(() => {});
  browser = await sharedBrowser();
  window = await openWindow(browser, base(), null, WIDE);
});
afterAll(() => window?.close());

/** A page that ends with its test, in the window that tests share. */
async function open(path: string): Promise<Page> {
  const page = await window.newPage();
  onTestFinished(() => page.close());
  await page.goto(path);
  return page;
}

/** They have everything that pages are made of. Of all others axe judges those parts, in a usual run, that none before has had. */
const IN_EVERY_LOOK = new Set(['/docs', '/docs/pricing-models', '/docs/api/test-clocks']);
/** Some 40 pages, on a machine that does much else. */
const PATIENT_MS = 900_000;

/** Of a page of a hundred operations axe would judge all that are as those before. */
const LEAVE_NEW =
  "for (const one of document.querySelectorAll('section.operation:not(:has([data-new]))')) one.remove()";

test(
  'every page keeps to its policy, its width and the rules of accessibility',
  async () => {
    const { pages } = createSite(readDocument());
    const page = await open('about:blank');
    const faults = watchPage(page, base());
    const met: string[] = [];
    const inOrder = pages.toSorted((a, b) => Number(IN_EVERY_LOOK.has(b.path)) - Number(IN_EVERY_LOOK.has(a.path)));
    for (const [turn, { path, title }] of inOrder.entries()) {
      if (turn === Math.round(inOrder.length / 2)) await showIn(page, NARROW_LIGHT);
      await page.goto(path);
      expect.soft(await page.title(), path).toBe(title === 'Meterbook' ? 'Meterbook' : `${title} · Meterbook`);
      const { kinds, faults: wrong } = await newPartsOf(page, met);
      expect.soft(wrong, path).toEqual([]);
      met.push(...kinds);
      // A page is loaded as the one before has been left, at either width.
      const look = opposite(lookOf(page));
      for (const one of [lookOf(page), look]) {
        await showIn(page, one);
        expect.soft([path, one.width, await sideways(page)]).toEqual([path, one.width, 0]);
      }
      const isWhole = IN_EVERY_LOOK.has(path) || IS_THOROUGH;
      if (!isWhole) await page.evaluate(LEAVE_NEW);
      const looks = isWhole ? looksFrom(look) : [look];
      if (isWhole || kinds.length > 0) await expectAccessible(page, path, looks, !isWhole);
      expect.soft(faults.splice(0), path).toEqual([]);
    }
  },
  PATIENT_MS,
);

test('without a script a page has all of its text and samples, and no search', async () => {
  const context = await browser.newContext({ baseURL: base(), javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/docs/api/plans');
  await page.getByText('Upper edge of the tier').first().waitFor();
  const create = page.getByRole('region', { name: 'Create a plan' });
  await create.getByText('curl "$URL/api/plans"').waitFor();
  await create.getByText("await client.POST('/api/plans'").waitFor();
  expect(await page.getByRole('searchbox').count()).toBe(0);
  await page.setViewportSize({ width: 360, height: 900 });
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Pricing models' }).click();
  await page.getByRole('heading', { level: 1, name: 'Pricing models' }).waitFor();
  await context.close();
});

test('/ leads to the search, which finds a field within fields; its link leads to the field', async () => {
  const page = await open('/docs');
  const loaded: string[] = [];
  page.on('request', (request) => void loaded.push(new URL(request.url()).pathname));
  await page.keyboard.press('/');
  await page.keyboard.type('tiers.up_to');
  const hit = page.getByRole('search').getByRole('link', { name: /^components\.tiers\.up_to/ });
  await hit.first().waitFor();
  expect(loaded.some((path) => path.startsWith('/docs/assets/search-'))).toBe(true);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\w+\.(body|answer)\..*tiers\.up_to$/);
  await page.getByRole('searchbox', { name: 'Search docs' }).fill('prepaid units');
  await page.getByRole('search').getByRole('status').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Pricing models' }).waitFor();
});

test('what finds nothing says so, and Escape closes it', async () => {
  const page = await open('/docs/quickstart');
  await page.getByRole('searchbox', { name: 'Search docs' }).fill('zzzzqqq');
  const status = page.getByRole('search').getByText('Nothing found');
  await status.waitFor();
  await page.keyboard.press('Escape');
  await status.waitFor({ state: 'hidden' });
});

/** Whether an element stands in the window, below what sticks to its top. */
async function isInView(page: Page, id: string): Promise<boolean> {
  const box = await page.locator(`[id="${id}"]`).boundingBox();
  return box !== null && box.y >= 0 && box.y < 900;
}

test.each([
  ['/docs#createPlan', /\/docs\/api\/plans#createPlan$/, 'createPlan'],
  ['/docs#createPlan.body.components.tiers.up_to', /#createPlan\.body/, 'createPlan.body.components.tiers.up_to'],
  [
    '/docs/api/webhooks#receiveInvoicePaid.body.data.lines.amount',
    /receive/,
    'receiveInvoicePaid.body.data.lines.amount',
  ],
])('%s leads there', async (path, url, id) => {
  const page = await open(path);
  await page.waitForURL(url);
  await expect.poll(() => isInView(page, id)).toBe(true);
});

test('tabs: one choice holds for all samples, by keyboard too, and for the next page', async () => {
  const own = await openWindow(browser, base(), null, WIDE);
  onTestFinished(() => own.close());
  const page = await own.newPage();
  await page.goto('/docs/api/plans');
  const create = page.getByRole('region', { name: 'Create a plan' });
  const typescript = create.getByText("await client.POST('/api/plans'");
  await create.getByText('curl "$URL/api/plans"').waitFor();
  await typescript.waitFor({ state: 'hidden' });
  await create.getByRole('tab', { name: 'curl' }).focus();
  await page.keyboard.press('ArrowRight');
  await typescript.waitFor();
  expect(await create.getByRole('tab', { name: 'TypeScript' }).getAttribute('aria-selected')).toBe('true');
  await page.goto('/docs/api/customers');
  await page.getByText("await client.POST('/api/customers'", { exact: false }).first().waitFor();
  expect(await page.getByRole('tab', { name: 'curl', selected: true }).count()).toBe(0);
});
