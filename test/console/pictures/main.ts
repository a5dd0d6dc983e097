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
import { billOnPaper, drawPaper } from './paper.ts';

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

async function keyOf(name: string): Promise<string> {
  const postgres = createPool(stack.file().postgres_url);
  const account = createAccount(postgres, systemClock, { name, currency: 'usd', mode: 'test' });
  return (await account.finally(() => postgres.end())).key;
}

/** The first page of an invoice, as it is on paper. */
async function takePaper(): Promise<void> {
  const { base_url } = stack.file();
  const key = await keyOf('Northwind AI');
  const invoice = await billOnPaper(apiCaller(base_url, key));
  const pdf = await fetch(new URL(`/api/invoices/${invoice}/pdf`, base_url), { headers: { 'X-API-KEY': key } });
  await drawPaper(browser, Buffer.from(await pdf.arrayBuffer()), join(FOLDER, 'invoice-paper.png'));
}

async function takePages(): Promise<void> {
  await buildConsole(console.log);
  await buildDocs(console.log);
  const { base_url } = stack.file();
  const key = await keyOf('Northwind');
  const shown = await makeBusiness(apiCaller(base_url, key), systemClock.now());
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
}

const stack = await startOwnStack();
const browser = await launchBrowser();
try {
  await mkdir(FOLDER, { recursive: true });
  if (isWanted('invoice-paper')) await takePaper();
  if (wanted.some((name) => name !== 'invoice-paper') || wanted.length === 0) await takePages();
} finally {
  await browser.close();
  await stack.stop();
}
