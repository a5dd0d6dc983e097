/** Bodies of events, good and bad, as JSON has them: by them the SDK and the edge are held to each other (spec/events#fields). */
const GOOD = {
  event_name: 'call',
  customer_id: 'acme',
  idempotency_id: 'e-1',
  time_created: '2026-11-20T10:00:00Z',
  properties: {},
};

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Case = { what: string; event: { [name: string]: Json } };

const with_ = (what: string, fields: { [name: string]: Json }): Case => ({ what, event: { ...GOOD, ...fields } });
const without = (name: keyof typeof GOOD): Case => {
  const { [name]: _, ...event } = GOOD;
  return { what: `no ${name}`, event };
};
const property = (what: string, value: Json): Case => with_(`a property: ${what}`, { properties: { p: value } });
const named = (what: string, name: string): Case => with_(`a property's name: ${what}`, { properties: { [name]: 1 } });
const texts: [string, Json][] = [
  ['empty', ''],
  ['blank', '  '],
  ['null', null],
  ['a number', 1],
  ['a list', ['a']],
  ['an object', {}],
  ['of 256 characters', 'x'.repeat(256)],
  ['of 257 characters', 'x'.repeat(257)],
  ['of 256 emoji', '😀'.repeat(256)],
  ['of 257 emoji', '😀'.repeat(257)],
  ['with a tab', 'a\tb'],
  ['with DEL', 'a\u007fb'],
  ['with NUL', 'a\0b'],
  ['with a lone surrogate', 'a\ud800b'],
  ['quotes, a backslash', '"\\'],
  ['of other scripts', 'नमस्ते 你好'],
  ['a dot', '.'],
  ['two dots', '..'],
  ['__proto__', '__proto__'],
];
const times = [
  '2026-11-20T10:00:00.123456Z',
  '2026-11-20T10:00:00,5+05:30',
  '2026-11-20t10:00z',
  '2026-11-20T10:00:00-0800',
  '2026-11-20T10:00:00+08',
  '2026-11-20T10:00:00',
  '2026-11-20',
  '2026-02-29T00:00:00Z',
  '2028-02-29T00:00:00Z',
  '2026-11-31T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-13-10T00:00:00Z',
  '2026-11-20T24:00:00Z',
  '2026-11-20T10:60:00Z',
  '2026-11-20T10:00:60Z',
  '2026-11-20T10:00:00+24:00',
  '2026-11-20T10:00:00+10:60',
  '1999-12-31T23:59:59.999Z',
  '2000-01-01T00:00:00Z',
  '2000-01-01T00:30:00+01:00',
  '0000-02-29T00:00:00Z',
  '2299-12-31T23:59:59.999Z',
  '2299-12-31T23:59:59.999-00:01',
  '2300-01-01T00:00:00Z',
  'tomorrow',
  '1763632800',
];
const values: [string, Json][] = [
  ['null', null],
  ['true', true],
  ['a list', [1]],
  ['an object', { a: 1 }],
  ['0', 0],
  ['-0.5', -0.5],
  ['99999999999999980000', 99999999999999980000],
  ['1e20', 1e20],
  ['-1e20', -1e20],
  ['1e300', 1e300],
  ['1e-18', 1e-18],
  ['1.5e-17', 1.5e-17],
  ['an empty text', ''],
  ['a text of 4,096 characters', 'x'.repeat(4096)],
  ['a text of 4,097 characters', 'x'.repeat(4097)],
  ['a text of 4,096 emoji', '😀'.repeat(4096)],
  ['a text with NUL', 'a\0'],
  ['a text with a lone surrogate', '\udfff'],
  ['a text with a line end', 'a\r\nb\u2028'],
  ['a numeric text of many digits', '12345678901234567890.123456789012345678'],
  ['a numeric text of too many digits', '0.0002250000000000000200'],
];

export const EVENT_CASES: Case[] = [
  { what: 'a good one', event: GOOD },
  ...(['event_name', 'customer_id', 'properties'] as const).map(without),
  ...(['event_name', 'customer_id', 'idempotency_id'] as const).flatMap((field) =>
    texts.map(([what, value]) => with_(`${field}: ${what}`, { [field]: value })),
  ),
  ...times.map((time) => with_(`time_created ${time}`, { time_created: time })),
  ...[null, 5, '', {}].map((time) => with_(`time_created ${JSON.stringify(time)}`, { time_created: time })),
  ...values.map(([what, value]) => property(what, value)),
  ...[null, [], 'text', 5].map((all) => with_(`properties: ${JSON.stringify(all)}`, { properties: all })),
  named('empty', ''),
  named('of 256 characters', 'k'.repeat(256)),
  named('of 257 characters', 'k'.repeat(257)),
  named('with NUL', 'a\0'),
  named('with a lone surrogate', '\ud800'),
  named('with quotes', '"a"'),
  named('that is a number', '10'),
  with_('a property named __proto__', { properties: JSON.parse('{"__proto__": 5}') }),
  with_('100 properties', { properties: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, i])) }),
  with_('101 properties', { properties: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, i])) }),
  with_('unknown fields', { customer: 'acme', toString: 1 }),
  { what: 'nothing but id and time', event: { idempotency_id: 'e-1', time_created: GOOD.time_created } },
  {
    what: 'bad fields of every kind',
    event: {
      event_name: '',
      customer_id: 'a\n',
      idempotency_id: '..',
      time_created: 'now',
      x: 1,
      properties: { '': 1, a: null },
    },
  },
];
