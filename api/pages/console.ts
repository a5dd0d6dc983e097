import { join } from 'node:path';
import type { HttpApp } from '../../runtime/http/app.ts';
import { HttpError } from '../../runtime/http/errors.ts';
import { addReading } from '../../runtime/http/service-endpoints.ts';
import { addAssets, BUILT, sendPage } from './built-page.ts';

/**
 * Serves the console (spec/service#console): its page at `/console` and every path beneath, which the page itself tells apart; its
 * files; and the way there from `/`, for a browser. `built` is the folder of the build.
 */
export function addConsole(app: HttpApp, built = join(BUILT, 'console')): void {
  addReading(app, '/', (c) => {
    if (!c.req.header('accept')?.includes('text/html')) throw new HttpError(404, 'There is nothing at this path.');
    return c.redirect('/console', 302);
  });
  addAssets(app, '/console', built);
  addReading(app, '/console/*', (c) => sendPage(c, built));
}
