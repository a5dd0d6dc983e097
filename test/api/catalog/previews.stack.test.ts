import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { linesOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric, track } from '../../stack/resources.ts';
import { advance } from '../../workflows/in-process-clock.ts';

let account: TestAccount;
let calls: string;
let bytes: string;
beforeAll(async () => {
  account = await newAccount();
  calls = String((await makeMetric(account.api)).metric_id);
  const sum = { metric_name: 'Bytes', aggregation_type: 'sum', property_name: 'bytes' };
  bytes = String((await makeMetric(account.api, sum)).metric_id);
});

describe('POST /api/plans/preview', () => {
  const planOf = (more: object = {}) => ({
    ...{ name: 'Pro', recurring_fee: 29, billing_period: 'monthly' },
    components: [
      { metric_id: calls, pricing_model: 'tiered', tiers: TIERS, free_tier: 2 },
      { metric_id: bytes, overage_price: 0.003, rounding: 'round_up', prepaid_units: 5 },
    ],
    ...more,
  });
  const TIERS = [
    { up_to: 3, unit_price: 0.5, flat_fee: 1 },
    { up_to: null, unit_price: 0.125 },
  ];
  const preview = async (body: object) => {
    const answer = await account.api.post('/api/plans/preview', body);
    expect(answer.status, answer.text).toBe(200);
    return answer.exact;
  };

  test('has the lines of a period with their arithmetic', async () => {
    const answer = await preview({ ...planOf(), quantities: { [calls]: 7, [bytes]: '10.5' } });
    // calls: 7 - 2 = 5: 3 * 0.5 + 1 + 2 * 0.125 = 2.75; bytes: 11 * 0.003 - 5 * 0.003 = 0.018; paid ahead: 5 * 0.003 = 0.015
    const lines = linesOf(answer);
    expect(lines.map(({ type, quantity, amount }) => [type, quantity, amount])).toEqual([
      ['recurring_fee', '1', '29'],
      ['prepaid_units', '5', '0.02'],
      ['usage', '7', '2.75'],
      ['usage', '10.5', '0.02'],
    ]);
    expect([answer.currency, answer.subtotal]).toEqual(['usd', '31.79']);
    expect(lines[3]?.steps).toEqual([
      { step: 'quantity', text: "The metric's value", value: '10.5' },
      { step: 'round_quantity', text: 'Rounded up to whole units', value: '11' },
      { step: 'price', text: '11 × 0.003', value: '0.033' },
      { step: 'prepaid', text: 'Minus 0.015, the price of 5 units paid ahead, not below 0', value: '0.018' },
      { step: 'round_amount', text: 'Rounded to 2 decimals, half away from zero', value: '0.02' },
    ]);
  });

  test('is what the invoice of a period then says', async () => {
    const { api } = account;
    const clock = await makeClock(api, '2026-03-01T00:00:00Z');
    const customer_id = await makeCustomer(api, 'previewed', { test_clock_id: clock });
    await subscribe(api, { customer_id, plan_id: await makePlan(api, planOf()) });
    await trackCalls(api, customer_id, '2026-03-05T09:00:00Z', 7, { bytes: 1.5 });
    await landed(api);
    await advance(api, clock, '2026-04-01T00:00:00Z');
    const [issued] = await invoicesOf(api, 'customer_id=previewed&kind=period');
    const shown = ({ type, metric_id, quantity, billable_quantity, amount, tiers }: (typeof lines)[number]) => {
      return { type, metric_id, quantity, billable_quantity, amount, tiers };
    };
    const lines = linesOf(await preview({ ...planOf(), quantities: { [calls]: 7, [bytes]: 10.5 } }));
    expect(lines.map(shown)).toEqual(linesOf(issued).map(shown));
  });

  const bookOf = (more: object = {}) => {
    const prices = [
      { when: { model: 'a' }, overage_price: 0.1 },
      { when: { model: 'a' }, from: '2026-11-12', overage_price: 0.07 },
      { when: { model: 'b' }, pricing_model: 'tiered', tiers: TIERS },
    ];
    const components = [{ metric_id: bytes, group_by: ['model', 'kind'], prices, ...more }];
    return planOf({ components, billing_period: 'quarterly', usage_period: 'monthly' });
  };
  const use = (model: string, quantity: number, more: object = {}) => {
    return { metric_id: bytes, properties: { model, ...more }, quantity };
  };

  test('of a price book: what any quantity of a combination costs on a date, and by which row', async () => {
    const usage = [use('a', 10), use('a', 1, { kind: 'in' }), use('b', 4), use('new', 5)];
    const priced = async (at: string, more: object = {}) => {
      const answer = await preview({ ...bookOf(more), usage, at });
      const lines = linesOf(answer).filter(({ type }) => String(type) === 'usage');
      return { answer, lines, amounts: lines.map(({ amount }) => amount) };
    };
    const before = await priced('2026-11-11T23:59:59Z');
    // b: 3 * 0.5 + 1 + 1 * 0.125
    expect(before.amounts).toEqual(['1', '0.1', '2.63']);
    const after = await priced('2026-11-12');
    expect(after.amounts).toEqual(['0.7', '0.07', '2.63']);
    expect(after.lines[1]).toMatchObject({
      group: { model: 'a', kind: 'in' },
      price: { when: { model: 'a' }, from: '2026-11-12', overage_price: '0.07' },
    });
    const group = { model: 'new' };
    expect(after.answer.unpriced).toMatchObject([{ metric_id: bytes, group, quantity: '5', unmatched: 'hold' }]);
    const own = await priced('2026-11-12', { unmatched: 'price', overage_price: 2 });
    expect([own.amounts, own.lines[3]?.price, own.answer.unpriced]).toEqual([['0.7', '0.07', '2.63', '10'], null, []]);
  });

  test('of an event: which metrics count it, what they have of it, and what that costs', async () => {
    const { components } = planOf();
    const plan = { ...bookOf(), components: [...bookOf().components, ...components.slice(0, 1)] };
    const event = { event_name: 'call', properties: { model: 'a', bytes: '2.5' } };
    const answer = await preview({ ...plan, event, at: '2026-11-12' });
    expect(linesOf(answer).map(({ type, quantity, amount }) => `${type} x${quantity} ${amount}`)).toEqual([
      'recurring_fee x1 29',
      'usage x2.5 0.18',
      'usage x1 0',
    ]);
    expect(answer.metrics).toEqual([bytes, calls].map((metric_id) => ({ metric_id, counts: true, because: null })));
    const other = await preview({ ...plan, event: { ...event, event_name: 'other' } });
    expect(other.metrics).toMatchObject([{ because: 'event_name' }, { because: 'event_name' }]);
    const held = await preview({ ...plan, event: { event_name: 'call', properties: { model: 'new', bytes: 1 } } });
    expect(held.unpriced).toMatchObject([{ group: { model: 'new', kind: null }, quantity: '1' }]);
  });

  test('of a price book, usage that it does not price so is refused', async () => {
    const cases: [object, string[]][] = [
      [{ usage: [{ metric_id: 'metric_none', quantity: 1 }] }, ['usage.0.metric_id']],
      [{ usage: [use('a', 1, { size: 'x', kind: 1 })] }, ['usage.0.properties.size']],
      [{ usage: [use('a', 1), use('a', 2, { kind: null })] }, ['usage.1']],
      [{ usage: [{ quantity: 'much' }], at: 'soon' }, ['at', 'usage.0.metric_id', 'usage.0.quantity']],
      [{ quantities: { [bytes]: 1 }, usage: [use('a', 1)] }, ['usage.0.metric_id']],
      [{ components: planOf().components, usage: [use('a', 1)] }, ['usage.0.metric_id']],
      [{ event: { event_name: 'call', properties: { model: null } } }, ['event.properties.model']],
      [{ event: { event_name: 'call' }, usage: [use('a', 1)] }, ['event']],
    ];
    for (const [more, fields] of cases) {
      const answer = await account.api.post('/api/plans/preview', { ...bookOf(), ...more });
      expect([answer.status, Object.keys(answer.body).sort()], answer.text).toEqual([422, fields]);
    }
  });

  test('without quantities nothing was used; nothing is made', async () => {
    const before = (await account.api.get('/api/plans')).body.count;
    const answer = await preview(planOf({ components: [], currency: 'jpy' }));
    expect(answer).toMatchObject({ currency: 'jpy', subtotal: '29', lines: [{ type: 'recurring_fee' }] });
    expect((await account.api.get('/api/plans')).body.count).toBe(before);
  });

  test('a bad plan or quantity is refused as the plan itself is', async () => {
    const cases: [object, number, string][] = [
      [planOf({ name: '' }), 422, 'name'],
      [planOf({ recurring_fee: 1.234 }), 422, 'recurring_fee'],
      [{ ...planOf(), quantities: { metric_none: 1 } }, 422, 'quantities.metric_none'],
      [{ ...planOf(), quantities: { [calls]: 'many' } }, 422, `quantities.${calls}`],
      [planOf({ components: [{ metric_id: 'metric_none', overage_price: 1 }] }), 404, 'detail'],
    ];
    for (const [body, status, field] of cases) {
      const answer = await account.api.post('/api/plans/preview', body);
      expect([answer.status, Object.keys(answer.body)[0]]).toEqual([status, field]);
    }
  });
});

describe('POST /api/metrics/preview', () => {
  const day = '2026-11-20';
  const rule = {
    ...{ metric_name: 'Big', aggregation_type: 'sum', event_name: 'send', property_name: 'bytes' },
    numeric_filters: [{ property_name: 'bytes', operator: 'gte', comparison_value: 10 }],
    time_filter: { hours: { from: 8, to: 18 } },
  };
  const span = { start: day, end: '2026-11-21' };
  beforeAll(async () => {
    const { api } = account;
    await makeCustomer(api, 'one', { timezone: 'Asia/Tokyo' });
    const send = (customer_id: string, hour: string, bytes: number, event_name = 'send') =>
      track(api, { customer_id, event_name, time_created: `${day}T${hour}:00:00Z`, properties: { bytes } });
    await send('one', '09', 10.5);
    await send('one', '03', 20);
    await send('one', '10', 9);
    await send('two', '12', 100);
    await send('two', '13', 100, 'other');
    await landed(api);
  });
  const preview = async (body: object) => {
    const answer = await account.api.post('/api/metrics/preview', { ...rule, ...span, ...body });
    expect(answer.status, answer.text).toBe(200);
    const { value, events_count, matched, excluded } = answer.exact as unknown as {
      value: string;
      events_count: string;
      matched: { time_created: string }[];
      excluded: { event: { time_created: string }; because: string }[];
    };
    const hourOf = ({ time_created }: { time_created: string }) => time_created.slice(11, 13);
    return {
      ...{ value, events_count, matched: matched.map(hourOf) },
      excluded: excluded.map(({ event, because }) => `${hourOf(event)} ${because}`),
    };
  };

  test('over all customers, in UTC', async () => {
    expect(await preview({})).toEqual({
      ...{ value: '110.5', events_count: '2', matched: ['12', '09'] },
      excluded: ['10 numeric_filters.0', '03 time_filter', '13 event_name'],
    });
  });

  test('of one customer, in its zone', async () => {
    const zoned = { start: `${day}T00:00:00Z`, end: '2026-11-21T00:00:00Z', customer_id: 'one' };
    expect(await preview(zoned)).toEqual({
      ...{ value: '20', events_count: '1', matched: ['03'] },
      excluded: ['10 numeric_filters.0', '09 time_filter'],
    });
  });

  test('is the value that the metric then has', async () => {
    const { api } = account;
    const { metric_id } = await makeMetric(api, rule);
    const query = `customer_id=one&start=${day}&end=2026-11-21`;
    const usage = await api.get(`/api/metrics/${metric_id}/usage?${query}`);
    const [total] = usage.exact.results as unknown as { value: string }[];
    expect((await preview({ customer_id: 'one' })).value).toBe(total?.value);
  });

  test.each<[object, number, string]>([
    [{ customer_id: 'nobody' }, 404, 'detail'],
    [{ start: '2026-11-21' }, 422, 'end'],
    [{ end: 'soon' }, 422, 'end'],
    [{ property_name: null }, 422, 'property_name'],
    [{ limit: 5 }, 422, 'limit'],
  ])('%j is refused', async (body, status, field) => {
    const answer = await account.api.post('/api/metrics/preview', { ...rule, ...span, ...body });
    expect([answer.status, Object.keys(answer.body)[0]]).toEqual([status, field]);
  });
});
