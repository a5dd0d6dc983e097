import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { tunnelAgent } from './proxy.ts';
import { hasPrivateHost, PrivateAddress, publicLookup } from './public-address.ts';

/** From the beginning to the receiver's status line and headers (spec/webhooks#delivery). */
const WEBHOOK_DEADLINE_MS = 15_000;

/** What is read of an answer's body, so that an ordinary receiver sees its answer taken; the rest is cut off. */
const BODY_BYTES = 64 * 1_024;
/** For as long. The attempt is over before: its status has decided it. */
const BODY_MS = 1_000;

export type PostOptions = {
  /** Private addresses too: for development. */
  allowPrivate: boolean;
  /** Gives the sending up. */
  signal: AbortSignal;
  deadlineMs?: number;
  lookup?: LookupFunction;
  /** Where all connections go through (spec/webhooks#proxy). */
  proxy?: URL | undefined;
};

/** The receiver's status, or why there is none. `aborted`: the signal gave it up. */
export type PostOutcome = { statusCode: number } | { error: string } | 'aborted';

/**
 * Posts a body once, over a connection of its own. Never follows a redirect, never connects to a private address unless it
 * may, and ends by the deadline whatever the other side does: hangs, drips, or answers without end.
 */
export function postWebhook(
  url: URL,
  body: string,
  headers: Record<string, string>,
  { allowPrivate, signal, deadlineMs = WEBHOOK_DEADLINE_MS, lookup = publicLookup(), proxy }: PostOptions,
): Promise<PostOutcome> {
  if (!allowPrivate && hasPrivateHost(url)) return Promise.resolve({ error: new PrivateAddress().message });
  const { promise, resolve } = Promise.withResolvers<PostOutcome>();
  const client = url.protocol === 'https:' ? https : http;
  const deadline = AbortSignal.timeout(deadlineMs);
  const ended = AbortSignal.any([signal, deadline]);
  const checked = allowPrivate ? {} : { lookup };
  const request = client.request(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    agent: proxy ? tunnelAgent(url.protocol, { proxy, signal: ended, ...checked }) : false,
    signal: ended,
    ...checked,
  });
  request.on('response', (response) => {
    drain(response);
    resolve({ statusCode: response.statusCode ?? 0 });
  });
  request.on('error', (error: NodeJS.ErrnoException) => {
    if (deadline.aborted) resolve({ error: `No answer within ${deadlineMs / 1_000} s.` });
    else resolve(signal.aborted ? 'aborted' : { error: describe(error) });
  });
  request.on('close', () => resolve({ error: 'The connection was closed without an answer.' }));
  request.end(body);
  return promise;
}

/** Reads a little of the body, then lets the connection go. */
function drain(response: http.IncomingMessage): void {
  let bytes = 0;
  const timer = setTimeout(() => response.destroy(), BODY_MS);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > BODY_BYTES) response.destroy();
  });
  response.on('error', () => {});
  response.on('close', () => clearTimeout(timer));
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was broken off.',
  EPIPE: 'The connection was broken off.',
  ENOTFOUND: 'The host name does not exist.',
  ENODATA: 'The host name has no address.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ETIMEDOUT: 'The host cannot be reached.',
  EPROXYREFUSED: 'The host cannot be reached.',
  HPE_HEADER_OVERFLOW: "The answer's headers are too large.",
};

/** Why there was no answer, without saying anything of our own network. */
function describe(error: NodeJS.ErrnoException): string {
  if (error instanceof PrivateAddress) return error.message;
  const code = error.code ?? '';
  const isOfName = /^(query|getaddrinfo)/.test(error.syscall ?? '');
  if (isOfName && !/^ENO(TFOUND|DATA)$/.test(code)) return 'The host name could not be resolved.';
  const known = REASONS[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'The answer is not HTTP.';
  return /CERT|TLS|SSL|SELF_SIGNED|LEAF/.test(code) ? `TLS failed: ${code}.` : 'The request failed.';
}
