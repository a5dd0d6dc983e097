import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ApiDocument, JsonSchema } from '../../api/openapi/annotate-document.ts';
import type { Operation } from '../../api/operation.ts';
import { parseBody } from '../../api/router.ts';
import { OPERATIONS } from '../../api/routes.ts';
import { assertFewValues, parseExactJson } from '../../runtime/exact-json.ts';
import { howMany } from '../how-many.ts';
import { operationsOf, resolved } from '../openapi/document.ts';
import { root } from '../source-files.ts';
import { BODIES, fastestOf } from './cpu-time.ts';
import { numbered, repeated, type Shape } from './shapes.ts';

/**
 * "No request of 1 MiB takes longer than 3 s on two cores", and judging its body is only a part of that. If the time grows with the square
 * of the size, 3 s for 1 MiB are 190 ms for 256 KiB.
 */
const MOST_MS = howMany(180, 1_000);

const document = JSON.parse(readFileSync(join(root, 'api/openapi.json'), 'utf8')) as ApiDocument;
const circumstances = { webhookAllowPrivate: false, now: Date.UTC(2026, 10, 23) };

/** A place in a body where a list may stand, and an element of it. */
type List = { path: string[]; element: unknown };

const CASES = operationsOf(document).flatMap((documented) => {
  const operation = OPERATIONS.find(({ id }) => id === documented.operationId);
  const media = documented.requestBody?.content?.['application/json'];
  if (!operation?.body || !media?.schema) return [];
  const example = (media.example ?? {}) as Record<string, unknown>;
  return [{ where: documented.where, operation, example, schema: media.schema }];
});

test.each(CASES)('the body of $where is judged in time', ({ operation, example, schema }) => {
  for (const [name, shape] of Object.entries(bodiesFor(example, schema))) {
    const text = shape(BODIES.large);
    expect(
      fastestOf(() => judgeBody(operation, text), MOST_MS),
      `${name}: CPU milliseconds for ${BODIES.large} bytes`,
    ).toBeLessThan(MOST_MS);
  }
});

function judgeBody(operation: Operation, text: string): void {
  try {
    assertFewValues(text);
    parseBody(operation, parseExactJson(text) as Record<string, unknown>, circumstances, {});
  } catch {
    // A refusal is an outcome like any other.
  }
}

function bodiesFor(example: Record<string, unknown>, schema: JsonSchema): Record<string, Shape> {
  const bodies: Record<string, Shape> = { 'unknown fields': numbered((i) => `"unknown${i}":1`, '{', '}') };
  for (const [name, text] of Object.entries(STRINGS)) {
    bodies[`strings of ${name}`] = (length) => JSON.stringify(withTexts(schema, text, length));
  }
  for (const { path, element } of listsIn(schema)) {
    for (const [name, itemOf] of Object.entries(elementsOf(element))) {
      bodies[`${path.join('.')}: ${name}`] = (length) => withList(example, path, numbered(itemOf, '[', ']')(length));
    }
  }
  return bodies;
}

const STRINGS: Record<string, Shape> = {
  letters: repeated('a'),
  'names with dots': repeated('a.'),
  'addresses of mail': repeated('a@a.'),
  'addresses of pages': repeated('http://a/'),
};

function elementsOf(element: unknown): Record<string, (index: number) => string> {
  return {
    'elements as in the example': (i) => numberedTexts(element, i),
    // As many as a body may have values.
    'numbers with spaces': () => `0${' '.repeat(10)}`,
  };
}

/** The same with another text wherever one stands. */
function numberedTexts(value: unknown, index: number): string {
  return JSON.stringify(value, (_key, inner) => (typeof inner === 'string' ? `${inner}${index}` : inner));
}

/** Every list that a body may have, within others too. */
function listsIn(schema: JsonSchema, path: string[] = []): List[] {
  const at = resolved(document, schema);
  const inner = [...(at.anyOf ?? []), ...(at.allOf ?? [])].flatMap((one) => listsIn(one, path));
  const fields = Object.entries(at.properties ?? {}).flatMap(([name, one]) => listsIn(one, [...path, name]));
  if (!at.items) return [...inner, ...fields];
  const element = exampleOf(at.items);
  return [{ path, element }, ...inner, ...fields, ...(path.length < 3 ? listsIn(at.items, [...path, '0']) : [])];
}

/** A value by a schema: its example, or all of its fields. */
function exampleOf(schema: JsonSchema): unknown {
  const at = resolved(document, schema);
  if (at.example !== undefined && at.example !== null) return at.example;
  if (at.items) return [exampleOf(at.items)];
  const [first] = at.anyOf ?? at.allOf ?? [];
  if (!at.properties && first) return exampleOf(first);
  if (at.enum) return at.enum[0];
  if (at.properties)
    return Object.fromEntries(Object.entries(at.properties).map(([name, one]) => [name, exampleOf(one)]));
  return [at.type].flat().some((type) => type === 'number' || type === 'integer') ? 1 : 'a';
}

/** A body of which each field is text. */
function withTexts(schema: JsonSchema, text: Shape, length: number): object {
  const names = Object.keys(resolved(document, schema).properties ?? {});
  return Object.fromEntries(names.map((name) => [name, text(Math.floor(length / names.length))]));
}

/** The text of `example` with `list` at `path`. */
function withList(example: Record<string, unknown>, path: string[], list: string): string {
  const mark = '\u0001list\u0001';
  const body = structuredClone(example);
  let at: Record<string, unknown> = body;
  for (const [i, name] of path.slice(0, -1).entries()) {
    if (typeof at[name] !== 'object' || at[name] === null) at[name] = path[i + 1] === '0' ? [] : {};
    at = at[name] as Record<string, unknown>;
  }
  at[path.at(-1) ?? ''] = mark;
  return JSON.stringify(body).replace(JSON.stringify(mark), () => list);
}
