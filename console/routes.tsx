import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, lazyRouteComponent as page, redirect } from '@tanstack/react-router';
import { Failure } from './api/failure.ts';
import { sessionQuery } from './api/session.ts';
import { AppFrame } from './frame/app-frame.tsx';
import { LoginPage } from './frame/login-page.tsx';
import { FailedPage } from './pages/failed-page.tsx';
import type { Address } from './parts/address.ts';

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

// Pages of one noun are one file for the browser, loaded when the first of them is shown.
const overview = () => import('./pages/overview/overview-page.tsx');
const customers = () => import('./pages/customers/customers-page.tsx');
const customer = () => import('./pages/customers/customer-page.tsx');
const customerSummary = () => import('./pages/customers/customer-summary.tsx');
const customerLists = () => import('./pages/customers/customer-lists.tsx');
const draftLine = () => import('./pages/customers/draft-line-page.tsx');
const customerCharts = () => import('./pages/customers/customer-charts.tsx');
const subscriptions = () => import('./pages/subscriptions/subscriptions-page.tsx');
const subscription = () => import('./pages/subscriptions/subscription-page.tsx');
const invoices = () => import('./pages/invoices/invoices-page.tsx');
const invoice = () => import('./pages/invoices/invoice-page.tsx');
const line = () => import('./pages/invoices/line-page.tsx');
const credit = () => import('./pages/credits/credit-page.tsx');
const refund = () => import('./pages/credits/refund-page.tsx');
const plans = () => import('./pages/plans/plans-page.tsx');
const newPlan = () => import('./pages/plans/new-plan-page.tsx');
const heldUsage = () => import('./pages/held-usage/held-usage-page.tsx');
const addons = () => import('./pages/addons/addons-page.tsx');
const coupons = () => import('./pages/coupons/coupons-page.tsx');
const metrics = () => import('./pages/metrics/metrics-page.tsx');
const newMetric = () => import('./pages/metrics/new-metric-page.tsx');
const events = () => import('./pages/events/events-page.tsx');
const event = () => import('./pages/events/event-page.tsx');
const webhooks = () => import('./pages/webhooks/webhooks-page.tsx');
const webhook = () => import('./pages/webhooks/webhook-page.tsx');
const delivery = () => import('./pages/webhooks/delivery-page.tsx');
const audit = () => import('./pages/audit-log/audit-log-page.tsx');
const clocks = () => import('./pages/test-clocks/test-clocks-page.tsx');
const settings = () => import('./pages/settings/settings-page.tsx');

const inFrame = { getParentRoute: () => frame };

const ofCustomer = createRoute({
  ...inFrame,
  path: '/customers/$customerId',
  component: page(customer, 'CustomerPage'),
});
const inCustomer = { getParentRoute: () => ofCustomer };
const customerPages = ofCustomer.addChildren([
  createRoute({ ...inCustomer, path: '/', component: page(customerSummary, 'CustomerSummary') }),
  createRoute({ ...inCustomer, path: '/usage', component: page(customerCharts, 'CustomerUsage') }),
  createRoute({ ...inCustomer, path: '/invoices', component: page(customerLists, 'CustomerInvoices') }),
  createRoute({ ...inCustomer, path: '/credits', component: page(customerLists, 'CustomerCredits') }),
  createRoute({ ...inCustomer, path: '/events', component: page(customerLists, 'CustomerEvents') }),
  createRoute({ ...inCustomer, path: '/access', component: page(customerLists, 'CustomerAccess') }),
  createRoute({ ...inCustomer, path: '/costs', component: page(customerCharts, 'CustomerCosts') }),
  createRoute({ ...inCustomer, path: '/ledger', component: page(customerLists, 'CustomerLedger') }),
  createRoute({ ...inCustomer, path: '/activity', component: page(audit, 'CustomerActivity') }),
]);

const pages = frame.addChildren([
  createRoute({ ...inFrame, path: '/', component: page(overview, 'OverviewPage') }),
  createRoute({ ...inFrame, path: '/customers', component: page(customers, 'CustomersPage') }),
  customerPages,
  createRoute({
    ...inFrame,
    path: '/customers/$customerId/upcoming-invoice',
    component: page(draftLine, 'DraftLinePage'),
  }),
  createRoute({ ...inFrame, path: '/subscriptions', component: page(subscriptions, 'SubscriptionsPage') }),
  createRoute({
    ...inFrame,
    path: '/subscriptions/$subscriptionId',
    component: page(subscription, 'SubscriptionPage'),
  }),
  createRoute({ ...inFrame, path: '/invoices', component: page(invoices, 'InvoicesPage') }),
  createRoute({ ...inFrame, path: '/invoices/$invoiceId', component: page(invoice, 'InvoicePage') }),
  createRoute({ ...inFrame, path: '/invoices/$invoiceId/lines/$lineId', component: page(line, 'LinePage') }),
  createRoute({ ...inFrame, path: '/credits/$creditId', component: page(credit, 'CreditPage') }),
  createRoute({ ...inFrame, path: '/refunds/$refundId', component: page(refund, 'RefundPage') }),
  createRoute({ ...inFrame, path: '/plans', component: page(plans, 'PlansPage') }),
  createRoute({ ...inFrame, path: '/plans/new', component: page(newPlan, 'NewPlanPage') }),
  createRoute({ ...inFrame, path: '/plans/$planId', component: page(plans, 'PlanPage') }),
  createRoute({ ...inFrame, path: '/held-usage', component: page(heldUsage, 'HeldUsagePage') }),
  createRoute({ ...inFrame, path: '/addons', component: page(addons, 'AddonsPage') }),
  createRoute({ ...inFrame, path: '/addons/$addonId', component: page(addons, 'AddonPage') }),
  createRoute({ ...inFrame, path: '/coupons', component: page(coupons, 'CouponsPage') }),
  createRoute({ ...inFrame, path: '/coupons/$couponId', component: page(coupons, 'CouponPage') }),
  createRoute({ ...inFrame, path: '/metrics', component: page(metrics, 'MetricsPage') }),
  createRoute({ ...inFrame, path: '/metrics/new', component: page(newMetric, 'NewMetricPage') }),
  createRoute({ ...inFrame, path: '/metrics/$metricId', component: page(metrics, 'MetricPage') }),
  createRoute({ ...inFrame, path: '/events', component: page(events, 'EventsPage') }),
  createRoute({ ...inFrame, path: '/events/$eventId', component: page(event, 'EventPage') }),
  createRoute({ ...inFrame, path: '/webhooks', component: page(webhooks, 'WebhooksPage') }),
  createRoute({ ...inFrame, path: '/webhooks/$endpointId', component: page(webhook, 'WebhookPage') }),
  createRoute({
    ...inFrame,
    path: '/webhooks/$endpointId/deliveries/$deliveryId',
    component: page(delivery, 'DeliveryPage'),
  }),
  createRoute({ ...inFrame, path: '/audit-log', component: page(audit, 'AuditLogPage') }),
  createRoute({ ...inFrame, path: '/audit-log/$auditId', component: page(audit, 'AuditEntryPage') }),
  createRoute({ ...inFrame, path: '/test-clocks', component: page(clocks, 'TestClocksPage') }),
  createRoute({ ...inFrame, path: '/test-clocks/$testClockId', component: page(clocks, 'TestClockPage') }),
  createRoute({ ...inFrame, path: '/settings', component: page(settings, 'SettingsPage') }),
  createRoute({ ...inFrame, path: '/settings/api-keys', component: page(settings, 'ApiKeysPage') }),
  createRoute({ ...inFrame, path: '/settings/payment-providers', component: page(settings, 'PaymentProvidersPage') }),
]);

/** Every page by its path; each is loaded when it is first shown. */
export const routes = root.addChildren([login, pages]);
