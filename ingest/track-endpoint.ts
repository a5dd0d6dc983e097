import type { IncomingMessage } from 'node:http';
import { type Admission, type Admitted, admit, sentKey } from '../runtime/http/api-key.ts';
import { foreignRequestId, type Shortcut } from '../runtime/http/app.ts';
import { answerOf, HttpError } from '../runtime/http/errors.ts';
import { logRequest } from '../runtime/http/request-log.ts';
import { writeJson } from '../runtime/http/respond.ts';
import { dropUnreadBody } from '../runtime/http/unread-body.ts';
import type { Log } from '../runtime/log.ts';
import { inSpan } from '../runtime/tracing.ts';
import { readTrackBody } from './read-body.ts';
import {
  acceptedText,
  refuseParameters,
  requestIds,
  TRACK_ROUTE,
  TRACK_SCOPE,
  type TrackDependencies,
  track,
} from './track.ts';

/** With and without the prefix, with and without the trailing slash (spec/api#paths). */
const TRACK_PATH = /^(?:\/api)?\/track\/?(?:\?|$)/;

type EndpointDependencies = TrackDependencies & Admission & { log: Log };

/**
 * Answers `/api/track` and its aliases with Node's own server, before Hono: at this rate Request, Response and Headers
 * objects alone would cost a quarter of it (see bench/edge.ts). Errors take the same way as everywhere (spec/api#paths).
 * An accepted event's line in the log is at debug: the counter of accepted events tells more, for less.
 */
export function trackEndpoint(dependencies: EndpointDependencies): Shortcut {
  const nextRequestId = requestIds();
  return (request, response) => {
    const { url = '', method = '' } = request;
    if (!TRACK_PATH.test(url)) return false;
    const startedAt = performance.now();
    const requestId = foreignRequestId(request.headers['x-request-id'] as string | undefined) ?? nextRequestId();
    const admitted: Admitted = { headers: {} };
    const parent = (request.headers.traceparent as string | undefined) ?? null;
    const options = { kind: 'server', parent, attributes: { 'request.id': requestId } } as const;
    inSpan('POST /api/track', options, () => answer(request, dependencies, admitted))
      .then(
        (id) => ({ status: 200, text: acceptedText(id) }),
        async (error): Promise<Written> => {
          await dropUnreadBody(request);
          const { body, ...refusal } = answerOf(error, requestId);
          return { ...refusal, text: JSON.stringify(body) };
        },
      )
      .then((written: Written) => {
        const { status, text, cause } = written;
        writeJson(response, status, text, { ...admitted.headers, ...written.headers, 'X-Request-Id': requestId });
        const { caller } = admitted;
        const answered = { requestId, method, url, route: TRACK_ROUTE, status, startedAt, caller, cause };
        logRequest(dependencies.log, status === 200 ? 'debug' : 'info', answered);
      });
    return true;
  };
}

type Written = { status: number; text: string; headers?: Record<string, string>; cause?: unknown };

async function answer(request: IncomingMessage, dependencies: EndpointDependencies, admitted: Admitted) {
  if (request.method !== 'POST')
    throw new HttpError(405, `This path does not have ${request.method}.`, { Allow: 'POST' });
  const key = sentKey(request.headers['x-api-key'] as string | undefined, request.headers.authorization);
  const askedAt = performance.now();
  const caller = await admit(key, TRACK_SCOPE, dependencies, admitted);
  // The body may have been there all the while that the key was looked up.
  const waitedMs = performance.now() - askedAt;
  const text = await readTrackBody(request);
  refuseParameters(request.url);
  const { idempotencyId, stored } = track(text, caller, dependencies, waitedMs);
  await stored;
  return idempotencyId;
}
