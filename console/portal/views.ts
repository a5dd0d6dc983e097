import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { AnswerOf, Query, RecordOf } from '../api/client.ts';
import { parseExact } from '../api/exact.ts';
import { Failure, failureOf, unanswered } from '../api/failure.ts';
import type { Page } from '../api/queries.ts';

/** Where the link's pages stand: `/portal/<token>`. */
export const LINK = window.location.pathname.split('/').slice(0, 3).join('/');

/** How often what changes by itself is asked for again, in milliseconds: a link may ask 20 times a second, all its windows together. */
const LIVE_MS = 10_000;

/** The API's answer, without what the account keeps for itself. */
type Shown<T> = Omit<T, 'metadata' | 'test_clock_id'>;
/** The customer whose link it is; who pays instead of it stays untold. */
export type Customer = Omit<Shown<AnswerOf<'/api/customers/{customer_id}'>>, 'billed_to'> & {
  is_billed_to_another: boolean;
};
/** Who sends the invoices. */
type Issuer = { name: string };
export type Invoice = Shown<RecordOf<'/api/invoices'>>;
export type Credit = Shown<RecordOf<'/api/credits'>>;

/** What the link shows (spec/portal#what-it-shows), by the names of its paths. */
export const views = {
  issuer: () => view<Issuer>('issuer'),
  customer: () => live(view<Customer>('customer')),
  credits: (query: Query) => listView<Credit>('credits', query),
  creditBalance: () => live(view<AnswerOf<'/api/customers/{customer_id}/credit_balance'>>('credit_balance')),
  invoices: (query: Query) => listView<Invoice>('invoices', query),
  invoice: (id: string) => view<Invoice>(`invoices/${encodeURIComponent(id)}`),
  line: (invoiceId: string, lineId: string, query: Query) =>
    view<AnswerOf<'/api/invoices/{invoice_id}/lines/{line_id}/explain'>>(
      `invoices/${encodeURIComponent(invoiceId)}/lines/${encodeURIComponent(lineId)}/explain`,
      query,
    ),
  draft: () => live(view<AnswerOf<'/api/customers/{customer_id}/draft_invoice'>>('draft_invoice')),
  draftLine: (query: Query) =>
    view<AnswerOf<'/api/customers/{customer_id}/draft_invoice/explain'>>('draft_invoice/explain', query),
  usage: (query: Query) => view<AnswerOf<'/api/metrics/{metric_id}/usage'>>('usage', query),
};

/** What was asked for is not there, or not any more: so it is with everything of a link that is over. */
export function isOver(error: Error | null): boolean {
  return error instanceof Failure && (error.status === 404 || error.status === 410);
}

export function pdfOf(invoice: Invoice): string {
  return `${LINK}/api/invoices/${encodeURIComponent(String(invoice.invoice_id))}/pdf`;
}

function view<T>(path: string, query: Query = {}) {
  return queryOptions({ queryKey: [path, query], queryFn: () => read<T>(path, query) });
}

/** Asked for again and again, until it is not there any more. */
function live<T>(one: ReturnType<typeof view<T>>) {
  return queryOptions({ ...one, refetchInterval: ({ state }) => (isOver(state.error) ? false : LIVE_MS) });
}

/** A page of a list; the one before stays shown until the next is there. */
function listView<T>(path: string, query: Query) {
  return queryOptions({ ...view<Page<T>>(path, query), placeholderData: keepPreviousData });
}

/** @throws Failure for whatever is not a success */
async function read<T>(path: string, query: Query): Promise<T> {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const asked = given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
  const response = await fetch(`${LINK}/api/${asked}`).catch(() => {
    throw unanswered();
  });
  if (!response.ok) throw failureOf(response, await response.json().catch(() => undefined));
  return parseExact(await response.text()) as T;
}
