import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { api } from '../stack/api.ts';
import { makeCustomer } from '../stack/resources.ts';
import { NARROW, NARROW_LIGHT, watchPage } from './browser.ts';
import { openConsole, pagesInTurn, showIn, whenShown } from './console-fixture.ts';
import { EVIL_NAME, LONG_NUMBER, makeShownRecords } from './shown-records.ts';

/** The page of a customer's link in a real browser (spec/portal#page). */

const { base, account, records: ids, open } = await openConsole(makeShownRecords);

const pathOfLink = async (customerId: string, seconds = 3_600): Promise<string> => {
  const made = await account.api.post(`/api/customers/${customerId}/portal_link`, { expires_in_seconds: seconds });
  expect(made.status, made.text).toBe(201);
  return new URL(String(made.body.url)).pathname;
};

/** Opens what a link shows, as its customer does: without a session. */
const openLink = (path: string) => open(path, { key: null });

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

test('it shows usage, upcoming invoice, balance and invoices, and leads to the proof of each line, by keyboard alone', async () => {
  const page = await openLink(await pathOfLink(ids.customer));
  const faults = watchPage(page, base);
  await page.getByRole('heading', { level: 1, name: EVIL_NAME, exact: true }).waitFor();
  await region(page, 'Usage').locator(`data[value="${LONG_NUMBER}"]`).first().waitFor();
  await region(page, 'Balance').locator('data[value="2.5"]').first().waitFor();
  await page.getByRole('figure', { name: 'Usage by day' }).locator('svg').waitFor();

  await region(page, 'Upcoming invoice')
    .getByRole('link', { name: /^Explain Tokens: 12,345/ })
    .focus();
  await page.keyboard.press('Enter');
  const steps = page.getByRole('table', { name: 'Steps' });
  await steps.locator(`data[value="${LONG_NUMBER}"]`).first().waitFor();
  await page.getByRole('table', { name: 'Events' }).getByRole('cell', { name: ids.event }).waitFor();

  await page.getByRole('link', { name: 'Usage and invoices' }).focus();
  await page.keyboard.press('Enter');
  await region(page, 'Invoices').getByRole('link', { name: 'INV-000001', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'INV-000001' }).waitFor();
  await page.getByRole('link', { name: 'Explain Pro: recurring fee' }).focus();
  await page.keyboard.press('Enter');
  await steps.waitFor();
  expect([faults, await page.locator('img').count()]).toEqual([[], 0]);
});

test('each invoice has its PDF', async () => {
  const path = await pathOfLink(ids.customer);
  const page = await openLink(path);
  const link = page.getByRole('link', { name: 'PDF INV-000001', exact: true });
  expect(await link.getAttribute('href')).toBe(`${path}/api/invoices/${ids.invoice}/pdf`);
  const pdf = await page.request.get(String(await link.getAttribute('href')));
  expect([pdf.status(), (await pdf.body()).subarray(0, 4).toString()]).toEqual([200, '%PDF']);
});

test('every page of it keeps to its policy, its width and the rules of accessibility', async () => {
  const path = await pathOfLink(ids.customer);
  const other = await pathOfLink(String((await makeCustomer(account.api, { customer_name: 'Initech' })).customer_id));
  const pages: [path: string, heading: string][] = [
    [path, EVIL_NAME],
    [`${path}/invoices/${ids.invoice}`, 'INV-000001'],
    [`${path}/invoices/${ids.invoice}/lines/${ids.line}`, 'Pro: recurring fee'],
    [`${path}/nowhere`, 'Not found'],
    [other, 'Initech'],
    [`${other}/invoices/${ids.invoice}`, 'Not found'],
    ['/portal/no-link', 'This link does not work'],
  ];
  const page = await openLink('about:blank');
  const faults = watchPage(page, base);
  const judge = pagesInTurn();
  for (const [turn, [at, heading]] of pages.entries()) {
    await showIn(page, turn % 2 === 0 ? NARROW : NARROW_LIGHT);
    await page.goto(at);
    await whenShown(page, heading);
    expect.soft(await page.title(), at).toBe(`${heading} · Meterbook`);
    await judge(page, at, at === path);
    expect.soft(faults.splice(0), at).toEqual([]);
  }
});

describe('a link that is over', () => {
  test.each([
    ['altered', async (path: string) => `${path}x`, 404, 'This link does not work'],
    ['revoked', revoked, 404, 'This link does not work'],
    ['expired', expired, 410, 'This link has expired'],
  ])('%s: it is said in words, and by its status', async (_, end, status, heading) => {
    const { customer_id } = await makeCustomer(account.api, { customer_name: 'Hooli' });
    const path = await end(await pathOfLink(String(customer_id)), String(customer_id));
    const answer = await api(null).get(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=UTF-8']);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const page = await openLink(path);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    expect(await page.getByText('Hooli').count()).toBe(0);
  });

  test('while it is shown: what was read goes', async () => {
    const { customer_id } = await makeCustomer(account.api, { customer_name: 'Hooli' });
    const page = await open('about:blank', { key: null, isAlone: true });
    // The clock is that of all pages of the window.
    await page.clock.install();
    await page.goto(await pathOfLink(String(customer_id)));
    await page.getByRole('heading', { level: 1, name: 'Hooli' }).waitFor();
    await account.api.post(`/api/customers/${customer_id}/portal_links/revoke`);
    await page.clock.fastForward('01:00');
    await page.getByRole('heading', { level: 1, name: 'This link does not work' }).waitFor();
    expect(await page.getByText('Hooli').count()).toBe(0);
  });
});

async function revoked(path: string, customerId: string): Promise<string> {
  await account.api.post(`/api/customers/${customerId}/portal_links/revoke`);
  return path;
}

async function expired(_: string, customerId: string): Promise<string> {
  const path = await pathOfLink(customerId, 1);
  await expect.poll(async () => (await api(null).get(path)).status).toBe(410);
  return path;
}
