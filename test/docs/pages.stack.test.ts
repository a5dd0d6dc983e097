import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { buildDocs } from '../../docs/site/build-docs.ts';
import { readDocument } from '../../docs/site/document.ts';
import { createSite } from '../../docs/site/site.ts';
import {
  accessibilityFaults,
  looksFrom,
  NARROW,
  openWindow,
  sharedBrowser,
  sideways,
  WIDE,
  watchPage,
} from '../console/browser.ts';
import { expectAccessible } from '../console/console-fixture.ts';
import { stack } from '../stack/api.ts';

/** The documentation in a real browser (spec/service#documents). */

let browser: Browser;
const base = () => stack().base_url;
const open = (width = 1_280) => openWindow(browser, base(), null, { width, colorScheme: 'light' });

beforeAll(async () => {
  await buildDocs(() => {});
  browser = await sharedBrowser();
});

/** They have everything that pages are made of. Of all others axe judges those parts, in a usual run, that none before has had. */
const IN_EVERY_LOOK = new Set(['/docs', '/docs/pricing-models', '/docs/api/test-clocks']);
const isThorough = process.env.THOROUGH === '1';
/** Some 40 pages, on a machine that does much else. */
const PATIENT_MS = 900_000;

/**
 * The kinds of element that a page has beside those that are `met`, and its references to what is not there once. A kind is the name of an
 * element, its class, type, role, which attributes it has, whether it has a text, and the same of what it stands in. Operations that have a new
 * one are marked. It runs in the browser, as text.
 */
function partsOfPage(met: string[]) {
  const known = new Set(met);
  const kindOf = new Map<Element | null, string>();
  for (const element of document.querySelectorAll('*')) {
    const given = ['class', 'type', 'role'].map((name) => element.getAttribute(name));
    const isEmpty = element.textContent?.trim() === '';
    const own = [element.localName, element.getAttributeNames().sort(), given, isEmpty].join(' ');
    const kind = `${kindOf.get(element.parentElement)} > ${own}`;
    kindOf.set(element, own);
    if (!known.has(kind)) element.closest('section.operation')?.setAttribute('data-new', '');
    known.add(kind);
  }
  const ids = new Map<string, number>();
  for (const { id } of document.querySelectorAll('[id]')) ids.set(id, (ids.get(id) ?? 0) + 1);
  const references = ['aria-controls', 'aria-labelledby', 'aria-describedby', 'for'].flatMap((name) =>
    [...document.querySelectorAll(`[${name}]`)].flatMap((one) => (one.getAttribute(name) ?? '').split(/\s+/)),
  );
  return { kinds: [...known].slice(met.length), faults: references.filter((id) => ids.get(id) !== 1) };
}

/** Of a page of a hundred operations axe would judge all that are as those before. */
const LEAVE_NEW = "for (const one of document.querySelectorAll('section.operation:not([data-new])')) one.remove()";

test(
  'every page keeps to its policy, its width and the rules of accessibility',
  async () => {
    const window = await open();
    const { pages } = createSite(readDocument());
    const page = await window.newPage();
    const faults = watchPage(page, base());
    const met: string[] = [];
    const inOrder = pages.toSorted((a, b) => Number(IN_EVERY_LOOK.has(b.path)) - Number(IN_EVERY_LOOK.has(a.path)));
    for (const [turn, { path, title }] of inOrder.entries()) {
      await page.goto(path);
      expect.soft(await page.title(), path).toBe(title === 'Meterbook' ? 'Meterbook' : `${title} · Meterbook`);
      const asked = `(${partsOfPage})(${JSON.stringify(met)})`;
      const parts = (await page.evaluate(asked)) as ReturnType<typeof partsOfPage>;
      expect.soft(parts.faults, path).toEqual([]);
      met.push(...parts.kinds);
      for (const width of [WIDE.width, NARROW.width]) {
        await page.setViewportSize({ width, height: 900 });
        expect.soft([path, width, await sideways(page)]).toEqual([path, width, 0]);
      }
      const isModel = IN_EVERY_LOOK.has(path);
      if (!isModel && !isThorough) await page.evaluate(LEAVE_NEW);
      if (isModel || isThorough || parts.kinds.length > 0) await expectAccessible(page, path, looksFrom(turn, isModel));
      expect.soft(faults.splice(0), path).toEqual([]);
    }
    await window.close();
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
  const window = await open();
  const page = await window.newPage();
  await page.goto('/docs');
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
  await window.close();
});

test('what finds nothing says so, and Escape closes it', async () => {
  const window = await open();
  const page = await window.newPage();
  await page.goto('/docs/quickstart');
  await page.getByRole('searchbox', { name: 'Search docs' }).fill('zzzzqqq');
  const status = page.getByRole('search').getByText('Nothing found');
  await status.waitFor();
  await page.keyboard.press('Escape');
  await status.waitFor({ state: 'hidden' });
  await window.close();
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
  const window = await open();
  const page = await window.newPage();
  await page.goto(path);
  await page.waitForURL(url);
  await expect.poll(() => isInView(page, id), { timeout: 10_000 }).toBe(true);
  await window.close();
});

test('tabs: one choice holds for all samples, by keyboard too, and for the next page', async () => {
  const window = await open();
  const page = await window.newPage();
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
  await window.close();
});
