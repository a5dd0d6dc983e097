import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { HttpApp } from '../runtime/http/app.ts';
import { trackedWire, usageEventTrack } from '../wire/usage-events.ts';
import { docsPage } from './docs-page.ts';
import type { Operation } from './operation.ts';

const detail = z
  .object({ detail: z.string(), code: z.string().optional(), request_id: z.string().optional() })
  .openapi('Error');
const fieldErrors = z.record(z.string(), z.array(z.string())).openapi('FieldErrors');

const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .max(255)
    .optional()
    .openapi({ description: 'The same key and body within 24 hours give the first answer again.' }),
});

const FILE = z.string().openapi({ format: 'binary' });

const MEANING: Record<number, string> = {
  200: 'Succeeded.',
  201: 'Created.',
  204: 'Succeeded, no body.',
  400: 'The request is malformed or contradicts itself.',
  401: 'The API key is missing or not valid.',
  403: 'The API key lacks the scope.',
  404: 'It does not exist in this account.',
  409: 'The state of the resource does not allow this.',
  413: 'The body is too large.',
  422: 'Fields are missing or wrong.',
  429: 'Too many requests; Retry-After says how many seconds to wait.',
  503: 'A part of the service is away; Retry-After says when to try again.',
};

/** What the document needs of an operation. */
type Described = Omit<Operation, 'run'>;

/** The edge's own operation (design 4), which belongs to the same interface. */
const TRACK: Described = {
  method: 'post',
  path: '/api/track',
  tag: 'Events',
  summary: 'Track a usage event',
  description: 'Answers once the event is stored. A repeated idempotency_id is counted once, for ever.',
  scope: 'events:write',
  body: usageEventTrack,
  success: 200,
  response: trackedWire,
};

/** Serves `/openapi.json` and `/docs`, both made from the operations (contract 15). */
export function addOpenApi(app: HttpApp, operations: Operation[]): void {
  const document = openApiDocument(operations);
  const page = docsPage(document);
  app.get('/openapi.json', (c) => c.json(document));
  app.get('/docs', (c) => c.html(page));
}

/** The OpenAPI 3.1 document: each operation with its success and every error it can give. */
export function openApiDocument(operations: Operation[]) {
  const generator = new OpenAPIHono();
  generator.openAPIRegistry.registerComponent('securitySchemes', 'ApiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-KEY',
  });
  for (const operation of [TRACK, ...operations]) generator.openAPIRegistry.registerPath(describe(operation));
  return generator.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Meterbook', version: '1', description: 'Usage-based billing: events in, invoices out.' },
    security: [{ ApiKey: [] }],
  });
}

function describe(operation: Described) {
  const { method, path, tag, summary, description, params, query, body } = operation;
  return {
    method,
    path,
    operationId: operationId(operation),
    tags: [tag],
    summary,
    description: [description, `Needs the scope ${operation.scope}.`].filter(Boolean).join(' '),
    request: {
      ...(params instanceof z.ZodObject && { params }),
      ...(query instanceof z.ZodObject && { query }),
      ...(takesIdempotencyKey(operation) && { headers: idempotencyHeader }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
    },
    responses: responsesOf(operation),
  };
}

/** `getMetricsUsage`: unique, since a path has a method once and ids stand in fixed places. */
function operationId({ method, path }: Described): string {
  const words = path
    .replaceAll(/\{\w+\}/g, 'one')
    .split(/\W|_/)
    .filter((word) => word !== '' && word !== 'api');
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function takesIdempotencyKey({ method, path }: Described): boolean {
  return method === 'post' && path !== TRACK.path;
}

/** Every answer an operation can give: what follows from its shape, and what it names itself. */
function responsesOf(operation: Described) {
  const { method, path, query } = operation;
  const codes = new Set([401, 403, 429, 503, ...(operation.errors ?? [])]);
  const add = (...more: number[]) => more.forEach((code) => void codes.add(code));
  if (path.includes('{')) add(404);
  if (method === 'post' || method === 'patch') add(400, 413, 422);
  if (takesIdempotencyKey(operation)) add(409);
  if (query) add(422);
  if (query instanceof z.ZodObject && 'page' in query.shape) add(400, 404);
  const failures = [...codes].sort().map((code) => {
    const schema = code === 422 ? fieldErrors : detail;
    return [code, { description: MEANING[code] ?? '', content: { 'application/json': { schema } } }];
  });
  const success = {
    description: MEANING[operation.success] ?? '',
    ...(operation.downloads && { content: { [operation.downloads]: { schema: FILE } } }),
    ...(operation.response && { content: { 'application/json': { schema: operation.response } } }),
  };
  return Object.fromEntries([[operation.success, success], ...failures]);
}
