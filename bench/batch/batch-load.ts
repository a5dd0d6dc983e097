import { gzipSync } from 'node:zlib';

/** A body of events as lines: ids, and all else, as in `prepareRequests` (track-load.ts). */
export function linesOf(tag: string, from: number, count: number): Buffer {
  const lines = Array.from({ length: count }, (_, k) => {
    const i = from + k;
    const properties = {
      bytes: i + 0.25,
      tokens: i % 1_000,
      region: 'eu-west-1',
      model: `m${i % 5}`,
      cached: i % 2 === 0,
    };
    const event = { event_name: 'api_call', customer_id: `customer-${i % 1_000}`, idempotency_id: `${tag}-${i}` };
    return JSON.stringify({ ...event, time_created: '2026-11-20T10:00:00.123Z', properties });
  });
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** Where batches are sent to, and how many events each has. */
export type BatchTarget = { port: number; key: string; batchEvents: number; encoding?: 'gzip' };

/** Requests of batches with ids of their own, as they go over the wire. */
export function prepareBatches(
  tag: string,
  events: number,
  { port, key, batchEvents, encoding }: BatchTarget,
): Buffer[] {
  return Array.from({ length: Math.ceil(events / batchEvents) }, (_, n) => {
    const lines = linesOf(tag, n * batchEvents, Math.min(batchEvents, events - n * batchEvents));
    const body = encoding ? gzipSync(lines) : lines;
    const head = [
      'POST /api/events/batch HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${key}`,
      'Content-Type: application/x-ndjson',
      `Content-Length: ${body.length}`,
      ...(encoding ? [`Content-Encoding: ${encoding}`] : []),
    ];
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
  });
}
