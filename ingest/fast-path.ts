import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../runtime/clock.ts';
import { type Caller, hashKey } from '../runtime/http/api-key.ts';
import type { FastPath } from '../runtime/http/app.ts';
import { answerOf } from '../runtime/http/errors.ts';
import { logRequest } from '../runtime/http/request-log.ts';
import { type RequestTally, requestTally } from '../runtime/http/request-tallies.ts';
import type { KeyRing } from '../runtime/key-ring.ts';
import type { Log } from '../runtime/log.ts';
import { readPlainPost } from './plain-post.ts';
import { acceptedText, requestIds, TRACK_ROUTE, TRACK_SCOPE, type TrackDependencies, track } from './track.ts';

/** As Node's own server: a kept connection closes a little after what the sender was told, who may just be using it. */
const KEPT_LONGER_MS = 1_000;

/** A connection that has said nothing for so long is Node's server's to time out. */
const FIRST_PACKET_MS = 5_000;

export type FastPathDependencies = TrackDependencies & Pick<KeyRing, 'findKnownKey'> & { log: Log };

/** What all connections of a fast path share. */
type Shared = FastPathDependencies & {
  keptMs: number;
  firstPacketMs: number;
  nextRequestId(): string;
  date(): string;
  /** Counts the requests answered with 200. */
  accepted: RequestTally;
  isStopping(): boolean;
};

/**
 * Takes plain good events (plain-post.ts) from the socket into the stream, without Node's HTTP server: its parser, streams and
 * events cost more than all that the edge does with an event. It answers 200, or 503 where the stream is away. Anything else, a
 * bad event too, goes to Node's server with its connection, which stays there: no rule and no error is decided here. `keptMs`:
 * how long a connection without a request stays open.
 */
export function createFastPath(
  dependencies: FastPathDependencies,
  keptMs: number,
  firstPacketMs = FIRST_PACKET_MS,
): FastPath {
  const connections = new Set<() => void>();
  let stopping = false;
  const shared: Shared = {
    ...dependencies,
    keptMs,
    firstPacketMs,
    nextRequestId: requestIds(),
    date: dateHeader(dependencies.clock),
    accepted: requestTally({ route: TRACK_ROUTE, method: 'POST', status: 200 }),
    isStopping: () => stopping,
  };
  return {
    take: (socket, toHttp) => drive(socket, toHttp, shared, connections),
    stop: () => {
      stopping = true;
      for (const closeIdle of connections) closeIdle();
    },
  };
}

/** An event on its way into the stream. */
type Request = { requestId: string; startedAt: number; caller: Caller; idempotencyId: string; stored: Promise<void> };

/** One connection: a request at a time, for as long as each packet is one. */
function drive(socket: Socket, toHttp: () => void, shared: Shared, connections: Set<() => void>): void {
  let underWay: Request | undefined;
  let next: Buffer | undefined;
  let [hasAnswered, hasEnded] = [false, false];

  function onData(packet: Buffer) {
    if (underWay) {
      // Sent before its predecessor's answer: its turn comes, elsewhere.
      next = next ? Buffer.concat([next, packet]) : packet;
      socket.pause();
      return;
    }
    // Who does not read the answers is held up by Node's server.
    underWay = socket.writableLength === 0 ? take(packet, shared) : undefined;
    if (underWay) underWay.stored.then(onStored, onFailed);
    else handOver(packet);
  }

  function onStored() {
    if (!underWay) return;
    shared.accepted.add(performance.now() - underWay.startedAt);
    answer(underWay, 200, acceptedText(underWay.idempotencyId));
  }

  function onFailed(error: unknown) {
    if (!underWay) return;
    const { requestId, startedAt, caller } = underWay;
    const { status, body, headers, cause } = answerOf(error, requestId);
    answer(underWay, status, JSON.stringify(body), headers);
    const request = { requestId, method: 'POST', url: '/api/track', route: TRACK_ROUTE };
    logRequest(shared.log, 'info', { ...request, status, startedAt, caller, cause });
  }

  function answer({ requestId }: Request, status: number, text: string, headers: Record<string, string> = {}) {
    underWay = undefined;
    if (!hasAnswered) socket.setTimeout(shared.keptMs + KEPT_LONGER_MS);
    hasAnswered = true;
    if (socket.destroyed) return;
    const closes = hasEnded || shared.isStopping();
    socket.write(headOf({ requestId, status, text, headers }, closes, shared) + text);
    if (closes) closeAfterAnswer();
    else if (next) handOver(next);
  }

  function handOver(packet?: Buffer) {
    leave();
    socket.setTimeout(0);
    socket.pause();
    if (packet) socket.unshift(packet);
    toHttp();
    socket.resume();
  }

  function onTimeout() {
    if (underWay) return;
    if (hasAnswered) socket.destroy();
    else handOver();
  }

  function onEnd() {
    hasEnded = true;
    if (!underWay) socket.end();
  }

  /** What is sent after all is for another connection: here it would have no answer, and be stored all the same. */
  function closeAfterAnswer() {
    socket.off('data', onData);
    socket.destroySoon();
  }

  function closeIdle() {
    if (underWay) return;
    // Who does not read the answers is cut off by Node's server, in its time.
    if (socket.writableLength > 0) handOver();
    else socket.destroy();
  }

  // The sender has gone: 'close' follows.
  const onError = () => undefined;
  function leave() {
    socket.off('data', onData).off('end', onEnd).off('timeout', onTimeout).off('error', onError).off('close', leave);
    connections.delete(closeIdle);
  }
  connections.add(closeIdle);
  socket.on('data', onData).on('end', onEnd).on('timeout', onTimeout).on('error', onError).on('close', leave);
  socket.setTimeout(shared.firstPacketMs);
}

/** Begins to store the event that a packet brings; undefined where the packet is not for it. */
function take(packet: Buffer, shared: Shared): Request | undefined {
  const startedAt = performance.now();
  const post = readPlainPost(packet);
  if (!post || !isUtf8(post.body)) return undefined;
  const caller = shared.findKnownKey(hashKey(post.key));
  if (!caller || caller.rateLimit !== null || !caller.scopes.includes(TRACK_SCOPE)) return undefined;
  try {
    const { idempotencyId, stored } = track(post.body.toString(), caller, shared);
    return { requestId: shared.nextRequestId(), startedAt, caller, idempotencyId, stored };
  } catch {
    return undefined;
  }
}

type Answer = { requestId: string; status: number; text: string; headers: Record<string, string> };

/** The head of an answer, with all that Node's own server and the app would say there. */
function headOf(answer: Answer, closes: boolean, { date, keptMs }: Shared): string {
  const { requestId, status, text, headers } = answer;
  const kept = closes
    ? 'Connection: close'
    : `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keptMs / 1_000)}`;
  let more = '';
  for (const name in headers) more += `${name}: ${headers[name]}\r\n`;
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${more}X-Request-Id: ${requestId}\r\n` +
    `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` +
    `Date: ${date()}\r\n${kept}\r\n\r\n`
  );
}

/** The date as HTTP writes it, made once a second. */
function dateHeader(clock: Clock): () => string {
  let second = -1;
  let text = '';
  return () => {
    const now = Math.floor(clock.now() / 1_000);
    if (now !== second) [second, text] = [now, new Date(now * 1_000).toUTCString()];
    return text;
  };
}
