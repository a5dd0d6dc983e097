import { assertOwnInvoice, assertOwnMetric } from '../../services/portal/own-records.ts';
import { draftExplainQuery, explainQuery } from '../../wire/line-explanations.ts';
import type { SharedDependencies } from '../dependencies.ts';
import type { Operation } from '../operation.ts';
import { listCredits } from '../routes/credits/list-credits.ts';
import { draftInvoice } from '../routes/customers/draft-invoice.ts';
import { explainDraftLine } from '../routes/customers/explain-draft-line.ts';
import { retrieveCreditBalance } from '../routes/customers/retrieve-credit-balance.ts';
import { retrieveCustomer } from '../routes/customers/retrieve-customer.ts';
import { explainLine } from '../routes/invoices/explain-line.ts';
import { listInvoices } from '../routes/invoices/list-invoices.ts';
import { retrieveInvoice } from '../routes/invoices/retrieve-invoice.ts';
import { retrieveInvoicePdf } from '../routes/invoices/retrieve-invoice-pdf.ts';
import { metricUsage } from '../routes/metrics/metric-usage.ts';
import { listSubscriptions } from '../routes/subscriptions/list-subscriptions.ts';
import { portalIssuer } from './portal-issuer.ts';

/** Whose link it is. */
type Owner = { accountId: string; customerId: string };
type Texts = Record<string, string>;

/** One thing that a link shows: what of the API it asks, for its own customer. */
export type PortalView = {
  /** Behind `/portal/<token>/api/`. */
  path: string;
  operation: Operation;
  /** The query parameters that it takes. */
  takes?: readonly string[];
  /** The ids and the query that the operation is asked with. */
  ask(owner: Owner, ids: Texts, query: Texts): { params: Texts; query: Texts };
  /** @throws DomainError `not_found` where what is asked for is somebody else's */
  assertOwn?(dependencies: SharedDependencies, owner: Owner, params: Texts): Promise<void>;
};

const PAGES = ['page', 'page_size', 'after'];

/** What stands in the path of the customer itself. */
const ofCustomer: PortalView['ask'] = ({ customerId }, _, query) => ({ params: { customer_id: customerId }, query });
/** A list that is filtered by the customer. */
const listed: PortalView['ask'] = ({ customerId }, _, query) => ({
  params: {},
  query: { ...query, customer_id: customerId },
});
const invoice: Pick<PortalView, 'ask' | 'assertOwn'> = {
  ask: (_, ids, query) => ({ params: ids, query }),
  assertOwn: (dependencies, owner, { invoice_id = '' }) => assertOwnInvoice(dependencies, owner, invoice_id),
};

/** All that a link shows (spec/portal#what-it-shows). */
export const PORTAL_VIEWS: readonly PortalView[] = [
  { path: 'issuer', operation: portalIssuer, ask: (_, params, query) => ({ params, query }) },
  { path: 'customer', operation: retrieveCustomer, ask: ofCustomer },
  { path: 'subscriptions', operation: listSubscriptions, takes: PAGES, ask: listed },
  { path: 'credits', operation: listCredits, takes: PAGES, ask: listed },
  { path: 'credit_balance', operation: retrieveCreditBalance, ask: ofCustomer },
  { path: 'draft_invoice', operation: draftInvoice, ask: ofCustomer },
  {
    path: 'draft_invoice/explain',
    operation: explainDraftLine,
    takes: Object.keys(draftExplainQuery.shape),
    ask: ofCustomer,
  },
  {
    path: 'usage',
    operation: metricUsage,
    takes: ['metric_id', 'start', 'end', 'granularity', 'group_by', 'limit'],
    ask: ({ customerId }, _, { metric_id = '', ...query }) => {
      return { params: { metric_id }, query: { ...query, customer_id: customerId } };
    },
    assertOwn: (dependencies, owner, { metric_id = '' }) => assertOwnMetric(dependencies, owner, metric_id),
  },
  { path: 'invoices', operation: listInvoices, takes: PAGES, ask: listed },
  { path: 'invoices/:invoice_id', operation: retrieveInvoice, ...invoice },
  { path: 'invoices/:invoice_id/pdf', operation: retrieveInvoicePdf, ...invoice },
  {
    path: 'invoices/:invoice_id/lines/:line_id/explain',
    operation: explainLine,
    takes: Object.keys(explainQuery.shape),
    ...invoice,
  },
];
