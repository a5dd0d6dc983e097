import type { Log } from '../log.ts';
import type { Caller } from './api-key.ts';
import { NO_ROUTE, requestTally } from './request-tallies.ts';

/** A request that has been answered. `url`: as it was asked; `startedAt` by `performance.now()`. */
export type AnsweredRequest = {
  requestId: string;
  method: string;
  url: string;
  /** The pattern that its path matched, if any. */
  route?: string | undefined;
  status: number;
  startedAt: number;
  caller?: Caller | undefined;
  /** What went wrong on our side, if anything. */
  cause?: unknown;
};

/**
 * Counts a request, and writes one line about it, at `level`; failures of ours as warnings (503) and errors (500). It holds neither keys nor bodies nor
 * queries: an OAuth callback has its secrets there.
 */
export function logRequest(log: Log, level: 'info' | 'debug', request: AnsweredRequest): void {
  const tookMs = performance.now() - request.startedAt;
  requestTally({ route: request.route ?? NO_ROUTE, method: request.method, status: request.status }).add(tookMs);
  const at = request.status === 500 ? 'error' : request.cause === undefined ? level : 'warn';
  if (!log.isLevelEnabled(at)) return;
  const { requestId, method, url, status, caller, cause } = request;
  const line = {
    request_id: requestId,
    method,
    path: tellablePath(pathOf(url)),
    status,
    ms: Math.round(tookMs),
    ...(caller && { account_id: caller.accountId, key_id: caller.keyId }),
    ...(cause !== undefined && { err: cause }),
  };
  log[at](line, 'request');
}

/** The path of a request's target, which may also be a whole URL. */
function pathOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/]*/, '').replace(/[?#].*/s, '');
}

/** A path without the token of a portal link, which lets whoever reads it in: nothing that is kept of a request has it. */
export function tellablePath(path: string): string {
  const [root, first = '', token, ...rest] = path.split('/');
  if (token === undefined || !isPortal(first)) return path;
  return [root, first, '-', ...rest].join('/');
}

function isPortal(segment: string): boolean {
  try {
    return decodeURIComponent(segment).toLowerCase() === 'portal';
  } catch {
    return false;
  }
}
