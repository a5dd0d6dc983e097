import { expect, test } from 'vitest';
import { parseExactJson } from '../../runtime/exact-json.ts';
import { overridesFromText, overridesToText } from '../../services/catalog/overrides-text.ts';
import { overridesInput, overridesToWire } from '../../wire/catalog/overrides.ts';

test('overrides come through a message as they were sent, and as short', () => {
  const sent = JSON.stringify({
    recurring_fee: '0.100000000000000001',
    maximum_amount: null,
    components: [
      {
        metric_id: 'metric_1',
        price: 2,
        prices: [
          { when: { model: 'a', kind: null }, from: '2027-01-01T00:30:00+01:00', overage_price: 0.1 },
          {
            when: {},
            from: '2027-02-01',
            pricing_model: 'tiered',
            tiers: [{ up_to: null, unit_price: 1 }],
            free_tier: 5,
          },
          { when: { kind: 7 }, overage_price: 1 },
        ],
      },
      { metric_id: 'metric_2', minimum_amount: 1 },
    ],
  });
  const text = overridesToText(overridesInput.parse(parseExactJson(sent)));
  expect(text.length).toBeLessThan(sent.length + 10);
  const through = overridesToWire(overridesFromText(text));
  expect(through).toMatchObject({
    maximum_amount: null,
    components: [{ metric_id: 'metric_1' }, { metric_id: 'metric_2' }],
  });
  expect(String(through.recurring_fee)).toBe('0.100000000000000001');
  const [rows = []] = (through.components ?? []).map(({ prices }) => prices);
  expect(rows.map(({ when, from }) => [when, from])).toEqual([
    [{ model: 'a', kind: null }, '2026-12-31T23:30:00.000Z'],
    [{}, '2027-02-01'],
    [{ kind: '7' }, null],
  ]);
  expect(
    rows.map(({ overage_price, tiers, free_tier }) => [String(overage_price), tiers?.length, String(free_tier)]),
  ).toEqual([
    ['0.1', undefined, '0'],
    ['null', 1, '5'],
    ['1', undefined, '0'],
  ]);
});
