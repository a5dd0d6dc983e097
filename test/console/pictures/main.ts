import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createAccount } from '../../../cli/create-account.ts';
import { apiCaller } from '../../../cli/demo/api-caller.ts';
import { buildConsole } from '../../../console/build/build-console.ts';
import { buildDocs } from '../../../docs/site/build-docs.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { createPool } from '../../../sql/postgres/postgres.ts';
import { startOwnStack } from '../../stack/own-stack.ts';
import { launchBrowser, openWindow } from '../browser.ts';
import { makeBusiness, type Shown } from './business.ts';

/** Takes the pictures of docs/pictures/ anew, of a business of its own on a stack of its own: `npm run pictures`, or some: `npm run pictures -- book`. */

const FOLDER = join(import.meta.dirname, '../../../docs/pictures');
const SIZES = [
  { width: 1_280, height: 860 },
  { width: 360, height: 740 },
] as const;
const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
/** Pixels: the header of the frame, and some air. */
const BELOW_HEADER = 80;
/** What is drawn has been drawn by then. */
const DRAWN_MS = 1_000;

/** Each picture: the page it is of, and what is done there first. */
function pictures(shown: Shown): [name: string, path: string, prepare?: (page: Page) => Promise<void>][] {
  return [
    ['overview', '/console'],
    ['customer', `/console/customers/${shown.customer}`],
    ['line', `/console/invoices/${shown.invoice}/lines/${shown.line}`],
    ['event', `/console/events/${shown.event}`],
    ['plan', `/console/plans/${shown.plan}`, calculate],
    ['book', `/console/plans/${shown.book}`, (page) => showSection(page, /^Price book of/)],
    ['phases', `/console/subscriptions/${shown.phased}`, (page) => showSection(page, 'Phases')],
    ['portal', shown.portal],
    ['docs', '/docs/pricing-models'],
    ['reference', '/docs/api/plans#createPlan'],
  ];
}

/** Scrolls to a section, whose heading then stands below the header of the frame. */
async function showSection(page: Page, name: string | RegExp): Promise<void> {
  const place = await page.getByRole('heading', { name }).boundingBox();
  await page.mouse.wheel(0, (place?.y ?? 0) - BELOW_HEADER);
}

async function calculate(page: Page): Promise<void> {
  const calculator = page.getByRole('region', { name: 'Price calculator' });
  await calculator.getByLabel('API calls').fill('1250');
  await calculator.getByLabel('Tokens').fill('240000');
  await calculator.getByRole('button', { name: 'Calculate' }).click();
  await calculator.getByText('Subtotal').scrollIntoViewIfNeeded();
}

const stack = await startOwnStack();
const browser = await launchBrowser();
try {
  await buildConsole(console.log);
  await buildDocs(console.log);
  const { base_url, postgres_url } = stack.file();
  const postgres = createPool(postgres_url);
  const terms = { name: 'Northwind', currency: 'usd', mode: 'test' } as const;
  const { key } = await createAccount(postgres, systemClock, terms).finally(() => postgres.end());
  const shown = await makeBusiness(apiCaller(base_url, key), systemClock.now());
  await mkdir(FOLDER, { recursive: true });
  for (const { width, height } of SIZES) {
    const window = await openWindow(browser, base_url, key, { width, colorScheme: 'light' });
    for (const [name, path, prepare] of pictures(shown).filter(([name]) => isWanted(name))) {
      const page = await window.newPage();
      await page.setViewportSize({ width, height });
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      await prepare?.(page);
      await page.waitForTimeout(DRAWN_MS);
      await page.screenshot({ path: join(FOLDER, `${name}-${width}.png`) });
      await page.close();
    }
    await window.close();
  }
} finally {
  await browser.close();
  await stack.stop();
}
