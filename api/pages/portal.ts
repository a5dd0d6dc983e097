import { join } from 'node:path';
import type { HttpApp } from '../../runtime/http/app.ts';
import { HttpError } from '../../runtime/http/errors.ts';
import { addReading } from '../../runtime/http/service-endpoints.ts';
import { openPortalLink } from '../../services/portal/open-portal-link.ts';
import type { SharedDependencies } from '../dependencies.ts';
import { addAssets, BUILT, sendPage } from './built-page.ts';

type Dependencies = Pick<SharedDependencies, 'postgres' | 'cipher' | 'clock'>;

/**
 * Serves the page of a customer's link (spec/portal#page) at the link and every path beneath but its data, which are added before. A link
 * that is over answers so by its status; the page says it in words. `built` is the folder of the build.
 */
export function addPortalPage(app: HttpApp, dependencies: Dependencies, built = join(BUILT, 'portal')): void {
  addAssets(app, '/portal', built);
  addReading(app, '/portal/:token/api/*', () => {
    throw new HttpError(404, 'There is nothing at this path.');
  });
  addReading(app, '/portal/:token/*', async (c) => {
    const link = await openPortalLink(dependencies, c.req.param('token') ?? '', dependencies.clock.now());
    return sendPage(c, built, link === 'expired' ? 410 : link ? 200 : 404);
  });
}
