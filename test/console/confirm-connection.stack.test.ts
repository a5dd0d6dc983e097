import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { newAccount } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';
import { accessibilityFaults, LOOKS, sharedBrowser, watchPage } from './browser.ts';

/** The page on which the owner confirms a connection, in a real browser (spec/payments#processors). */

/** The application of the tenant, at another origin than ours. */
const app = createServer((request, response) => response.end(`came to ${request.url}`));
let appUrl = '';
beforeAll(async () => {
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
});
afterAll(() => {
  app.closeAllConnections();
  app.close();
});

/** Starts a connection and returns the URL to which the processor redirects the owner's browser. */
async function begin() {
  const account = await newAccount();
  const name = newId('acct').replaceAll('_', '');
  const { body } = await account.api.post('/api/payment-providers/stripe/connect', { redirect_url: `${appUrl}/done` });
  const asked = new URL(String(body.authorization_url)).searchParams;
  const callback = new URL(String(asked.get('redirect_uri')));
  callback.searchParams.set('state', String(asked.get('state')));
  callback.searchParams.set('code', `ac_${name}`);
  const isConnected = async () => (await account.api.get('/api/payment-providers')).text.includes(`acct_${name}`);
  return { callback: callback.href, name: `acct_${name}`, isConnected };
}

test.each(LOOKS)(
  'it names both accounts, and has no fault: $width px, $colorScheme',
  async ({ width, colorScheme }) => {
    const { callback, name } = await begin();
    const context = await (await sharedBrowser()).newContext({ viewport: { width, height: 700 }, colorScheme });
    try {
      const page = await context.newPage();
      const faults = watchPage(page, stack().base_url);
      await page.goto(callback);
      await page.getByText(name, { exact: true }).waitFor();
      await page.getByText('Acme & <Sons>', { exact: true }).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      expect([faults, await accessibilityFaults(page)]).toEqual([[], []]);
      if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${width}-${colorScheme}.png` });
      await page.goto(callback);
      await page.getByRole('heading', { name: 'This page is no longer of use' }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      if (process.env.PICTURES)
        await page.screenshot({ path: `${process.env.PICTURES}/${width}-${colorScheme}-used.png` });
    } finally {
      await context.close();
    }
  },
);

test.each([
  ['Connect', 'connected=stripe', true],
  ['Decline', 'error=declined', false],
])('without a script, %s leads on to the application', async (button, outcome, isConnected) => {
  const begun = await begin();
  const context = await (await sharedBrowser()).newContext({ javaScriptEnabled: false });
  try {
    const page = await context.newPage();
    await page.goto(begun.callback);
    expect(await begun.isConnected()).toBe(false);
    await page.getByRole('button', { name: button }).click();
    await page.waitForURL(`${appUrl}/done?${outcome}`);
    expect(await begun.isConnected()).toBe(isConnected);
  } finally {
    await context.close();
  }
});
