import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Context } from 'hono';
import type { HttpApp } from '../../runtime/http/app.ts';
import { addReading } from '../../runtime/http/service-endpoints.ts';
import { publicUrl } from '../public-url.ts';
import { addAssets, newNonce, notBuilt, pageHeaders } from './built-page.ts';

/** Where `npm ci` and `npm start` build the pages. */
const BUILT = join(import.meta.dirname, '../../docs/site/dist');
/** Stands in the guide's commands where the address has to be by which the reader reached the service. */
const ADDRESS_PLACE = 'ADDRESS-OF-THIS-ANSWER';
const HTML = 'text/html; charset=utf-8';
/** `/docs/quickstart`, `/docs/api/plans`. */
const PAGE = /^\/docs\/((?:api\/)?[a-z0-9-]+)\/?$/;

/** Serves the documentation (spec/service#documents): its pages at `/docs` and beneath, and their files. `built` is the folder of the build. */
export function addDocs(app: HttpApp, built = BUILT): void {
  addAssets(app, '/docs', built);
  addReading(app, '/docs/*', async (c) => {
    const name = nameOf(c.req.path);
    const page = name && (await compressedPage(c, join(built, `${name}.html`)));
    if (page) return sendPage(c, page, 200);
    return sendPage(c, new Response(await missingPage(built), { headers: { 'Content-Type': HTML } }), 404);
  });
}

/** The file of a page, without its ending; undefined for what is the path of none. */
function nameOf(path: string): string | undefined {
  return path === '/docs' || path === '/docs/' ? 'index' : PAGE.exec(path)?.[1];
}

/** A built page, compressed as the reader takes it; undefined where there is none. */
async function compressedPage(c: Context, file: string): Promise<Response | undefined> {
  const answer = await serveStatic({ root: '', precompressed: true, rewriteRequestPath: () => file })(
    c,
    async () => {},
  );
  return answer ?? undefined;
}

async function missingPage(built: string): Promise<string> {
  return readFile(join(built, 'not-found.html'), 'utf8').catch(() => {
    throw notBuilt();
  });
}

async function sendPage(c: Context, page: Response, status: 200 | 404): Promise<Response> {
  const headers = { ...pageHeaders(newNonce()), 'Cache-Control': 'no-cache' };
  for (const [name, value] of Object.entries(headers)) page.headers.set(name, value);
  if (page.headers.has('Content-Encoding')) return new Response(page.body, { status, headers: page.headers });
  // What names the reader's address is not compressed ahead.
  page.headers.delete('Content-Length');
  const text = (await page.text()).replaceAll(ADDRESS_PLACE, publicUrl(c).origin);
  return new Response(text, { status, headers: page.headers });
}
