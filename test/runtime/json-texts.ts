import fc from 'fast-check';

/** A JSON text, and the value that it has; numbers are of any size and precision that JSON can write. */
export type JsonText = { text: string; value: unknown };

/** A number as the texts below hold it: the text that it was written as. */
export class Written {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
}

/** Names that meet each other often, among them those that mean something to JavaScript. */
const name = fc.oneof(
  fc.constantFrom(
    'a',
    'a_b',
    '1',
    '__proto__',
    'constructor',
    'toJSON',
    'then',
    '\\',
    '"',
    '\n',
    '😀',
    '\ud83d',
    'ä',
    '\ue000',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
);

const numbers = fc.oneof(
  fc.integer().map(String),
  fc.tuple(fc.maxSafeNat(), fc.maxSafeNat()).map(([whole, part]) => `${whole}.${part}`),
  fc.constantFrom('-0', '0.10', '9007199254740993', '1e3', '1.5E-3', '123456789012345.10', '0.0000000000001'),
);

/** One spelling of a string out of all that JSON has: each character as it is, or as an escape in capitals or not. */
const spelled = (string: fc.Arbitrary<string>): fc.Arbitrary<JsonText> =>
  fc.tuple(string, fc.array(fc.nat(3), { minLength: 1, maxLength: 8 })).map(([value, ways]) => ({
    text: `"${Array.from({ length: value.length }, (_, i) => spell(value.charAt(i), ways[i % ways.length] ?? 0)).join('')}"`,
    value,
  }));

function spell(character: string, way: number): string {
  const hex = character.charCodeAt(0).toString(16).padStart(4, '0');
  const short = JSON.stringify(character).slice(1, -1);
  if (way === 0 || !character.isWellFormed()) return short === character ? character : short;
  if (way === 1 && character === '/') return '\\/';
  return way === 2 ? `\\u${hex.toUpperCase()}` : way === 3 ? `\\u${hex}` : short;
}

/** What an object's members make, one after the other: of a name that comes again, the last counts. */
function objectOf(members: { key: unknown; value: unknown }[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const { key, value } of members) {
    Object.defineProperty(object, key as string, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}

/** A JSON object whose members have the values of `of`. */
export function jsonObjects(of: fc.Arbitrary<JsonText>): fc.Arbitrary<JsonText & { value: Record<string, unknown> }> {
  return fc.array(fc.tuple(spelled(name), of), { maxLength: 6 }).map((members) => ({
    text: `{${members.map(([key, { text }]) => `${key.text} :${text}`).join(',')}}`,
    value: objectOf(members.map(([key, { value }]) => ({ key: key.value, value }))),
  }));
}

/** Any JSON text, with names that come twice in the same spelling or another. */
export const jsonTexts: fc.Arbitrary<JsonText> = fc.letrec<{ node: JsonText }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    spelled(name),
    numbers.map((digits) => ({ text: digits, value: new Written(digits) })),
    fc.constantFrom(...[null, true, false].map((value) => ({ text: String(value), value }))),
    fc.array(tie('node'), { maxLength: 4 }).map((items) => ({
      text: `[${items.map(({ text }) => text).join(', ')}]`,
      value: items.map(({ value }) => value),
    })),
    jsonObjects(tie('node')),
  ),
})).node;

/** The value with every number as `read` reads its text. */
export function withNumbers(value: unknown, read: (digits: string) => unknown): unknown {
  if (value instanceof Written) return read(value.digits);
  if (Array.isArray(value)) return value.map((inner) => withNumbers(inner, read));
  if (typeof value !== 'object' || value === null) return value;
  return objectOf(Object.entries(value).map(([key, inner]) => ({ key, value: withNumbers(inner, read) })));
}

/** Names and values in their order, so that `__proto__` is compared like any other name. */
export function entriesOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(entriesOf);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return { entries: Object.entries(value).map(([key, inner]) => [key, entriesOf(inner)]) };
}
