import { MOST_LISTED } from '../../runtime/exact-json.ts';
import type { ApiDocument, JsonSchema } from './annotate-document.ts';

const COMPONENT = '#/components/schemas/';

/**
 * Says of each list in a record that it may be null, with the number of its entries beside it: every answer leaves large members out
 * (spec/api#large-members). A list that cannot have more than 100 entries says so by `maxItems` and is never null. Changes `document`.
 */
export function markLargeMembers(document: ApiDocument): ApiDocument {
  const marked = new Set<JsonSchema>();
  for (const schema of answersOf(document)) mark(schema, document.components.schemas, marked);
  return document;
}

/** What operations answer when they succeed, and what webhooks carry. */
function answersOf({ paths, webhooks = {} }: ApiDocument): JsonSchema[] {
  const ofPaths = Object.values(paths).flatMap((methods) => Object.values(methods));
  const answers = ofPaths.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, answer]) => (status.startsWith('2') ? [answer] : [])),
  );
  const bodies = Object.values(webhooks).flatMap((methods) => Object.values(methods).map((one) => one.requestBody));
  return [...answers, ...bodies].flatMap((media) => {
    return Object.values(media?.content ?? {}).flatMap(({ schema }) => (schema ? [schema] : []));
  });
}

function mark(schema: JsonSchema, schemas: Record<string, JsonSchema>, marked: Set<JsonSchema>): void {
  if (marked.has(schema)) return;
  marked.add(schema);
  const referred = schema.$ref && schemas[schema.$ref.slice(COMPONENT.length)];
  if (referred) mark(referred, schemas, marked);
  const { properties = {}, items, anyOf = [], allOf = [], additionalProperties } = schema;
  const isPage = 'next' in properties && 'results' in properties && 'previous' in properties;
  for (const [name, member] of Object.entries(properties)) {
    mark(member, schemas, marked);
    if (isLarge(member) && !(isPage && name === 'results')) leaveOut(schema, name, member);
  }
  const inner = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  for (const one of [...(items ? [items] : []), ...anyOf, ...allOf, ...inner]) mark(one, schemas, marked);
}

function isLarge({ type, maxItems }: JsonSchema): boolean {
  return [type].flat().includes('array') && !(typeof maxItems === 'number' && maxItems <= MOST_LISTED);
}

function leaveOut(schema: JsonSchema, name: string, member: JsonSchema): void {
  // For who reads it as an empty list: one that is null for no other reason.
  if (member.type === 'array') member['x-null-if-large'] = true;
  member.type = ['array', 'null'];
  const count = {
    type: 'integer',
    description: `How many entries \`${name}\` has, where it is left out: null for its size.`,
  };
  schema.properties = { ...schema.properties, [`${name}_count`]: count };
}
