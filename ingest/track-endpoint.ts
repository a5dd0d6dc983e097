import type { IncomingMessage, ServerResponse } from 'node:http';
import { authenticateKey, type FindKey } from '../runtime/http/api-key.ts';
import { foreignRequestId, type Shortcut } from '../runtime/http/app.ts';
import { answerOf, HttpError } from '../runtime/http/errors.ts';
import { dropUnreadBody } from '../runtime/http/unread-body.ts';
import { newId } from '../runtime/ids.ts';
import type { Log } from '../runtime/log.ts';
import { readTrackBody } from './read-body.ts';
import { type TrackDependencies, track } from './track.ts';

/** With and without the prefix, with and without the trailing slash (contract 1). */
const TRACK_PATH = /^(?:\/api)?\/track\/?(?:\?|$)/;

/**
 * Answers `/api/track` and its aliases with Node's own server, before Hono: at this rate Request, Response and Headers
 * objects alone would cost a quarter of it (see bench/edge.ts). Errors take the same way as everywhere (contract 1).
 */
export function trackEndpoint(dependencies: TrackDependencies & { findKey: FindKey; log: Log }): Shortcut {
  const nextRequestId = requestIds();
  return (request, response) => {
    if (!TRACK_PATH.test(request.url ?? '')) return false;
    const requestId = foreignRequestId(request.headers['x-request-id'] as string | undefined) ?? nextRequestId();
    answer(request, response, requestId, dependencies).catch(async (error) => {
      await dropUnreadBody(request);
      const refusal = answerOf(error, requestId, dependencies.log);
      write(response, refusal.status, requestId, JSON.stringify(refusal.body), refusal.headers);
    });
    return true;
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  dependencies: TrackDependencies & { findKey: FindKey },
) {
  if (request.method !== 'POST')
    throw new HttpError(405, `This path does not have ${request.method}.`, { Allow: 'POST' });
  const key = request.headers['x-api-key'] as string | undefined;
  const caller = await authenticateKey(key, dependencies.findKey, 'events:write');
  const id = await track(await readTrackBody(request), caller, dependencies);
  write(response, 200, requestId, `{"success":"all","idempotency_id":${JSON.stringify(id)},"status":"queued"}`);
}

function write(
  response: ServerResponse,
  status: number,
  requestId: string,
  body: string,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, {
    ...headers,
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** Unique ids of this process for little: a new prefix per start, then a number. */
function requestIds(): () => string {
  const prefix = newId('req');
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
}
