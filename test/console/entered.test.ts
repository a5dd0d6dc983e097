import { describe, expect, test } from 'vitest';
import { type Action, bodyOf, errorOf, otherErrors } from '../../console/actions/action.ts';
import { exactOf, parseExact, stringifyExact } from '../../console/api/exact.ts';
import { ownPath } from '../../console/frame/own-path.ts';
import { sumExact } from '../../console/pages/customers/sum-exact.ts';

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

  test.each([
    [['0.1', '0.2'], '0.3'],
    [['12.50', '-12.5'], '0.00'],
    [['-0.05', '0.01'], '-0.04'],
    [[LONG, '1'], '12345678901234567891.123456789'],
    [[], '0'],
  ])('%j add up to %s', (numbers, sum) => {
    expect(String(sumExact(numbers.map((text) => exactOf(text) ?? 0)))).toBe(sum);
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

  test('of something new has what is entered, and lists by their numbers', () => {
    const action: Action = {
      name: 'New',
      call: { method: 'post', to: '/api/plans' },
      fixed: { currency: 'usd' },
      fields: [
        { name: 'name' },
        { name: 'metadata' },
        { name: 'components.0.free_tier', kind: 'number' },
        { name: 'components.1.tiers', kind: 'json' },
        { name: 'triggers_in', kind: 'choices' },
        { name: 'starts', kind: 'instant' },
      ],
    };
    const entries = {
      name: ' Pro ',
      'components.0.free_tier': '1.0',
      'components.1.tiers': '[{"unit_price": 0.10}]',
      triggers_in: 'a,b',
      starts: '2026-01-01T00:00:00',
    };
    expect(stringifyExact(bodyOf(action, entries))).toBe(
      '{"currency":"usd","name":"Pro","components":[{"free_tier":1.0},{"tiers":[{"unit_price":0.10}]}],"triggers_in":["a","b"],"starts":"2026-01-01T00:00:00Z"}',
    );
  });

  test('errors stand at their fields, also those of what is within them; the others are kept apart', () => {
    const errors = { amount: ['Required.'], 'tiers.0.up_to': ['Too low.'], preview: ['Unknown parameter.'] };
    expect(errorOf('amount', errors)).toBe('Required.');
    expect(errorOf('tiers', errors)).toBe('tiers.0.up_to: Too low.');
    expect(errorOf('name', errors)).toBeUndefined();
    expect(otherErrors([{ name: 'amount' }, { name: 'tiers' }], errors)).toEqual({ preview: ['Unknown parameter.'] });
  });
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
