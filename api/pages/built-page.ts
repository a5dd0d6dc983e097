import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Context } from 'hono';
import type { HttpApp } from '../../runtime/http/app.ts';
import { HttpError } from '../../runtime/http/errors.ts';
import { addReading } from '../../runtime/http/service-endpoints.ts';

/** Where `npm ci` and `npm start` build our pages, each in a folder of its name. */
export const BUILT = join(import.meta.dirname, '../../console/dist');
/** Stands in the built page where each answer's nonce has to be. */
const NONCE_PLACE = /NONCE-OF-THIS-ANSWER/g;
const NONCE_BYTES = 16;
/** Seconds after which to look again for a page that is being built. */
const BUILD_SECONDS = '10';
const A_YEAR = 'public, max-age=31536000, immutable';

/** Serves the files that a page of ours loads, under `<path>/assets/`; `built` is the folder of its build. */
export function addAssets(app: HttpApp, path: string, built: string): void {
  const toFile = { rewriteRequestPath: (asked: string) => join(built, asked.slice(path.length)) };
  const files = serveStatic({ root: '', precompressed: true, ...toFile });
  addReading(app, `${path}/assets/*`, async (c) => {
    const answer = await files(c, async () => {});
    if (!answer) throw new HttpError(404, 'There is no such file. Load the page again.');
    // Its name changes with what it holds.
    answer.headers.set('Cache-Control', A_YEAR);
    answer.headers.set('X-Content-Type-Options', 'nosniff');
    return answer;
  });
}

/**
 * Answers with a page of ours (spec/service#console), which may only load what is ours; styles that its script makes carry this answer's
 * nonce. `built` is the folder of its build.
 * @throws HttpError 503 where it has not been built
 */
export async function sendPage(c: Context, built: string, status: 200 | 404 | 410 = 200): Promise<Response> {
  const page = await readPage(built);
  const nonce = newNonce();
  const headers = { ...pageHeaders(nonce), 'Cache-Control': 'no-store' };
  return c.html(page.replace(NONCE_PLACE, nonce), status, headers);
}

export function newNonce(): string {
  return randomBytes(NONCE_BYTES).toString('base64');
}

/** What every page of ours is sent with; its styles carry `nonce`. */
export function pageHeaders(nonce: string): Record<string, string> {
  return {
    'Content-Security-Policy': contentPolicy(nonce),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
}

/** A page that has not been built: it may be there soon. */
export function notBuilt(): HttpError {
  const detail = 'This page has not been built. Run npm run build where the service is installed.';
  return new HttpError(503, detail, { 'Retry-After': BUILD_SECONDS });
}

async function readPage(built: string): Promise<string> {
  try {
    return await readFile(join(built, 'index.html'), 'utf8');
  } catch {
    throw notBuilt();
  }
}

function contentPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
