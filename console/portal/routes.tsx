import { createRootRoute, createRoute, lazyRouteComponent as page } from '@tanstack/react-router';
import { PageHead } from '../parts/page-head.tsx';
import { PortalFrame } from './portal-frame.tsx';
import { SummaryPage } from './summary-page.tsx';

const root = createRootRoute({
  component: PortalFrame,
  validateSearch: (search: Record<string, unknown>) => search as Record<string, string>,
});
const invoice = () => import('./invoice-page.tsx');
const lines = () => import('./line-pages.tsx');

/** The pages of a link, beneath its own address. */
export const routes = root.addChildren([
  createRoute({ getParentRoute: () => root, path: '/', component: SummaryPage }),
  createRoute({ getParentRoute: () => root, path: '/upcoming-invoice', component: page(lines, 'DraftLinePage') }),
  createRoute({ getParentRoute: () => root, path: '/invoices/$invoiceId', component: page(invoice, 'InvoicePage') }),
  createRoute({
    getParentRoute: () => root,
    path: '/invoices/$invoiceId/lines/$lineId',
    component: page(lines, 'LinePage'),
  }),
]);

export function NothingHere() {
  return <PageHead title="Not found" />;
}
