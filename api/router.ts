import type { Context } from 'hono';
import { invalid } from '../billing/domain-error.ts';
import { authenticate } from '../runtime/http/api-key.ts';
import type { HttpApp } from '../runtime/http/app.ts';
import { readBodyObject } from '../runtime/http/body.ts';
import { errorResponse, HttpError } from '../runtime/http/errors.ts';
import { sendJson } from '../runtime/http/respond.ts';
import { renameSynonyms, validate } from '../runtime/http/validate.ts';
import type { Dependencies } from './dependencies.ts';
import type { Operation } from './operation.ts';
import { pathAliases } from './path-aliases.ts';

/** Bodies of all operations but `/api/track` (contract 1). */
const BODY_LIMIT = 1 << 20;

/** Serves every operation under its canonical path and its aliases; other methods there are 405 with `Allow`. */
export function addOperations(app: HttpApp, operations: Operation[], dependencies: Dependencies): void {
  const methodsOf = new Map<string, Set<string>>();
  for (const operation of operations) {
    for (const path of pathAliases(operation)) {
      app.on(operation.method.toUpperCase(), path, (c) => answer(c, operation, dependencies));
      const shape = path.replaceAll(/:\w+/g, ':id');
      methodsOf.set(shape, (methodsOf.get(shape) ?? new Set()).add(operation.method.toUpperCase()));
    }
  }
  for (const [path, methods] of methodsOf) {
    app.all(path, (c) => {
      const headers = { Allow: [...methods].join(', ') };
      return errorResponse(c, new HttpError(405, `This path does not have ${c.req.method}.`, headers), dependencies.log);
    });
  }
}

/** One request, checked in the order of contract 1: 401, 403, 413, 400, 422, then what the operation says. */
async function answer(c: Context, operation: Operation, dependencies: Dependencies): Promise<Response> {
  const caller = await authenticate(c, dependencies.findKey, operation.scope);
  const body = await readBody(c, operation);
  const query = operation.query ? validate(operation.query, Object.fromEntries(new URL(c.req.url).searchParams)) : {};
  const params = operation.params ? validate(operation.params, c.req.param()) : {};
  const call = {
    caller,
    params: params as Record<string, never>,
    query: query as Record<string, never>,
    body: body as Record<string, never>,
    operationId: String(c.get('requestId')),
    now: dependencies.clock.now(),
    url: publicUrl(c),
  };
  return sendJson(c, operation.success, await operation.run(call, dependencies));
}

async function readBody(c: Context, operation: Operation): Promise<unknown> {
  if (operation.method === 'get' || operation.method === 'delete') return {};
  const sent = renameSynonyms(await readBodyObject(c, BODY_LIMIT), operation.synonyms ?? {});
  if (operation.body) return validate(operation.body, sent);
  const unknown = Object.keys(sent);
  if (unknown.length > 0) throw invalid(Object.fromEntries(unknown.map((field) => [field, ['Unknown field.']])));
  return {};
}

/** The URL as the caller wrote it: the door passes on the host and protocol it was asked by. */
function publicUrl(c: Context): URL {
  const url = new URL(c.req.url);
  const host = c.req.header('x-forwarded-host');
  const protocol = c.req.header('x-forwarded-proto');
  if (protocol === 'http' || protocol === 'https') url.protocol = protocol;
  if (host) url.host = host;
  return url;
}
