import fc from 'fast-check';
import type { ApiDocument, JsonSchema } from '../../api/openapi/annotate-document.ts';
import { type NamedOperation, resolved } from './document.ts';

/** A call as it is generated; a text such as `@plan_id:3` stands for an id that is known when it is sent. */
export type AnyCall = {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
  headers: Record<string, string>;
};

const WORDS = fc.constantFrom('a', 'call', 'gb', 'eu', 'Pro', '  spaced ', '0', '-1', '1e3', 'null', '2026-01-10', '');
const STRANGE = fc.constantFrom(
  '\u0000',
  '\ud800',
  "'; DROP TABLE customers; --",
  '{metric:String}',
  '../../etc/passwd',
  '%2e%2e%2f',
  'Ünïcødé 漢字 🙂',
  'x'.repeat(300),
  '__proto__',
  '<script>',
);
const TEXT = fc.oneof({ weight: 6, arbitrary: WORDS }, { weight: 2, arbitrary: STRANGE }, fc.string({ maxLength: 12 }));
const MOMENTS = [
  '2026-01-05T00:00:00Z',
  '2026-01-06T10:00:00+02:00',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
];
const DATES = ['2026-01-05', '2026-11-30', '2026-02-30', '0001-01-01', '9999-12-31', '2100-01-01'];
const NUMBERS = [0, 1, 2, 5, 0.5, -1, 100, 1e15, '0.1', '1.005', '99999999999999999999', '1e400', 0.000000000001];

/** Fields whose value would slow the run down or lock it out: far clocks, low limits, other people's servers. */
const TAMED: Record<string, fc.Arbitrary<unknown>> = {
  frozen_time: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-20T00:00:00Z', '2026-02-10T00:00:00Z', 'soon', 5),
  rate_limit: fc.constantFrom(null, 0, -1, 'x', 1.5),
  invoice_grace_seconds: fc.constantFrom(0, 1, -1, 'x'),
  webhook_url: fc.constantFrom('https://meterbook.invalid/hook', 'http://10.0.0.1/', 'ftp://a', 'nothing', 5),
  redirect_url: fc.constantFrom('https://meterbook.invalid/back', 'nothing', 5),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Mars/Olympus'),
  default_currency_code: fc.constantFrom('usd', 'EUR', 'jpy', 'kwd', 'xxx'),
  currency: fc.constantFrom('usd', 'USD', 'jpy', 'xxx'),
};

/** Calls of one operation: mostly sound ones, as its examples and schemas are, with something wrong here and there. */
export function anyCall(document: ApiDocument, operation: NamedOperation): fc.Arbitrary<AnyCall> {
  const { parameters = [], requestBody, where } = operation;
  const sent = requestBody?.content?.['application/json'];
  const texts = (place: string) =>
    fc.record(
      Object.fromEntries(
        parameters.filter((one) => one.in === place).map(({ name, schema }) => [name, textFor(document, name, schema)]),
      ),
      { requiredKeys: place === 'path' ? parameters.filter((one) => one.in === 'path').map(({ name }) => name) : [] },
    ) as fc.Arbitrary<Record<string, string>>;
  const body = sent?.schema
    ? anyBody(document, where, sent.schema, sent.example)
    : fc.constant(operation.method === 'post' ? {} : undefined);
  return fc.record({ params: texts('path'), query: texts('query'), body, headers: headersOf(operation) });
}

function headersOf({ parameters = [] }: NamedOperation): fc.Arbitrary<Record<string, string>> {
  if (!parameters.some(({ name }) => name === 'Idempotency-Key')) return fc.constant({});
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant({}) },
    fc.constantFrom('k1', 'k2', 'k'.repeat(300)).map((key) => ({ 'Idempotency-Key': key })),
  );
}

function anyBody(document: ApiDocument, where: string, schema: JsonSchema, example: unknown): fc.Arbitrary<unknown> {
  const generated = valueFor(document, '', schema);
  const sound = fc.record(
    Object.fromEntries(Object.entries(example ?? {}).map(([name, value]) => [name, exampleValue(where, name, value)])),
  );
  const merged = fc
    .tuple(sound, generated, fc.boolean())
    .map(([a, b, more]) => (more && isObject(b) ? { ...b, ...a } : a));
  const broken = fc
    .tuple(merged, TEXT, fc.oneof(TEXT, fc.constantFrom<unknown>(null, 5, [], {}, true, [[]])))
    .map(([good, name, value]) => {
      const names = Object.keys(good);
      return { ...good, [names[name.length % Math.max(1, names.length)] ?? name]: value };
    });
  const notABody = fc.constantFrom<unknown>('{"a":', '[]', 'null', '{"a":1}', '{"__proto__":{}}', '');
  return fc.oneof(
    { weight: 10, arbitrary: merged },
    { weight: 3, arbitrary: generated },
    { weight: 3, arbitrary: broken },
    { weight: 1, arbitrary: notABody },
  );
}

/** The example's value; an id is one that exists, or a new one where the caller makes it. */
function exampleValue(where: string, name: string, value: unknown): fc.Arbitrary<unknown> {
  if (name === 'idempotency_id' || where === 'post /api/customers') {
    return name.endsWith('_id') ? fc.uuid() : fc.constant(value);
  }
  if (Array.isArray(value)) return fc.tuple(...value.map((one) => exampleValue(where, name, one)));
  if (isObject(value)) {
    return fc.record(
      Object.fromEntries(Object.entries(value).map(([key, one]) => [key, exampleValue(where, key, one)])),
    );
  }
  if (TAMED[name]) return fc.oneof(fc.constant(value), TAMED[name]);
  return name.endsWith('_id') ? knownId(name) : fc.constant(value);
}

function knownId(name: string): fc.Arbitrary<string> {
  return fc.nat(5).map((n) => `@${name.replace(/^new_/, '')}:${n}`);
}

/** A parameter as text: an id that exists, what its schema says, or anything. */
function textFor(document: ApiDocument, name: string, schema: JsonSchema): fc.Arbitrary<string> {
  const anything = fc.oneof(
    valueFor(document, name, schema).map(String),
    TEXT.filter((text) => text !== ''),
  );
  return name.endsWith('_id') ? fc.oneof({ weight: 6, arbitrary: knownId(name) }, anything) : anything;
}

function valueFor(document: ApiDocument, name: string, asked: JsonSchema): fc.Arbitrary<unknown> {
  if (TAMED[name]) return TAMED[name];
  const schema = resolved(document, asked);
  if (schema.enum) return fc.constantFrom(...schema.enum, 'something else');
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valueFor(document, name, one)));
  const [type = 'string', isNull] = [schema.type].flat();
  const value = ofType(document, name, type, schema);
  return isNull === 'null' ? fc.oneof({ weight: 4, arbitrary: value }, fc.constant(null)) : value;
}

function ofType(document: ApiDocument, name: string, type: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer')
    return fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom<unknown>(-1, 1.5, 1e12, '3'));
  if (type === 'number') return fc.constantFrom<unknown>(...NUMBERS);
  if (type === 'array') return fc.array(valueFor(document, name, schema.items ?? {}), { maxLength: 3 });
  if (type === 'object') return objectOf(document, schema);
  if (schema.format === 'date-time') return fc.constantFrom(...MOMENTS, 'now');
  if (schema.format === 'date') return fc.constantFrom(...DATES);
  if (name.endsWith('_id')) return fc.oneof({ weight: 8, arbitrary: knownId(name) }, TEXT);
  return fc.oneof(TEXT, fc.constantFrom(...MOMENTS, ...DATES));
}

function objectOf(document: ApiDocument, schema: JsonSchema): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) {
    const rest = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : { type: 'string' };
    return fc.dictionary(TEXT, valueFor(document, '', rest), { maxKeys: 3 });
  }
  const values = Object.fromEntries(fields.map(([key, field]) => [key, valueFor(document, key, field)]));
  return fc.record(values, { requiredKeys: schema.required ?? [] });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
