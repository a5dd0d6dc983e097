import { expect, test } from 'vitest';
import type { Bent } from '../../billing/chain/chain.ts';
import { replaceChainCheck } from '../../sql/postgres/chain/chain-checks.ts';
import { newAccount, withPostgres } from '../stack/accounts.ts';
import { itemsOf } from '../stack/api.ts';
import { makeCustomer } from '../stack/resources.ts';
import { accessibilityFaults, NARROW, NARROW_LIGHT, watchPage } from './browser.ts';
import { follow, IS_THOROUGH, openConsole, pagesInTurn, showIn, whenShown } from './console-fixture.ts';
import { LISTS, recordPages } from './page-paths.ts';
import { EVIL_NAME, LONG_NUMBER, makeShownRecords } from './shown-records.ts';

/** Every page in a real browser (spec/service#console): as it looks to people, and to those who cannot see it. */

const { base, account, records: ids, open } = await openConsole(makeShownRecords);
const empty = await newAccount();

/** They have the parts that most others are made of. */
const MODELS = new Set(['/', '/plans/new', `/customers/${ids.customer}`, `/invoices/${ids.invoice}`]);
/** Some 50 pages, on a machine that does much else. */
const PATIENT_MS = 600_000;

const judge = pagesInTurn();

test.each([
  ['records', account, [...LISTS, ...recordPages(ids)], [NARROW_LIGHT, NARROW]],
  ['nothing', empty, LISTS, [NARROW, NARROW_LIGHT]],
] as const)(
  'with %s, pages keep to their policy, their width and the rules of accessibility',
  async (_, { key }, pages, [first, then]) => {
    const page = await open('about:blank', { key });
    const faults = watchPage(page, base);
    for (const [i, [path, heading]] of pages.entries()) {
      const look = i < pages.length / 2 ? first : then;
      const isWhole = key === account.key && MODELS.has(path);
      await showIn(page, look);
      if (isWhole || i === 0 || IS_THOROUGH) await page.goto(`/console${path}`);
      else await follow(page, `/console${path}`);
      await whenShown(page, heading);
      expect.soft(await page.title(), path).toBe(`${heading} · Meterbook`);
      await judge(page, path, isWhole);
      expect.soft(faults.splice(0), path).toEqual([]);
    }
  },
  PATIENT_MS,
);

test('a contrast that is bad is found, whatever else looks like it', async () => {
  const page = await open('about:blank');
  const text = (words: string, before = '') =>
    `<div style="position:relative;background:#fff">${before}<p style="position:relative">${words}</p></div>`;
  const show = (parts: string[]) =>
    page.setContent(`<html lang="en"><title>Page</title><body style="background:#fff;color:#333">${parts.join('')}`);
  await show([text('good'), text('as good')]);
  expect(await accessibilityFaults(page)).toEqual([]);
  const bar = '<i style="position:absolute;inset:0;background:#444"></i>';
  const pale = (words: string) => text(`<b style="color:#ddd">${words}</b>`);
  await show([text('good'), text('on a bar', bar), pale('pale'), pale('as pale'), '<img src="data:,">']);
  const faults = await accessibilityFaults(page);
  const found = faults.map((fault) => `${/^[a-z-]+/.exec(fault)} ${/>(.*?)</.exec(fault)?.[1]}`);
  expect(found.toSorted()).toEqual([
    'color-contrast as pale',
    'color-contrast on a bar',
    'color-contrast pale',
    'image-alt undefined',
  ]);
  const contrasts = faults.filter((fault) => fault.startsWith('color-contrast'));
  expect((await accessibilityFaults(page, { contrastsOnly: true })).toSorted()).toEqual(contrasts.toSorted());
});

test('what callers write is text, whatever stands in it, and numbers have all their digits', async () => {
  const page = await open('about:blank');
  const faults = watchPage(page, base);
  await page.goto('/console/customers');
  await page.getByRole('link', { name: EVIL_NAME }).click();
  const quantity = page.getByRole('region', { name: 'Upcoming invoice' }).locator(`data[value="${LONG_NUMBER}"]`);
  await quantity.waitFor();
  expect(await quantity.textContent()).toBe('12,345,678,901,234,567,890.123456789');
  await page.getByRole('link', { name: /^Explain Tokens: 12,345/ }).click();
  const steps = page.getByRole('table', { name: 'Steps' });
  await steps.locator(`data[value="${LONG_NUMBER}"]`).first().waitFor();
  await page.goBack();
  await page.getByRole('navigation', { name: 'Customer' }).getByRole('link', { name: 'Events' }).click();
  await page.getByRole('cell', { name: LONG_NUMBER }).waitFor();
  expect([faults, await page.locator('img').count()]).toEqual([[], 0]);
});

test('instants are shown in the zone of the customer that a page is about', async () => {
  const page = await open(`/console/subscriptions/${ids.subscription}`);
  const ends = page.getByRole('region', { name: 'Details' }).locator('dt:text-is("Period ends") + dd time');
  await expect.poll(() => ends.textContent()).toMatch(/ 00:00:00 GMT\+9$/);
  expect(await ends.getAttribute('datetime')).toMatch(/T15:00:00\.000Z$/);
});

test('usage by day is that of the customer’s days', async () => {
  const { body: event } = await account.api.get(`/api/events?idempotency_id=${ids.event}`);
  const at = new Date(String(itemsOf(event.results)[0]?.time_created));
  const day = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Tokyo', dateStyle: 'medium' }).format(at);
  const page = await open(`/console/customers/${ids.customer}/usage`);
  const row = page
    .getByRole('table', { name: 'Usage' })
    .getByRole('row')
    .filter({ has: page.locator(`data[value="${LONG_NUMBER}"]`) });
  await row.waitFor();
  expect(await row.locator('time').textContent()).toBe(day);
});

test('a date that is being typed is not asked for until it is whole', async () => {
  const page = await open('about:blank');
  const refused: string[] = [];
  page.on('response', (answer) => void (answer.status() >= 400 && refused.push(answer.url())));
  await page.goto('/console');
  const from = page.getByLabel('From');
  await from.focus();
  await page.keyboard.type('10012026');
  await page.waitForURL(/start=2026-10-01/);
  expect([await from.inputValue(), refused]).toEqual(['2026-10-01', []]);
  await from.fill('2031-01-01');
  await page.getByRole('alert').waitFor();
  await from.fill('');
  await page.getByRole('alert').waitFor({ state: 'detached' });
});

test('what an address says beyond what a page asks for is not asked; what a provider has led back with is told', async () => {
  const page = await open('/console/customers?utm_source=mail');
  await page.getByRole('table', { name: 'Customers' }).waitFor();
  await page.goto('/console/settings/payment-providers?error=access_denied');
  await page.getByText('The provider is not connected').waitFor();
  await page.goto('/console/settings/payment-providers?connected=stripe');
  await page.getByText('The provider is connected').waitFor();
  await page.getByRole('table', { name: 'Payment providers' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByTitle('Stripe').getByText('Connect').waitFor();
});

test('settings tell where the chain stands, and what its verification found bent', async () => {
  const page = await open('/console/settings');
  const chain = page.getByRole('region', { name: 'Chain' });
  await chain.getByText('Chain hash').waitFor();
  const fields = [{ field: 'lines.0.amount', stored: '9', chained: '29' }];
  const bent: Bent = { found: 'record_changed', sequence: 17, kind: 'invoice', recordId: ids.invoice, fields };
  await withPostgres((postgres) => replaceChainCheck(postgres, account.accountId, { checkedAt: 0, entries: 16, bent }));
  await page.reload();
  await chain.getByText('Bent').waitFor();
  await chain.getByRole('row', { name: 'lines.0.amount 9 29' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await chain.getByRole('link', { name: ids.invoice }).click();
  await page.waitForURL(`**/console/invoices/${ids.invoice}`);
});

test('a live account has no test clocks', async () => {
  const live = await newAccount({ mode: 'live' });
  const page = await open('/console/customers', { key: live.key });
  const main = page.getByRole('navigation', { name: 'Main' });
  await main.getByRole('link', { name: 'Settings' }).waitFor();
  expect(await main.getByRole('link', { name: 'Test clocks' }).count()).toBe(0);
  await page.getByRole('button', { name: 'New customer' }).click();
  const dialog = page.getByRole('dialog', { name: 'New customer' });
  await dialog.getByLabel('Customer ID').waitFor();
  expect(await dialog.getByLabel('Test clock ID').count()).toBe(0);
});

test('lists are walked, searched and sorted by links, which stand in the address', async () => {
  const page = await open('/console/customers?page_size=1');
  await page.getByRole('link', { name: 'Next' }).click();
  await page.waitForURL(/page=2/);
  await page.getByRole('link', { name: /^Created/ }).click();
  await page.waitForURL((url) => url.searchParams.get('sort') === 'created_at' && !url.searchParams.has('page'));
  const table = page.getByRole('table', { name: 'Customers' });
  await table.getByRole('link', { name: EVIL_NAME }).waitFor();
  const search = page.getByRole('group', { name: 'Filters' }).getByLabel('Search');
  await search.fill('Glo ');
  await page.waitForURL(/search=Glo$/);
  await search.press('End');
  await search.pressSequentially('x');
  expect(await search.inputValue()).toBe('Glo x');
  await search.fill('Globex');
  await page.waitForURL(/search=Globex/);
  await table.getByRole('link', { name: 'Globex' }).waitFor();
  await page.goBack();
  await table.getByRole('link', { name: EVIL_NAME }).waitFor();
});

test('a list beside others goes on by pages of its own', async () => {
  const customerId = String((await makeCustomer(account.api)).customer_id);
  const made = Array.from({ length: 21 }, () => account.api.post(`/api/customers/${customerId}/portal_link`, {}));
  expect((await Promise.all(made)).map(({ status }) => status)).toEqual(made.map(() => 201));
  const page = await open(`/console/customers/${customerId}`);
  const links = page.getByRole('region', { name: 'Portal links' });
  await links.getByRole('link', { name: 'Next' }).click();
  await page.waitForURL((url) => url.searchParams.get('links_page') === '2' && !url.searchParams.has('page'));
  await expect.poll(() => links.getByRole('row').count()).toBe(2);
  await links.getByText('21 in all').waitFor();
  await links.getByRole('link', { name: 'Previous' }).click();
  await expect.poll(() => links.getByRole('row').count()).toBe(21);
});

test('under 768 px the navigation is behind the menu', async () => {
  const page = await open('/console/customers', { look: NARROW });
  const invoices = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Invoices' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await invoices.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await invoices.click();
  await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor();
});

test('/ leads to the search, which finds records by name and id, and Enter to the first of them', async () => {
  const page = await open('/console');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('Globex');
  await page.getByRole('search').getByRole('link', { name: 'Globex' }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Globex' }).waitFor();
  await page.getByRole('searchbox', { name: 'Search' }).fill('INV-000001');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'INV-000001' }).waitFor();
});

test('what became of an event: it is billed in the upcoming invoice', async () => {
  const page = await open(`/console/events/${ids.event}`);
  await page.getByRole('region', { name: 'Fate' }).getByText('Landed').waitFor();
  await page.getByRole('table', { name: 'Billed in' }).getByRole('cell', { name: 'Upcoming invoice' }).waitFor();
});

test('an event names its metrics without a call for each', async () => {
  const page = await open('about:blank');
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(request.url()));
  await page.goto(`/console/events/${ids.event}`);
  await page.getByRole('table', { name: 'Metrics' }).getByRole('link').first().waitFor();
  expect(asked.filter((url) => url.includes('/api/metrics'))).toEqual([]);
  expect(asked.some((url) => url.includes('/api/events/trace'))).toBe(true);
});
