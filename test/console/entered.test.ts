import { describe, expect, test } from 'vitest';
import { type Action, bodyOf, errorOf, errorsAtRows, otherErrors } from '../../console/actions/action.ts';
import { entriesOf, withoutRow, withRow } from '../../console/actions/entries.ts';
import type { Field, ListField } from '../../console/actions/field.ts';
import { attemptAt } from '../../console/actions/idempotency-key.ts';
import { exactOf, parseExact, stringifyExact } from '../../console/api/exact.ts';
import { isOfTheSame } from '../../console/api/queries.ts';
import { ownPath } from '../../console/frame/own-path.ts';

/** What the console makes of what is entered and read, without a browser (spec/service#console). */

const LONG = '12345678901234567890.123456789';

describe('numbers keep their digits', () => {
  test('from an answer into a body', () => {
    const text = `{"a":${LONG},"b":1.50,"c":-0.000000000000000001,"d":12,"e":9007199254740993}`;
    expect(stringifyExact(parseExact(text))).toBe(text);
  });

  test.each([
    ['12.50', '12.50'],
    [' 0012.5 ', '12.5'],
    ['-0.10', '-0.10'],
    [LONG, LONG],
  ])('entered as "%s" it is sent as %s', (entered, sent) => {
    expect(stringifyExact({ amount: exactOf(entered) })).toBe(`{"amount":${sent}}`);
  });

  test.each(['', 'ten', '1,000', '1e3', '.5', '--1'])('"%s" is no number', (entered) => {
    expect(exactOf(entered)).toBeUndefined();
  });
});

describe('the body of a write', () => {
  const fields = [
    { name: 'name', initial: 'Acme' },
    { name: 'tax_rate', kind: 'number', initial: '20' },
    { name: 'address.city', initial: 'Bonn' },
    { name: 'address.country', initial: 'DE' },
    { name: 'renews', kind: 'yes_no', initial: 'true' },
  ] as const;
  const change: Action = { name: 'Edit', call: { method: 'patch', to: '/api/account' }, fields };

  test.each([
    [{}, {}],
    [{ name: 'Globex' }, { name: 'Globex' }],
    [{ name: '' }, { name: null }],
    [{ 'address.city': 'Köln' }, { address: { city: 'Köln', country: 'DE' } }],
    [{ 'address.city': '', 'address.country': '' }, { address: null }],
    [{ renews: 'false' }, { renews: false }],
    [{ tax_rate: 'much' }, { tax_rate: 'much' }],
  ])('of a change has what differs: %j', (entries, body) => {
    expect(bodyOf(change, entries)).toEqual(body);
  });

  test('of a change by POST says what has been emptied', () => {
    const action: Action = {
      name: 'Edit',
      call: { method: 'post', to: '/api/credits/{credit_id}/update' },
      isChange: true,
      fields: [
        { name: 'expires_at', kind: 'date', initial: '2027-01-01' },
        { name: 'description', initial: 'Sorry' },
      ],
    };
    expect(bodyOf(action, { expires_at: '' })).toEqual({ expires_at: null });
  });

  test('of something new has what is entered', () => {
    const action: Action = {
      name: 'New',
      call: { method: 'post', to: '/api/plans' },
      fixed: { currency: 'usd' },
      fields: [
        { name: 'name' },
        { name: 'metadata' },
        { name: 'hours.from', kind: 'number' },
        { name: 'days', kind: 'numbers' },
        { name: 'triggers_in', kind: 'choices' },
        { name: 'values', kind: 'texts' },
        { name: 'starts', kind: 'instant' },
      ],
    };
    const entries = {
      name: ' Pro ',
      'hours.from': '9',
      days: '1, 2,x',
      triggers_in: 'a,b',
      values: 'a, b\nc',
      starts: '2026-01-01T00:00:00',
    };
    expect(stringifyExact(bodyOf(action, entries))).toBe(
      '{"currency":"usd","name":"Pro","hours":{"from":9},"days":[1,2,"x"],"triggers_in":["a","b"],"values":["a, b","c"],"starts":"2026-01-01T00:00:00Z"}',
    );
  });
});

describe('lists of objects', () => {
  const tiers: ListField = {
    name: 'tiers',
    kind: 'list',
    rowName: 'tier',
    row: () => [
      { name: 'up_to', kind: 'number', isNullable: true },
      { name: 'unit_price', kind: 'number' },
    ],
  };
  const components: ListField = {
    name: 'components',
    kind: 'list',
    rowName: 'component',
    row: (entered) => [{ name: 'model' }, ...(entered('model') === 'tiered' ? [tiers] : [{ name: 'price' }])],
  };
  const fields: Field[] = [{ name: 'name', initial: 'Pro' }, components];
  const made: Action = { name: 'New', call: { method: 'post', to: '/api/plans' }, fields };
  const two = [
    { model: 'flat', price: '5' },
    {
      model: 'tiered',
      tiers: [
        { up_to: '10', unit_price: '0.10' },
        { up_to: null, unit_price: '0.05' },
      ],
    },
  ];

  test('stand in the body row by row, within each other, by the fields that each row has', () => {
    const entries = { ...entriesOf('components', two), 'components.0.tiers.length': '1' };
    expect(stringifyExact(bodyOf(made, entries))).toBe(
      '{"name":"Pro","components":[{"model":"flat","price":"5"},{"model":"tiered","tiers":[{"up_to":10,"unit_price":0.10},{"up_to":null,"unit_price":0.05}]}]}',
    );
    expect(bodyOf(made, withRow({}, 'components'))).toEqual({ name: 'Pro', components: [{}] });
    expect(bodyOf(made, {})).toEqual({ name: 'Pro' });
  });

  test('of a change are sent whole, where something in them differs', () => {
    const before = entriesOf('components', two);
    const change: Action = { ...made, call: { method: 'patch', to: '/api/plans/{plan_id}' }, entered: before };
    expect(bodyOf(change, before)).toEqual({});
    expect(bodyOf(change, { ...before, 'components.0.price': '6' })).toMatchObject({
      components: [{ price: '6' }, { model: 'tiered' }],
    });
    const emptied = withoutRow(withoutRow(before, 'components', 0), 'components', 0);
    expect(bodyOf(change, emptied)).toEqual({ components: [] });
  });

  test('lose a row, and those behind it move up with all that stands in them', () => {
    const left = withoutRow(entriesOf('components', two), 'components', 0);
    expect(left).toEqual(entriesOf('components', two.slice(1)));
    expect(withoutRow(left, 'components.0.tiers', 0)).toMatchObject({
      'components.length': '1',
      'components.0.tiers.length': '1',
      'components.0.tiers.0.unit_price': '0.05',
    });
  });

  test('have their errors at the field, the row or the list', () => {
    const errors = {
      name: ['Required.'],
      'components.1.tiers': ['Must ascend.'],
      'components.1.tiers.0.up_to': ['Too low.'],
      'components.1': ['Twice.'],
      'components.0.tiers.0': ['Not here.'],
      preview: ['Unknown parameter.'],
    };
    const other = otherErrors(fields, entriesOf('components', two), errors);
    expect(other).toEqual({ 'components.0.tiers.0': ['Not here.'], preview: ['Unknown parameter.'] });
    expect(errorOf('components.1.tiers.0.up_to', errors)).toBe('Too low.');
  });
});

describe('what is sent as an object', () => {
  const prices: ListField = {
    name: 'prices',
    kind: 'list',
    rowName: 'price',
    row: () => [
      { name: 'when', kind: 'pairs' },
      { name: 'price', kind: 'number' },
    ],
  };
  const options: ListField = {
    name: 'currency_options',
    kind: 'list',
    rowName: 'currency',
    keyedBy: 'currency',
    row: () => [{ name: 'currency' }, { name: 'fee', kind: 'number' }, prices],
  };
  const made: Action = { name: 'New', call: { method: 'post', to: '/api/plans' }, fields: [options] };
  const rows = [
    { when: { model: 'gpt=5', 'usage.kind': null }, price: '2' },
    { when: {}, price: '1' },
  ];
  const entries = entriesOf('currency_options', [{ currency: 'eur', fee: '27', prices: rows }, { currency: 'gbp' }]);

  test('has its rows by one of their fields; pairs are named texts, null where nothing follows', () => {
    expect(entries['currency_options.0.prices.0.when']).toBe('model=gpt=5\nusage.kind=');
    expect(stringifyExact(bodyOf(made, entries))).toBe(
      '{"currency_options":{"eur":{"fee":27,"prices":[{"when":{"model":"gpt=5","usage.kind":null},"price":2},{"when":{},"price":1}]},"gbp":{}}}',
    );
    const change: Action = { ...made, call: { method: 'patch', to: '/api/plans/{plan_id}' }, entered: entries };
    const emptied = withoutRow(withoutRow(entries, 'currency_options', 0), 'currency_options', 0);
    expect(bodyOf(change, emptied)).toEqual({ currency_options: null });
  });

  test('has its errors at the rows', () => {
    const errors = { 'currency_options.gbp': ['Wanting.'], 'currency_options.eur.prices.1.price': ['Too low.'] };
    expect(errorsAtRows([options], entries, errors)).toEqual({
      'currency_options.1': ['Wanting.'],
      'currency_options.0.prices.1.price': ['Too low.'],
    });
  });
});

test('what stands within a field without fields of its own is told there', () => {
  const errors = { amount: ['Required.'], 'days.0': ['Too low.'] };
  expect(errorOf('amount', errors)).toBe('Required.');
  expect(errorOf('days', errors)).toBe('days.0: Too low.');
  expect(errorOf('name', errors)).toBeUndefined();
});

test('a call keeps its Idempotency-Key while it stays the same', () => {
  const first = attemptAt('{"amount":3}', undefined);
  expect(first.key).toMatch(/^[0-9a-f]{32}$/);
  expect(attemptAt('{"amount":3}', first)).toBe(first);
  expect(attemptAt('{"amount":4}', first).key).not.toBe(first.key);
});

test.each([
  [true, {}, { page: '2', status: 'open' }],
  [true, { customer_id: 'ada', sort: 'total' }, { customer_id: 'ada' }],
  [false, { customer_id: 'ada' }, { customer_id: 'bob' }],
  [false, { customer_id: 'ada' }, {}],
  [false, { invoice_id: 'inv_1' }, { invoice_id: 'inv_2' }],
])('a page stays shown until the next one is there: %s from %j to %j', (stays, before, after) => {
  const key = (query: Record<string, string>, id = 'x') => ['/api/credits', { path: { plan_id: id }, query }] as const;
  expect(isOfTheSame(key(before), key(after))).toBe(stays);
  expect(isOfTheSame(key(before), key(before, 'y'))).toBe(false);
});

test.each([
  ['/console/invoices?status=open', '/console/invoices?status=open'],
  ['/console', '/console'],
  ['//evil.example', '/console'],
  ['/\\evil.example', '/console'],
  ['https://evil.example/console', '/console'],
  ['/console/../docs', '/console'],
  ['/consoles', '/console'],
  ['/console/login', '/console'],
  [undefined, '/console'],
])('the page after logging in for %s is %s', (next, path) => {
  expect(ownPath(next, 'https://billing.example')).toBe(path);
});
