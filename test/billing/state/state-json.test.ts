import { describe, expect, it } from 'vitest';
import { dataFromJson, dataToJson } from '../../../billing/state/state-json.ts';
import { decimal } from '../../../core/decimal.ts';

describe('plain data as JSON', () => {
  it('comes back as it was', () => {
    const data = {
      amount: decimal('0.10'),
      large: decimal('123456789012345678901234567890.000000000001'),
      position: 2n ** 70n,
      list: [null, true, 'text', 1.5, [], {}],
      nested: { 'a b': { c: decimal(-1) } },
      // Names that callers choose, such as the properties of a price row.
      named: { $decimal: '1', $bigint: { $$decimal: 2 }, __proto__x: 1 },
    };
    const text = dataToJson(data);
    expect(dataFromJson(text)).toEqual(data);
    expect(JSON.parse(text)).toMatchObject({ amount: { $decimal: '0.1' }, position: { $bigint: String(2n ** 70n) } });
  });

  it('leaves out what is undefined', () => {
    expect(dataToJson({ a: undefined, b: 1 })).toBe('{"b":1}');
  });

  it.each([
    ['a function', { rules: { planOf: () => null } }, 'rules.planOf is no data'],
    ['a map', { plans: new Map() }, 'plans is no plain object'],
    ['a date', { at: [new Date(0)] }, 'at.0 is no plain object'],
  ])('refuses %s and names where it is', (_what, data, message) => {
    expect(() => dataToJson(data)).toThrow(message);
  });
});
