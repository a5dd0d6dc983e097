import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { HttpApp } from '../runtime/http/app.ts';
import type { Operation } from './operation.ts';

const detail = z
  .object({ detail: z.string(), code: z.string().optional(), request_id: z.string().optional() })
  .openapi('Error');
const fieldErrors = z.record(z.string(), z.array(z.string())).openapi('FieldErrors');

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

/** Serves `/openapi.json`, generated from the operations (contract 15). */
export function addOpenApi(app: HttpApp, operations: Operation[]): void {
  const document = openApiDocument(operations);
  app.get('/openapi.json', (c) => c.json(document));
}

/** The OpenAPI 3.1 document: each operation with its success and every error it can give. */
export function openApiDocument(operations: Operation[]) {
  const generator = new OpenAPIHono();
  generator.openAPIRegistry.registerComponent('securitySchemes', 'ApiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-KEY',
  });
  for (const operation of operations) generator.openAPIRegistry.registerPath(describe(operation));
  return generator.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Meterbook', version: '1', description: 'Usage-based billing: events in, invoices out.' },
    security: [{ ApiKey: [] }],
  });
}

function describe(operation: Operation) {
  const { method, path, tag, summary, description, params, query, body } = operation;
  return {
    method,
    path,
    tags: [tag],
    summary,
    ...(description && { description }),
    request: {
      ...(params instanceof z.ZodObject && { params }),
      ...(query instanceof z.ZodObject && { query }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
    },
    responses: responsesOf(operation),
  };
}

function responsesOf(operation: Operation) {
  const codes = new Set([401, 403, 429, ...(operation.errors ?? [])]);
  if (operation.path.includes('{')) codes.add(404);
  if (operation.method !== 'get') for (const code of [400, 413, 422]) codes.add(code);
  if (operation.query) for (const code of [400, 422]) codes.add(code);
  const failures = [...codes].sort().map((code) => {
    const schema = code === 422 ? fieldErrors : detail;
    return [code, { description: MEANING[code] ?? '', content: { 'application/json': { schema } } }];
  });
  const success = {
    description: MEANING[operation.success] ?? '',
    ...(operation.response && { content: { 'application/json': { schema: operation.response } } }),
  };
  return Object.fromEntries([[operation.success, success], ...failures]);
}
