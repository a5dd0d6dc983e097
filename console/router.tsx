import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { Failure } from './api/failure.ts';
import { sessionQuery } from './api/session.ts';
import { AppFrame } from './frame/app-frame.tsx';
import { LoginPage } from './frame/login-page.tsx';
import { FailedPage } from './pages/failed-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { type Address, parseSearch, stringifySearch } from './parts/address.ts';

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  validateSearch: (search: Record<string, unknown>) => search as Address,
});

const login = createRoute({ getParentRoute: () => root, path: '/login', component: LoginPage });

/** Around all pages that need a session: who has none logs in first, and comes back. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  component: AppFrame,
  errorComponent: FailedPage,
  beforeLoad: async ({ context, location }) => {
    await context.queries.ensureQueryData(sessionQuery).catch((error: unknown) => {
      if (!(error instanceof Failure && error.status === 401)) throw error;
      throw redirect({ to: '/login', search: { next: location.publicHref } });
    });
  },
});

const customers = () => import('./pages/customers/customers-page.tsx');
const invoices = () => import('./pages/invoices/invoices-page.tsx');

const inFrame = () => frame;
const pages = frame.addChildren([
  createRoute({
    getParentRoute: inFrame,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/customers' });
    },
  }),
  createRoute({
    getParentRoute: inFrame,
    path: '/customers',
    component: lazyRouteComponent(customers, 'CustomersPage'),
  }),
  createRoute({
    getParentRoute: inFrame,
    path: '/customers/$customerId',
    component: lazyRouteComponent(customers, 'CustomersPage'),
  }),
  createRoute({ getParentRoute: inFrame, path: '/invoices', component: lazyRouteComponent(invoices, 'InvoicesPage') }),
  createRoute({
    getParentRoute: inFrame,
    path: '/invoices/$invoiceId',
    component: lazyRouteComponent(invoices, 'InvoicesPage'),
  }),
]);

/** All pages by their paths; each is loaded when it is first shown. */
export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([login, pages]),
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
