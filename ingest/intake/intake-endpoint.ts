import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import type { Instant } from '../../core/instants.ts';
import { type Admission, type Admitted, admit, type Caller, sentKey } from '../../runtime/http/api-key.ts';
import { foreignRequestId, type Shortcut } from '../../runtime/http/app.ts';
import { afterByteOrderMark } from '../../runtime/http/body.ts';
import { answerOf, HttpError } from '../../runtime/http/errors.ts';
import { logRequest } from '../../runtime/http/request-log.ts';
import { writeJson } from '../../runtime/http/respond.ts';
import { dropUnreadBody } from '../../runtime/http/unread-body.ts';
import type { Log } from '../../runtime/log.ts';
import { inSpan } from '../../runtime/tracing.ts';
import { refuseParameters, requestIds, TRACK_SCOPE, type TrackDependencies } from '../track.ts';
import type { BodyRoom, Place } from './body-room.ts';
import type { EventInput } from './event-input.ts';
import type { IntakeCounts, IntakeName } from './intake-counts.ts';
import { receiveBody } from './receive-body.ts';
import { type Outcome, takeEvents } from './take-events.ts';

export type IntakeDependencies = TrackDependencies & Admission & { counts: IntakeCounts; bodies: BodyRoom; log: Log };

/** A body of events from a caller who may send them, and what can be done with it. */
export type SentEvents = {
  requestId: string;
  caller: Caller;
  headers: IncomingHttpHeaders;
  /** At most 8 MiB, decompressed. */
  body: Buffer;
  /** When it came: what an event without a time gets. */
  receivedAt: Instant;
  /** Counts it as another endpoint's: for whoever finds out from the body which one it is. */
  countAs(name: IntakeName): void;
  /** Takes its events: see {@link takeEvents}. At most once. */
  take(inputs: Iterable<EventInput>): Promise<Outcome>;
};

/** `text`: JSON, empty with 204; a long one as bytes in pieces. */
export type IntakeAnswer = { status: number; text: string | readonly Buffer[] };

/**
 * An endpoint for several events. `path` is of all its names (spec/api#paths), and `route` the one that it is counted and documented under.
 * `answer` may throw as any handler does: BadJson (400), HttpError, DomainError.
 */
export type IntakeEndpoint = {
  name: IntakeName;
  path: RegExp;
  route: string;
  answer(sent: SentEvents): Promise<IntakeAnswer>;
};

type Written = IntakeAnswer & { headers?: Record<string, string>; cause?: unknown };

/** A request under way, and as whose it counts. `place`: what its body has of the room for bodies. */
type Request = {
  request: IncomingMessage;
  requestId: string;
  admitted: Admitted;
  name: IntakeName;
  place?: Place;
};

/** Serves an endpoint of events with Node's own server, as `/api/track`: keys, limits, bodies, errors and the line in the log. */
export function intakeEndpoint(endpoint: IntakeEndpoint, dependencies: IntakeDependencies): Shortcut {
  const nextRequestId = requestIds();
  const { name, path, route } = endpoint;
  return (request, response) => {
    const { url = '', method = '' } = request;
    if (!path.test(url)) return false;
    const startedAt = performance.now();
    const requestId = foreignRequestId(request.headers['x-request-id'] as string | undefined) ?? nextRequestId();
    const asked: Request = { request, requestId, admitted: { headers: {} }, name };
    const parent = (request.headers.traceparent as string | undefined) ?? null;
    const options = { kind: 'server', parent, attributes: { 'request.id': requestId } } as const;
    inSpan(`POST ${route}`, options, () => answer(asked, endpoint, dependencies))
      .catch(async (error): Promise<Written> => {
        await dropUnreadBody(request);
        const { body, ...refusal } = answerOf(error, requestId);
        return { ...refusal, text: JSON.stringify(body) };
      })
      .then(({ status, text, cause, headers }: Written) => {
        const { admitted } = asked;
        const all = { ...admitted.headers, ...headers, 'X-Request-Id': requestId };
        if (status === 204) response.writeHead(204, all).end();
        else writeJson(response, status, text, all);
        // An answer may be as large as its body, and is held until it is read.
        finished(response, () => asked.place?.leave());
        dependencies.counts.request(asked.name, status);
        const answered = { requestId, method, url, route, status, startedAt, caller: admitted.caller, cause };
        logRequest(dependencies.log, status < 300 ? 'debug' : 'info', answered);
      });
    return true;
  };
}

async function answer(asked: Request, endpoint: IntakeEndpoint, dependencies: IntakeDependencies) {
  const { request, requestId, admitted } = asked;
  const { method, headers } = request;
  if (method !== 'POST') throw new HttpError(405, `This path does not have ${method}.`, { Allow: 'POST' });
  const key = sentKey(headers['x-api-key'] as string | undefined, headers.authorization);
  const caller = await admit(key, TRACK_SCOPE, dependencies, admitted);
  const { body: received, place, endedAt } = await receiveBody(request, caller.accountId, dependencies.bodies);
  const body = afterByteOrderMark(received);
  asked.place = place;
  refuseParameters(request.url);
  const receivedAt = dependencies.clock.now();
  const countAs = (name: IntakeName) => {
    asked.name = name;
  };
  const take = async (inputs: Iterable<EventInput>) => {
    const outcome = await takeEvents(inputs, { caller, receivedAt, endedAt }, dependencies);
    dependencies.counts.events(asked.name, outcome.accepted, outcome.rejected.length);
    return outcome;
  };
  return endpoint.answer({ requestId, caller, headers, body, receivedAt, countAs, take });
}
