import { EVIL_NAME, type ShownRecords } from './shown-records.ts';

/** Every list, by its path and heading. */
export const LISTS: readonly [path: string, heading: string][] = [
  ['/', 'Overview'],
  ['/customers', 'Customers'],
  ['/subscriptions', 'Subscriptions'],
  ['/invoices', 'Invoices'],
  ['/plans', 'Plans'],
  ['/held-usage', 'Held usage'],
  ['/addons', 'Add-ons'],
  ['/coupons', 'Coupons'],
  ['/metrics', 'Metrics'],
  ['/events', 'Events'],
  ['/webhooks', 'Webhooks'],
  ['/test-clocks', 'Test clocks'],
  ['/audit-log', 'Audit log'],
  ['/settings', 'Settings'],
  ['/settings/api-keys', 'API keys'],
  ['/settings/payment-providers', 'Payment providers'],
];

/** Every page of a record, by its path and heading. */
export function recordPages(ids: ShownRecords): [path: string, heading: string][] {
  const tabs = ['', '/usage', '/invoices', '/credits', '/events', '/access', '/costs', '/ledger', '/activity'];
  return [
    ...tabs.map((tab): [string, string] => [`/customers/${ids.customer}${tab}`, EVIL_NAME]),
    [`/subscriptions/${ids.subscription}`, ids.subscription],
    [`/invoices/${ids.invoice}`, 'INV-000001'],
    [`/invoices/INV-000001/lines/${ids.line}`, 'Pro: recurring fee'],
    [`/credits/${ids.credit}`, ids.credit],
    [`/refunds/${ids.refund}`, ids.refund],
    [`/plans/${ids.plan}`, 'Pro'],
    [`/plans/${ids.bookPlan}`, 'Models'],
    [`/customers/${ids.bookCustomer}`, 'Globex'],
    [`/subscriptions/${ids.phased}`, ids.phased],
    [`/events/${ids.heldEvent}`, ids.heldEvent],
    [`/addons/${ids.addon}`, 'Support'],
    [`/coupons/${ids.coupon}`, 'Launch offer'],
    [`/metrics/${ids.metric}`, 'Tokens'],
    [`/events/${ids.event}`, ids.event],
    [`/webhooks/${ids.endpoint}`, 'https://receiver.example/hooks'],
    [`/webhooks/${ids.endpoint}/deliveries/${ids.delivery}`, ids.delivery],
    [`/audit-log/${ids.auditEntry}`, 'customer.created'],
    ['/plans/new', 'New plan'],
    ['/metrics/new', 'New metric'],
    [`/test-clocks/${ids.clock}`, 'Spring'],
    ['/customers/nobody', 'Not found'],
    ['/nowhere', 'Not found'],
  ];
}
