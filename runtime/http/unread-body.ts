import type { IncomingMessage } from 'node:http';

/** Far above every limit of ours: who sends more than this after all is cut off. */
const MAX_DROPPED_BYTES = 64 << 20;
const MAX_WAIT_MS = 5_000;

/**
 * Reads and drops what is left of a request's body, before an answer that did not need it goes out. Whoever is still
 * sending (a client, the gateway) would otherwise meet a closed connection instead of the answer.
 */
export function dropUnreadBody(incoming: IncomingMessage | undefined): Promise<void> | undefined {
  if (!incoming || incoming.readableEnded || incoming.destroyed) return undefined;
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = incoming.headers;
  if (length === '0' && encoding === undefined) return undefined;
  return new Promise((resolve) => {
    let dropped = 0;
    const onData = (chunk: Buffer) => {
      dropped += chunk.length;
      if (dropped > MAX_DROPPED_BYTES) done();
    };
    const done = () => {
      clearTimeout(timer);
      incoming.off('data', onData).off('end', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(done, MAX_WAIT_MS);
    incoming.on('data', onData).once('end', done).once('close', done).resume();
  });
}
