import { createRouter, RouterProvider } from '@tanstack/react-router';
import { createQueries, showPage } from '../frame/show-page.tsx';
import { parseSearch, stringifySearch } from '../parts/address.ts';
import { LinkOver } from './link-over.tsx';
import { NothingHere, routes } from './routes.tsx';
import { isOver, LINK, views } from './views.ts';

const router = createRouter({
  routeTree: routes,
  basepath: LINK,
  parseSearch,
  stringifySearch,
  defaultNotFoundComponent: NothingHere,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/** Shows what the link in the address leads to. */
export function startPortal(): void {
  const { queryKey: customer } = views.customer();
  // Whether the link is over, its customer says: for one that was withdrawn all else is as for what is not there.
  const queries = createQueries((error, key) => {
    if (isOver(error) && key[0] !== customer[0]) void queries.invalidateQueries({ queryKey: customer });
  });
  showPage(
    queries,
    <LinkOver>
      <RouterProvider router={router} />
    </LinkOver>,
  );
}
