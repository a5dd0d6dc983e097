import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { parseSearch, stringifySearch } from './parts/address.ts';
import { routes } from './routes.tsx';

/** The console's addresses, all beneath `/console`. */
export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: routes,
    basepath: '/console',
    context: { queries },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
