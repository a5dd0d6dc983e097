import { readFileSync } from 'node:fs';
import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { HttpApp } from '../../runtime/http/app.ts';
import { errorBody } from '../../runtime/http/errors.ts';
import { addReading } from '../../runtime/http/service-endpoints.ts';
import { creditWire } from '../../wire/credits.ts';
import { invoiceWire } from '../../wire/invoices.ts';
import { changePreview } from '../../wire/previews.ts';
import { addressWire, currencyWire } from '../../wire/primitives.ts';
import { refundWire } from '../../wire/refunds.ts';
import { subscriptionWire } from '../../wire/subscriptions.ts';
import { trackedWire, usageEventTrack } from '../../wire/usage-events.ts';
import { type Operation, queryShape } from '../operation.ts';
import { type ApiDocument, annotate } from './annotate-document.ts';
import { describeBatch, describeOtherSenders } from './edge-operations.ts';
import { describeKeyless } from './keyless-operations.ts';
import { markLargeMembers } from './large-members.ts';
import { TAGS } from './tags.ts';
import { describeWebhooks, takeWebhooks } from './webhook-operations.ts';

const detail = z
  .object({
    detail: z
      .string()
      .openapi({ description: 'What is wrong and what to do, for people.', example: 'No such customer acme.' }),
    code: z.string().openapi({ description: 'Machine-readable and stable.', example: 'not_found' }),
    request_id: z.string().openapi({ description: 'The X-Request-Id of the answer.', example: 'req_01jd3k9x' }),
  })
  .openapi('ErrorBody');
const fieldErrors = z.record(z.string(), z.array(z.string())).openapi('FieldErrors');

const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .max(255)
    .optional()
    .openapi({ description: 'The same key and body within 24 hours give the first answer again.' }),
});

const FILE = z.string().openapi({ format: 'binary' });

const SUCCESS = { 200: 'Succeeded.', 201: 'Created.', 204: 'Succeeded, no body.' };
const ACCEPTED = 'Accepted: it goes on after the answer.';

const A_REQUEST = 'req_01jd3k9x';

/** What each error status means; its name is that of its component. */
const ERRORS: Record<number, { name: string; description: string; example: object }> = {
  400: {
    name: 'BadRequest',
    description: 'Malformed, or it contradicts itself.',
    example: errorBody(400, 'The body is not valid JSON.', A_REQUEST),
  },
  401: {
    name: 'Unauthorized',
    description: 'The API key is missing or not valid.',
    example: errorBody(401, 'The API key is not valid.', A_REQUEST),
  },
  403: {
    name: 'Forbidden',
    description: 'The API key lacks the scope.',
    example: errorBody(403, 'The API key lacks the scope write.', A_REQUEST),
  },
  404: {
    name: 'NotFound',
    description: 'It does not exist in this account.',
    example: errorBody(404, 'No such customer acme.', A_REQUEST),
  },
  409: {
    name: 'Conflict',
    description:
      'The state of the resource does not allow this, or the id is taken. With code `idempotency_in_progress` the first call with the ' +
      'same Idempotency-Key still runs: repeat it after `Retry-After`.',
    example: errorBody(409, 'The subscription is canceled.', A_REQUEST),
  },
  413: {
    name: 'TooLarge',
    description: 'The body is too large.',
    example: errorBody(413, 'The body is larger than 1 MiB.', A_REQUEST),
  },
  415: {
    name: 'UnsupportedContentEncoding',
    description: 'The body is compressed or otherwise encoded: only those of events may be, by gzip or zstd.',
    example: errorBody(415, 'The body must not be encoded: send it without Content-Encoding.', A_REQUEST),
  },
  422: {
    name: 'Invalid',
    description: 'Fields or parameters are missing or wrong: all of them, by name.',
    example: { customer_id: ['Required.'] },
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too many requests; Retry-After says how many seconds to wait.',
    example: errorBody(429, 'Too many requests.', A_REQUEST),
  },
  503: {
    name: 'Unavailable',
    description: 'A part of the service is away; Retry-After says when to try again.',
    example: errorBody(503, 'A part of the service is not reachable right now. Try again.', A_REQUEST),
  },
};

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' as const, minimum: 1 } },
};

const ABOUT = `Usage-based billing: events in, invoices out.

Money is in major units of its currency. Numbers are exact: they are written in plain digits, without exponent, and have as
many digits as they need, so read them with a decimal type where floats are not enough; a decimal string is accepted wherever
a number is. Date-times are UTC with milliseconds; on input any offset will do. A record always has all its fields. A body
may not have fields that are not documented; neither may a query have unknown parameters. Every answer has an X-Request-Id.`;

/** Components that stand in fields of others. */
const FIELDS: Record<string, z.ZodType> = {
  Currency: currencyWire,
  Address: addressWire,
  Subscription: subscriptionWire,
  Invoice: invoiceWire,
  Refund: refundWire,
  Credit: creditWire,
};

const LICENSE = { name: 'Apache 2.0', identifier: 'Apache-2.0' };

/** What the document needs of an operation. */
type Described = Omit<Operation, 'run'>;

/** The edge's own operation (architecture#the-edge-and-the-stream), which belongs to the same interface. */
const TRACK: Described = {
  id: 'trackEvent',
  method: 'post',
  path: '/api/track',
  tag: 'Events',
  summary: 'Track a usage event',
  description:
    'Answers once the event is stored. A repeated idempotency_id is counted once, for ever. The body may be compressed by gzip or zstd.',
  scope: 'events:write',
  body: usageEventTrack,
  success: 200,
  response: trackedWire,
};

/** Serves `/openapi.json` (spec/service#documents) as it is committed: making it takes a fifth of a second, at each start. */
export function addOpenApi(app: HttpApp): void {
  const document: unknown = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
  addReading(app, '/openapi.json', (c) => c.json(document));
}

/** The OpenAPI 3.1 document: each operation with its success and every error it can give. */
export function openApiDocument(operations: Operation[]) {
  const generator = new OpenAPIHono();
  generator.openAPIRegistry.registerComponent('securitySchemes', 'ApiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-KEY',
  });
  generator.openAPIRegistry.registerComponent('securitySchemes', 'BearerKey', {
    type: 'http',
    scheme: 'bearer',
    description: 'The same key; where both are sent X-API-KEY decides.',
  });
  registerErrors(generator);
  // One that is first met as a field would lose what the field says of itself.
  for (const [name, schema] of Object.entries(FIELDS)) generator.openAPIRegistry.register(name, schema);
  generator.openAPIRegistry.register('ChangePreview', changePreview);
  for (const operation of [TRACK, ...operations]) generator.openAPIRegistry.registerPath(describe(operation));
  describeBatch(generator.openAPIRegistry, errorAnswers);
  describeOtherSenders(generator.openAPIRegistry, errorAnswers, fieldErrors);
  describeKeyless(generator.openAPIRegistry, errorAnswers);
  describeWebhooks(generator.openAPIRegistry);
  const document = generator.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Meterbook', version: '1', description: ABOUT, license: LICENSE, contact: { name: 'Meterbook' } },
    servers: [{ url: '/', description: 'The address that this document was read from.' }],
    security: [{ ApiKey: [] }, { BearerKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  });
  // What is annotated is a copy: schemas stand in several places.
  return markLargeMembers(annotate(takeWebhooks(JSON.parse(JSON.stringify(document)) as ApiDocument)));
}

/** The document as it is committed in `api/openapi.json`. */
export function openApiText(operations: Operation[]): string {
  return `${JSON.stringify(openApiDocument(operations), null, 2)}\n`;
}

function registerErrors({ openAPIRegistry }: OpenAPIHono) {
  openAPIRegistry.register('ErrorBody', detail);
  openAPIRegistry.register('FieldErrors', fieldErrors);
  for (const [code, { name, description, example }] of Object.entries(ERRORS)) {
    const schema = { $ref: `#/components/schemas/${code === '422' ? 'FieldErrors' : 'ErrorBody'}` };
    const isTemporary = code === '409' || code === '429' || code === '503';
    openAPIRegistry.registerComponent('responses', name, {
      description,
      ...(isTemporary && { headers: RETRY_AFTER }),
      content: { 'application/json': { schema, example } },
    });
  }
}

function describe(operation: Described) {
  const { id, method, path, tag, summary, description, params, query, body } = operation;
  return {
    method,
    path: documentedPath(path),
    operationId: id,
    tags: [tag],
    summary,
    description: [description, `Needs the scope ${operation.scope}.`, alsoAccepted(operation), previewed(operation)]
      .filter(Boolean)
      .join(' '),
    request: {
      ...(params instanceof z.ZodObject && { params }),
      ...((query || operation.previews) && { query: queryShape(operation) }),
      ...(takesIdempotencyKey(operation) && { headers: idempotencyHeader }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
    },
    responses: responsesOf(operation),
  };
}

/** The path without the slash at its end, which no linter likes: it is taken with and without (spec/api#paths). */
export function documentedPath(path: string): string {
  return path.replace(/\/$/, '');
}

/** Other names under which fields are taken (spec/customers#record, spec/metrics, spec/plans#versions). */
function alsoAccepted({ synonyms = {} }: Described): string {
  const names = Object.entries(synonyms).map(([synonym, field]) => `${synonym} for ${field}`);
  return names.length === 0 ? '' : `Also accepted: ${names.join(', ')}.`;
}

function previewed({ previews }: Described): string {
  return previews ? 'With `preview=true` it is not done, and answered 200 with a `ChangePreview`.' : '';
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
  if (method === 'post' || method === 'put' || method === 'patch') add(400, 413, 415);
  if (takesIdempotencyKey(operation)) add(409);
  add(422);
  if (query instanceof z.ZodObject && 'page' in query.shape) add(400, 404);
  const success = {
    description: SUCCESS[operation.success],
    ...(operation.downloads && { content: { [operation.downloads]: { schema: FILE } } }),
    ...(operation.response && { content: { 'application/json': { schema: operation.response } } }),
  };
  const accepted = operation.accepted && {
    202: { description: ACCEPTED, content: { 'application/json': { schema: operation.accepted } } },
  };
  const answers = { [operation.success]: success, ...accepted, ...errorAnswers(codes) };
  return operation.previews ? { ...answers, 200: previewAnswer(operation) } : answers;
}

/** The 200 of an operation with previews: the preview, where the call itself is not 200 as well. */
function previewAnswer({ success, response }: Described) {
  const isOwn = success === 200 && response !== undefined;
  const schema = isOwn ? z.union([response, changePreview]) : changePreview;
  const preview = 'With `preview=true`: what the call would do.';
  return {
    description: isOwn ? `${SUCCESS[200]} ${preview}` : preview,
    content: { 'application/json': { schema } },
  };
}

/** Error answers by their status. */
function errorAnswers(codes: Iterable<number>): Record<string, { $ref: string }> {
  const answers = [...codes].map((code) => {
    const error = ERRORS[code];
    if (!error) throw new Error(`status ${code} has no meaning`);
    return [code, { $ref: `#/components/responses/${error.name}` }];
  });
  return Object.fromEntries(answers);
}
