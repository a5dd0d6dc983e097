import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { expect, test } from 'vitest';
import type { ApiDocument, JsonSchema } from '../../api/openapi/annotate-document.ts';
import { createChecker } from './document.ts';

/** `api/openapi.json` by the rules that the linters of the field recommend. */
const source = await readFile(new URL('../../api/openapi.json', import.meta.url), 'utf8');

/** It sends the browser on, and has no other success. */
const ONLY_REDIRECTS = '#/paths/~1api~1payment-providers~1{provider}~1callback/post/responses';

test('Redocly finds nothing', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, config });
  const found = problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`);
  expect(found).toEqual([`operation-2xx-response ${ONLY_REDIRECTS}`]);
});

/** Spectral compiles a schema for each place where one has an example, two thirds of all it takes; below they are compiled once. */
const OF_EXAMPLES = ['oas3-valid-media-example', 'oas3-valid-schema-example'];
const left = process.env.THOROUGH === '1' ? [] : OF_EXAMPLES;

test('Spectral finds nothing else', async () => {
  const linter = new spectral.Spectral();
  const rules = Object.fromEntries(left.map((rule) => [rule, 'off' as const]));
  linter.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, 'recommended']], rules });
  const problems = await linter.run(JSON.parse(source));
  expect(problems.map(({ code, path }) => `${code} ${path.join('/')}`)).toEqual([]);
});

type Example = { where: string; schema: JsonSchema; value: unknown };
type Node = { example?: unknown; examples?: unknown; default?: unknown; schema?: JsonSchema } & JsonSchema;

/** Every example and default, of a schema and of what has one (bodies, answers, parameters). */
function examplesIn(node: unknown, where = '#'): Example[] {
  if (typeof node !== 'object' || node === null) return [];
  const { example, examples, default: preset, schema: named, ...rest } = node as Node;
  const isSchema = ['type', 'enum', '$ref', 'anyOf', 'allOf', 'oneOf'].some((key) => key in rest);
  const schema = named ?? (isSchema ? (rest as JsonSchema) : undefined);
  const several = Array.isArray(examples) ? examples : [];
  const values = schema === undefined ? [] : [example, preset, ...several].filter((value) => value !== undefined);
  const own = values.map((value) => ({ where, schema: schema as JsonSchema, value }));
  const inner = Object.entries(node).filter(([key]) => !['example', 'examples', 'default', 'enum'].includes(key));
  // Names there are a field's, whatever they mean elsewhere.
  const fieldsOf = (part: unknown, at: string) =>
    Object.entries(part as object).flatMap(([name, field]) => examplesIn(field, `${at}/${name}`));
  const partsOf = ([key, part]: [string, unknown]) =>
    (key === 'properties' ? fieldsOf : examplesIn)(part, `${where}/${key}`);
  return [...own, ...inner.flatMap(partsOf)];
}

const SAYS_NOTHING = new Set(['description', 'title', 'example', 'examples', 'default', 'deprecated']);

/** What a schema asks for, without what it only tells: many differ in that alone, and each takes its time to compile. */
function demandsOf(schema: unknown, isFields = false): unknown {
  if (Array.isArray(schema)) return schema.map((part) => demandsOf(part));
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).filter(([key]) => isFields || !SAYS_NOTHING.has(key));
  return Object.fromEntries(parts.map(([key, part]) => [key, demandsOf(part, !isFields && key === 'properties')]));
}

test('each example and default is what its schema asks for', () => {
  const document = JSON.parse(source) as ApiDocument;
  const checkerOf = createChecker(document);
  const schemas = new Map<string, JsonSchema>();
  const found = examplesIn(document);
  expect(found.length).toBeGreaterThan(500);
  const wrong = found.filter(({ schema, value }) => {
    const demands = demandsOf(schema) as JsonSchema;
    const text = JSON.stringify(demands);
    if (!schemas.has(text)) schemas.set(text, demands);
    return !checkerOf(schemas.get(text) as JsonSchema)(value);
  });
  expect(wrong.map(({ where }) => where)).toEqual([]);
});
