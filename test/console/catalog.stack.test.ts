import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { keyWithScopes } from '../stack/accounts.ts';
import { itemsOf } from '../stack/api.ts';
import { landed, makeCustomer, makeMetric, makePlan, posted, track } from '../stack/resources.ts';
import { accessibilityFaults, NARROW, settled, sideways, watchPage } from './browser.ts';
import { openConsole } from './console-fixture.ts';

/** Plans and metrics are entered in forms, and tried before they are made: amounts and counts are the API's (spec/plans#preview). */

const { base, account, records, open } = await openConsole((api) => makeMetric(api, { metric_name: 'Calls' }));
const metricId = String(records.metric_id);

const row = (page: Page | Locator, name: string) => page.getByRole('group', { name, exact: true });

async function choose(form: Page | Locator, label: string, option: string): Promise<void> {
  await form.getByRole('combobox', { name: label }).click();
  const page = 'page' in form ? form.page() : form;
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** Adds one of any number of texts. */
async function tag(input: Locator, text: string): Promise<void> {
  await input.fill(text);
  await input.press('Enter');
}

/** Fills the form of a tiered plan: 10 units at 0.10, beyond that 0.05 each. */
async function enterTiers(page: Page): Promise<void> {
  await page.getByLabel('Name').first().fill('Tiered');
  await page.getByLabel('Recurring fee').fill('29');
  await choose(page, 'Billing period', 'Monthly');
  await page.getByRole('button', { name: 'Add component' }).click();
  const component = row(page, 'Component 1');
  await choose(component, 'Metric ID', 'Calls');
  await choose(component, 'Pricing model', 'Tiered');
  for (const [tier, upTo, price] of [
    ['Tier 1', '10', '0.10'],
    ['Tier 2', '', '0.05'],
  ] as const) {
    await component.getByRole('button', { name: 'Add tier' }).click();
    await row(component, tier).getByLabel('Up to').fill(upTo);
    await row(component, tier).getByLabel('Unit price').fill(price);
  }
}

describe('a plan', () => {
  test('is entered by rows, calculated, has each error at its field, is reviewed and made with its tiers', async () => {
    const page = await open('/console/plans/new');
    const faults = watchPage(page, base);
    await enterTiers(page);
    const calculator = page.getByRole('region', { name: 'Price calculator' });
    await calculator.getByLabel('Calls').fill('15');
    await page.keyboard.press('Enter');
    // 29 + 10 * 0.10 + 5 * 0.05 = 30.25
    await calculator.locator('data[value="1.25"]').first().waitFor();
    await calculator.getByText('Subtotal').locator('data[value="30.25"]').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    const component = row(page, 'Component 1');
    const price = row(component, 'Tier 1').getByLabel('Unit price');
    const invalid = page.locator('[aria-invalid=true]');
    await price.fill('cheap');
    await page.getByRole('button', { name: 'Calculate' }).click();
    await price.and(invalid).waitFor();
    expect(await invalid.count()).toBe(1);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await price.and(invalid).waitFor();
    expect(await row(component, 'Tier 2').getByLabel('Unit price').inputValue()).toBe('0.05');
    // A list that is wrong as a whole says so beneath its rows.
    await price.fill('0.10');
    await component.getByRole('button', { name: 'Remove tier 2' }).click();
    await page.getByRole('button', { name: 'Calculate' }).click();
    await component
      .getByText(/null|last/i)
      .last()
      .waitFor();

    await component.getByRole('button', { name: 'Add tier' }).click();
    await row(component, 'Tier 2').getByLabel('Unit price').fill('0.05');
    await page.setViewportSize({ width: NARROW.width, height: 900 });
    await settled(page);
    expect(await sideways(page)).toBe(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tiered' }).waitFor();
    const planId = page.url().split('/').at(-1);
    const { body } = await account.api.get(`/api/plans/${planId}`);
    expect(itemsOf(body.components)).toMatchObject([
      {
        metric_id: metricId,
        pricing_model: 'tiered',
        tiers: [
          { up_to: 10, unit_price: 0.1 },
          { up_to: null, unit_price: 0.05 },
        ],
      },
    ]);
    expect(faults).toEqual([]);
  });

  test('that exists is calculated by any of its versions, for keys that may only read, too', async () => {
    const { api } = account;
    const components = [{ metric_id: metricId, overage_price: 0.5 }];
    const { plan_id } = await makePlan(api, { name: 'Pro', components });
    await api.patch(`/api/plans/${plan_id}`, { recurring_fee: 39 });
    const page = await open(`/console/plans/${plan_id}`, { key: await keyWithScopes(account, ['read']) });
    const calculator = page.getByRole('region', { name: 'Price calculator' });
    await calculator.getByLabel('Calls').fill('12345678901234567890.5');
    await calculator.getByRole('button', { name: 'Calculate' }).click();
    // 39 + 12,345,678,901,234,567,890.5 / 2
    await calculator.getByText('Subtotal').locator('data[value="6172839450617283984.25"]').waitFor();
    await calculator.getByLabel('Calls').fill('2');
    await calculator.getByRole('combobox', { name: 'Version' }).click();
    await page.getByRole('option', { name: '1', exact: true }).click();
    await calculator.getByRole('button', { name: 'Calculate' }).click();
    await calculator.getByText('Subtotal').locator('data[value="30"],data[value="30.00"]').waitFor();
    await calculator.getByLabel('Calls').fill('many');
    await calculator.getByRole('button', { name: 'Calculate' }).click();
    await calculator.getByLabel('Calls').and(page.locator('[aria-invalid=true]')).waitFor();
  });

  test('gets its next version by the same rows; what is not touched stays', async () => {
    const { api } = account;
    const tiers = [
      { up_to: 10, unit_price: 0.1 },
      { up_to: 20, unit_price: 0.08, flat_fee: 1 },
      { up_to: null, unit_price: 0.05 },
    ];
    const components = [{ metric_id: metricId, pricing_model: 'volume', tiers, free_tier: 3 }];
    const features = [{ name: 'sso', included: true }];
    const { plan_id } = await makePlan(api, { name: 'Volume', components, features });
    const page = await open(`/console/plans/${plan_id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit' });
    await dialog.getByRole('button', { name: 'Remove tier 2' }).click();
    await row(dialog, 'Tier 1').getByLabel('Unit price').fill('0.2');
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Review' }).click();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await api.get(`/api/plans/${plan_id}`);
    const [component] = itemsOf(body.components);
    expect([Number(body.version), component, itemsOf(body.features)]).toMatchObject([
      2,
      { free_tier: 3, pricing_model: 'volume' },
      [{ name: 'sso', included: true }],
    ]);
    expect(itemsOf(component?.tiers)).toMatchObject([
      { up_to: 10, unit_price: 0.2 },
      { up_to: null, unit_price: 0.05 },
    ]);
  });
});

describe('a plan with a price book', () => {
  test('is made row by row, in two currencies; a quantity, and an event, is priced by its combination and date', async () => {
    const { api } = account;
    const page = await open('/console/plans/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('By model');
    await choose(page, 'Billing period', 'Monthly');
    await page.getByRole('button', { name: 'Add component' }).click();
    const component = row(page, 'Component 1');
    await choose(component, 'Metric ID', 'Calls');
    await tag(component.getByLabel('Group by'), 'model');
    for (const [n, price, from] of [
      [1, '0.10', ''],
      [2, '0.07', '2026-11-12'],
    ] as const) {
      await component.getByRole('button', { name: 'Add price' }).click();
      const priceRow = row(component, `Price ${n}`);
      await tag(priceRow.getByLabel('When'), 'model=gpt-5');
      await priceRow.getByLabel('From').fill(from);
      await priceRow.getByLabel('Overage price').fill(price);
    }
    const calculator = page.getByRole('region', { name: 'Price calculator' });
    await calculator.getByLabel('On').fill('2026-11-12');
    await calculator.getByRole('button', { name: 'Add quantity' }).click();
    await tag(calculator.getByLabel('Properties'), 'model=gpt-5');
    await calculator.getByLabel('Quantity').fill('10');
    await calculator.getByRole('button', { name: 'Calculate' }).click();
    await calculator.getByText('Subtotal').locator('data[value="0.7"],data[value="0.70"]').waitFor();
    await calculator.getByText('from 12 Nov 2026').waitFor();
    await page.getByRole('button', { name: 'Add currency' }).click();
    const euros = row(page, 'Currency 1');
    await euros.getByRole('textbox', { name: 'Currency' }).fill('eur');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    // A further currency has each component.
    await euros.getByRole('alert').first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await euros.getByRole('button', { name: 'Add component' }).click();
    await choose(euros, 'Metric ID', 'Calls');
    await euros.getByRole('button', { name: 'Add price' }).click();
    await euros.getByLabel('Overage price').last().fill('0.09');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { level: 1, name: 'By model' }).waitFor();
    const { body } = await api.get(`/api/plans/${page.url().split('/').at(-1)}`);
    expect(body).toMatchObject({
      components: [
        {
          ...{ metric_id: metricId, group_by: ['model'], unmatched: 'hold' },
          prices: [
            { when: { model: 'gpt-5' }, from: null, overage_price: 0.1 },
            { when: { model: 'gpt-5' }, from: '2026-11-12', overage_price: 0.07 },
          ],
        },
      ],
      currency_options: { eur: { components: [{ prices: [{ when: {}, overage_price: 0.09 }] }] } },
    });
    const tried = page.getByRole('region', { name: 'Try an event' });
    await tried.getByLabel('Event name').fill('call');
    await tag(tried.getByLabel('Properties'), 'model=new');
    await tried.getByRole('button', { name: 'Try it' }).click();
    await tried.getByText('It waits for a price').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('gets a price for what it holds, after a look at what that comes to', async () => {
    const { api } = account;
    const prices = [{ when: { model: 'a' }, overage_price: 1 }];
    const components = [{ metric_id: metricId, group_by: ['model'], prices }];
    const { plan_id } = await makePlan(api, { name: 'Holding', components });
    const { customer_id } = await makeCustomer(api);
    await posted(api, '/api/subscriptions', { customer_id, plan_id });
    const event = { customer_id: String(customer_id), time_created: new Date().toISOString() };
    await track(api, { ...event, properties: { model: 'new' } });
    await landed(api);
    const page = await open('/console');
    await page.getByRole('alert').getByRole('link', { name: 'Held usage' }).click();
    await page.getByLabel('Customer ID').fill(String(customer_id));
    await page.waitForURL(/customer_id=/);
    const held = page.getByRole('table', { name: 'Held usage' });
    await held.getByText('model: new').waitFor();
    await held.getByRole('button', { name: 'Add price' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add price' });
    await dialog.getByLabel('Overage price').fill('0.25');
    await dialog.getByRole('button', { name: 'Review' }).click();
    await dialog.locator('data[value="0.25"]').last().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('No held usage match').waitFor();
    const { body } = await api.get(`/api/plans/${plan_id}`);
    expect(itemsOf(itemsOf(body.components)[0]?.prices)).toMatchObject([{}, { when: { model: 'new' } }]);
  });
});

describe('a metric', () => {
  test('is tried on the events that are there before it is made with its filters', async () => {
    const { api } = account;
    const { customer_id } = await makeCustomer(api);
    const at = new Date().toISOString();
    const send = (properties: object) =>
      track(api, { customer_id, time_created: at, event_name: 'render', properties });
    const [large] = [
      await send({ pixels: 100, region: 'eu, west' }),
      await send({ pixels: 3, region: 'eu, west' }),
      await send({ pixels: 50, region: 'us' }),
    ];
    await landed(api);
    const page = await open('/console/metrics/new');
    await page.getByLabel('Metric name').fill('Renders');
    await choose(page, 'Aggregation type', 'Sum');
    await page.getByLabel('Event name').fill('render');
    await page.getByRole('button', { name: 'Add numeric filter' }).click();
    const numeric = row(page, 'Numeric filter 1');
    await numeric.getByLabel('Property name').fill('pixels');
    await choose(numeric, 'Operator', 'At least');
    await numeric.getByLabel('Comparison value').fill('10');
    await page.getByRole('button', { name: 'Add categorical filter' }).click();
    const categorical = row(page, 'Categorical filter 1');
    await categorical.getByLabel('Property name').fill('region');
    await choose(categorical, 'Operator', 'One of');
    await categorical.getByLabel('Comparison value').fill('eu, west');
    await page.keyboard.press('Enter');

    const trial = page.getByRole('region', { name: 'Try it out' });
    await trial.getByLabel('Customer ID').fill(String(customer_id));
    await trial.getByRole('button', { name: 'Try it' }).click();
    const property = page.getByRole('textbox', { name: 'Property name' }).first();
    await property.and(page.locator('[aria-invalid=true]')).waitFor();
    await property.fill('pixels');
    await trial.getByRole('button', { name: 'Try it' }).click();
    await trial.locator('data[value="100"]').waitFor();
    await trial.getByRole('table', { name: 'Counted', exact: true }).getByRole('link', { name: large }).waitFor();
    const left = trial.getByRole('table', { name: 'Not counted' });
    await left.getByRole('cell', { name: 'numeric_filters.0' }).waitFor();
    await left.getByRole('cell', { name: 'categorical_filters.0' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.setViewportSize({ width: NARROW.width, height: 900 });
    await settled(page);
    expect(await sideways(page)).toBe(0);

    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { level: 1, name: 'Renders' }).waitFor();
    const { body } = await api.get(`/api/metrics/${page.url().split('/').at(-1)}`);
    expect(body).toMatchObject({
      numeric_filters: [{ property_name: 'pixels', operator: 'gte', comparison_value: 10 }],
      categorical_filters: [{ property_name: 'region', operator: 'isin', comparison_value: ['eu, west'] }],
    });
  });
});
