import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { newId } from '../ids.ts';
import type { Log } from '../log.ts';

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

/** What Node's parser says of a request that never becomes one, as the caller is told. */
const ANSWERS: Record<string, [number, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too large.'],
};

/** Answers what Node cannot parse, or what arrives too slowly, in the shape of every other error, and closes. */
export function answerBrokenRequests(server: Server, log: Log): void {
  server.on('clientError', (error: Error & { code?: string }, socket: Duplex) => {
    const underWay = (socket as { _httpMessage?: ServerResponse })._httpMessage;
    // Bytes of another answer must not be followed by ours.
    if (!socket.writable || underWay?.headersSent || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const [status, detail] = ANSWERS[error.code ?? ''] ?? [400, 'This is not a valid HTTP request.'];
    const requestId = newId('req');
    // A request whose body breaks off has a handler, which writes its line.
    if (!underWay) log.info({ request_id: requestId, status, reason: error.code }, 'request');
    const body = JSON.stringify({ detail, request_id: requestId });
    const head = [
      `HTTP/1.1 ${status} ${REASONS[status]}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  });
}
