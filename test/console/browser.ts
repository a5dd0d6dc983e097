import { accessSync, constants, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContext, type Page, chromium as playwright } from 'playwright-core';
import { holdName } from '../../local/name-lock.ts';
import { waitUntil } from '../stack/wait-until.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** What runs in the browser knows its types, which all else does not: console/tsconfig.json has both. */
const { judgePage } = (await import(new URL('judge-page.ts', import.meta.url).href)) as { judgePage: () => unknown };
/** WCAG 2.1, levels A and AA. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];
/** Styles whose contrast has been judged, on any page. */
const known = new Set<string>();
/** Drawn by the processor alone: a software imitation of a graphics card takes two thirds more of it. */
const ARGS = ['--no-sandbox', '--disable-gpu'];
/** Scripts live for one page of a test: what their optimization takes is more than what it saves, and memory is not collected as often. */
const SHORT_LIVED = ['--js-flags=--no-turbofan --min-semi-space-size=32'];

/** A busy machine draws a page many times as slowly as one that is not. */
const PATIENCE_MS = 120_000;

/** Starts Chromium: the one that `CHROMIUM_PATH` names, one on PATH, else that of `npm ci`. `more`: none of them where speed is measured. */
export async function launchBrowser(more: readonly string[] = SHORT_LIVED): Promise<Browser> {
  const own = process.env.CHROMIUM_PATH ?? onPath('chromium') ?? onPath('google-chrome');
  return playwright.launch({
    executablePath: own ?? (await unpackedChromium()),
    args: [...ARGS, ...more],
  });
}

/** The first process of a machine unpacks it; another one that came meanwhile would start what is there of it. */
async function unpackedChromium(): Promise<string> {
  for (;;) {
    const turn = await holdName('unpack-chromium');
    if (turn) return chromium.executablePath().finally(turn.release);
    await sleep(100);
  }
}

function onPath(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export type Look = { width: number; colorScheme: 'light' | 'dark' };
export const WIDE: Look = { width: 1_280, colorScheme: 'light' };
export const NARROW: Look = { width: 360, colorScheme: 'dark' };
export const NARROW_LIGHT: Look = { ...NARROW, colorScheme: 'light' };
/** All that a page is looked at in. */
export const LOOKS: readonly Look[] = [WIDE, { ...WIDE, colorScheme: 'dark' }, NARROW_LIGHT, NARROW];

/** All looks, this one first. */
export function looksFrom(look: Look): Look[] {
  const first = LOOKS.indexOf(look);
  return [...LOOKS.slice(first), ...LOOKS.slice(0, first)];
}

/** The other width and the other color. */
export const opposite = (look: Look): Look => LOOKS[LOOKS.length - 1 - LOOKS.indexOf(look)] as Look;

let shared: Promise<Browser> | undefined;

/** One for all files of a worker, with which it ends: their windows are their own. */
export async function sharedBrowser(): Promise<Browser> {
  const one = await shared?.catch(() => undefined);
  if (one?.isConnected()) return one;
  shared = launchBrowser();
  return shared;
}

/** A window of the browser that is logged in with `apiKey` at `base`, or not. */
export async function openWindow(browser: Browser, base: string, apiKey: string | null, look: Look) {
  const { width, colorScheme } = look;
  const context = await browser.newContext({ baseURL: base, viewport: { width, height: 900 }, colorScheme });
  context.setDefaultTimeout(PATIENCE_MS);
  if (apiKey !== null) await logIn(context, base, apiKey);
  return context;
}

async function logIn(context: BrowserContext, base: string, apiKey: string): Promise<void> {
  const answer = await context.request.post('/console/session', {
    data: { api_key: apiKey },
    headers: { Origin: base },
  });
  if (answer.status() !== 201) throw new Error(`The log-in was answered ${answer.status()}: ${await answer.text()}`);
}

/** Collects what must not happen on a page: script errors, requests to elsewhere, and breaches of its policy, which the browser logs as errors. */
export function watchPage(page: Page, base: string): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => void faults.push(`script error: ${error.message}`));
  page.on('console', (message) => {
    // The browser logs each answer of 4xx, too, which pages show in words.
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isAnswer) faults.push(`logged: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith('data:')) faults.push(`asked ${request.url()}`);
  });
  return faults;
}

/**
 * Brings what moves or is being faded in to its end: half-way it has the contrast and the width of neither before nor after, and each frame
 * of it is laid out and drawn. What turns for ever goes on.
 */
const AT_ITS_END = `for (const animation of document.getAnimations())
  if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish()`;

/**
 * What axe finds on the page as it is: the rule, what it is about, where. `contrastsOnly`: the rest was judged in another look. `isOfNew`: the
 * rest, of what has been marked as a new kind of part.
 */
export async function accessibilityFaults(
  page: Page,
  { contrastsOnly = false, isOfNew = false } = {},
): Promise<string[]> {
  await page.evaluate(AT_ITS_END);
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const judged = `(${judgePage})(${JSON.stringify({ tags: contrastsOnly ? null : TAGS, isOfNew, known: [...known] })})`;
  const { faults, learnt } = (await page.evaluate(judged)) as { faults: string[]; learnt: string[] };
  for (const look of learnt) known.add(look);
  return faults;
}

/** Resolves once the page has been laid out anew, what that has set in motion is at its end, and what follows from that has been drawn. */
const MOVED = `(async () => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  await drawn();
  ${AT_ITS_END};
  await drawn();
})()`;

/** Waits until a page that has another width stands still: what slides, slides; charts are drawn anew. */
export async function settled(page: Page): Promise<void> {
  // Before it has begun to move, it has the right width as well.
  await page.evaluate(MOVED);
  await waitUntil(
    () => sideways(page),
    (pixels) => pixels === 0,
    5_000,
  ).catch(() => {});
}

/** How many pixels the page is wider than its window. */
export function sideways(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
}
