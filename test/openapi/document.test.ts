import { readFileSync } from 'node:fs';
import type { z } from '@hono/zod-openapi';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../api/openapi/annotate-document.ts';
import { openApiDocument, openApiText } from '../../api/openapi/document.ts';
import { V1_EVENTS_BODIES } from '../../api/openapi/edge-operations.ts';
import { OPERATIONS } from '../../api/routes.ts';
import { parseExactJson } from '../../runtime/exact-json.ts';
import { lagoBatchBody } from '../../wire/senders/lago-events.ts';
import { usageEventBatch, usageEventTrack } from '../../wire/usage-events.ts';
import { createChecker, operationsOf } from './document.ts';

const document = openApiDocument(OPERATIONS);
/** What the edge takes as JSON. */
const EDGE_SHAPES: Record<string, z.ZodType> = {
  '/api/track': usageEventTrack,
  '/api/events/batch': usageEventBatch,
  '/api/v1/events': V1_EVENTS_BODIES['application/json'],
  '/api/v1/events/batch': lagoBatchBody,
};
const operations = operationsOf(document);

describe('the OpenAPI document', () => {
  test('is committed as it is made: run `npm run openapi`', () => {
    const committed = readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8');
    expect(committed === openApiText(OPERATIONS)).toBe(true);
  });

  test('every field says what it is, where it is declared (wire/)', () => {
    const nameless = new Set<string>();
    const look = (schema: JsonSchema) => {
      for (const [name, field] of Object.entries(schema.properties ?? {})) if (!field.description) nameless.add(name);
      const { properties = {}, items, anyOf = [], allOf = [] } = schema;
      for (const part of [...Object.values(properties), ...(items ? [items] : []), ...anyOf, ...allOf]) look(part);
    };
    for (const schema of Object.values(document.components.schemas)) look(schema);
    const sent = Object.values(document.webhooks ?? {}).flatMap((methods) => Object.values(methods));
    for (const { requestBody, responses, parameters = [] } of [...operations, ...sent]) {
      for (const { name, description } of parameters) if (!description) nameless.add(name);
      for (const media of [requestBody, ...Object.values(responses)])
        look(media?.content?.['application/json']?.schema ?? {});
    }
    expect([...nameless]).toEqual([]);
  });

  const withBody = operations.filter(({ requestBody }) => requestBody?.content?.['application/json']);
  test.each(withBody)(
    '$method $path has an example that it takes, where its body is declared (wire/)',
    ({ where, operationId, path, requestBody }) => {
      const shape = OPERATIONS.find(({ id }) => id === operationId)?.body;
      const ofEdge = EDGE_SHAPES[path];
      const example = requestBody?.content?.['application/json']?.example;
      expect(example, where).toBeDefined();
      // The edge's shapes only document: their numbers are those of JSON.
      const [asked, sent] = ofEdge ? [ofEdge, example] : [shape, parseExactJson(JSON.stringify(example))];
      expect((asked as z.ZodType).safeParse(sent).error).toBeUndefined();
    },
  );

  const checkerOf = createChecker(document);
  const answering = operations.flatMap(({ where, responses }) => {
    const media = Object.values(responses).map(({ content }) => content?.['application/json']);
    return media.flatMap((one) => (one?.schema ? [{ where, schema: one.schema, example: one.example }] : []));
  });
  test.each(answering)('$where answers as its example does', ({ schema, example }) => {
    const check = checkerOf(schema);
    check(example);
    expect(check.errors ?? []).toEqual([]);
  });
});
