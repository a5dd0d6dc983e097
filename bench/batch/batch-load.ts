import { gzipSync } from 'node:zlib';
import { loadEvent } from '../track-load.ts';

/** A body of events as lines. */
function linesOf(tag: string, from: number, count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, (_, k) => `${loadEvent(tag, from + k)}\n`).join(''));
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
