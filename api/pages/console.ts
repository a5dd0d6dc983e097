import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Context } from 'hono';
import type { HttpApp } from '../../runtime/http/app.ts';
import { HttpError } from '../../runtime/http/errors.ts';
import { addReading } from '../../runtime/http/service-endpoints.ts';

/** Where `npm ci` and `npm start` build the console. */
const BUILT = join(import.meta.dirname, '../../console/dist');
/** Stands in the built page where each answer's nonce has to be. */
const NONCE_PLACE = /NONCE-OF-THIS-ANSWER/g;
const NONCE_BYTES = 16;
/** Seconds after which to look again for a console that is being built. */
const BUILD_SECONDS = '10';
const A_YEAR = 'public, max-age=31536000, immutable';

/**
 * Serves the console (spec/service#console): its page at `/console` and every path beneath, which the page itself tells apart; its
 * files; and the way there from `/`, for a browser. `built` is the folder of the build.
 */
export function addConsole(app: HttpApp, built = BUILT): void {
  addReading(app, '/', (c) => {
    if (!c.req.header('accept')?.includes('text/html')) throw new HttpError(404, 'There is nothing at this path.');
    return c.redirect('/console', 302);
  });
  const toFile = { rewriteRequestPath: (path: string) => join(built, path.replace('/console', '')) };
  const files = serveStatic({ root: '', precompressed: true, ...toFile });
  addReading(app, '/console/assets/*', async (c) => {
    const answer = await files(c, async () => {});
    if (!answer) throw new HttpError(404, 'There is no such file of the console. Load the page again.');
    // Its name changes with what it holds.
    answer.headers.set('Cache-Control', A_YEAR);
    answer.headers.set('X-Content-Type-Options', 'nosniff');
    return answer;
  });
  addReading(app, '/console/*', async (c) => sendPage(c, await readPage(built)));
}

async function readPage(built: string): Promise<string> {
  try {
    return await readFile(join(built, 'index.html'), 'utf8');
  } catch {
    const detail = 'The console has not been built. Run npm run build-console where the service is installed.';
    throw new HttpError(503, detail, { 'Retry-After': BUILD_SECONDS });
  }
}

/** Answers with a page that may only load what is ours; styles that its script makes carry this answer's nonce. */
function sendPage(c: Context, page: string): Response {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  return c.html(page.replace(NONCE_PLACE, nonce), 200, {
    'Content-Security-Policy': contentPolicy(nonce),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  });
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
