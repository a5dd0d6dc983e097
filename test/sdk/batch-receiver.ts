import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { DomainError } from '../../core/domain-error.ts';
import { WRONG } from '../../ingest/intake/event-input.ts';
import { parseTrackBody } from '../../ingest/parse-body.ts';
import { usageEventFromBody } from '../../ingest/usage-event-input.ts';
import type { Caller } from '../../runtime/http/api-key.ts';

/** A request as it came: its lines, and when. */
export type BatchRequest = { lines: string[]; key: string | undefined; at: number };
/** What is answered in place of the service's own answer; `lost`: the events are stored and the connection is cut. */
export type Instead =
  | 'lost'
  | 'hang'
  | { status: number; headers?: Record<string, string>; body?: string; isStored?: boolean };

/** `POST /api/events/batch` of an account in live mode, by the edge's own rules, in this process. */
export type BatchReceiver = {
  url: string;
  /** By idempotency id, how often it was stored. */
  stored: Map<string, number>;
  requests: BatchRequest[];
  /** Asked before each answer; undefined: the service's own. */
  instead: (request: BatchRequest) => Instead | undefined | Promise<Instead | undefined>;
  /** Stops listening, and cuts what is open; `start` listens on the same port again. */
  stop(): Promise<void>;
  start(): Promise<void>;
};

const CALLER: Caller = { keyId: 'k', accountId: 'a', mode: 'live', scopes: ['events:write'], rateLimit: null };

export async function startBatchReceiver(): Promise<BatchReceiver> {
  let port = 0;
  const server = createServer((request, response) => void answer(request, response));
  const service: BatchReceiver = {
    url: '',
    stored: new Map(),
    requests: [],
    instead: () => undefined,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
    start: async () => {
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      port = (server.address() as AddressInfo).port;
      service.url = `http://127.0.0.1:${port}`;
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse) {
    if (request.method !== 'POST' || request.url !== '/api/events/batch') return response.writeHead(404).end();
    const { 'content-type': type, 'content-encoding': encoding, 'x-api-key': key } = request.headers;
    if (type !== 'application/x-ndjson' || encoding !== 'gzip') return response.writeHead(415).end();
    const body = await buffer(request).catch(() => undefined);
    if (!body) return;
    const lines = gunzipSync(body)
      .toString()
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '');
    const seen = { lines, key: String(key), at: performance.now() };
    service.requests.push(seen);
    const instead = await service.instead(seen);
    if (instead === 'hang') return;
    if (typeof instead === 'object' && !instead.isStored) {
      return response.writeHead(instead.status, instead.headers).end(instead.body);
    }
    const stored = JSON.stringify(store(lines));
    if (instead === 'lost') return request.socket.destroy();
    if (instead) return response.writeHead(instead.status, instead.headers).end(instead.body);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(stored);
  }

  function store(lines: string[]) {
    // Its own clock, whatever the test does to that of the meter.
    const now = performance.timeOrigin + performance.now();
    const rejected = lines.flatMap((line, index) => {
      try {
        const { idempotencyId: id } = usageEventFromBody(parseTrackBody(line), CALLER, now);
        service.stored.set(id, (service.stored.get(id) ?? 0) + 1);
        return [];
      } catch (error) {
        const errors = error instanceof DomainError ? error.fields : { event: [WRONG.json] };
        return [{ index, idempotency_id: null, errors }];
      }
    });
    return { accepted: lines.length - rejected.length, rejected };
  }

  await service.start();
  return service;
}
