import { expect } from 'vitest';
import { newId } from '../../core/ids.ts';
import { type Answer, type Api, itemsOf, type Json } from './api.ts';

/** Bills as tests write them down: money as its digits, one row per line. */

/** `type amount`, with the quantity where the line has a metric, and the day on which its period starts. */
export function rowsOf(invoice: Json | undefined): string[] {
  return linesOf(invoice).map((line) => {
    const quantity = line.metric_id === null ? '' : ` x${line.quantity}`;
    const from = line.period_start === null ? '' : ` from ${String(line.period_start).slice(0, 10)}`;
    return `${line.type}${quantity} ${line.amount}${from}`;
  });
}

export function linesOf(invoice: Json | undefined): Json[] {
  return invoice ? itemsOf(invoice.lines) : [];
}

/** All lines of an invoice of which an answer leaves them out, since there are more than 100; numbers as their digits. */
export async function allLines(api: Api, invoiceId: string): Promise<Json[]> {
  const lines: Json[] = [];
  let path: string | null = `/api/invoices/${invoiceId}/lines?page_size=200`;
  while (path !== null) {
    const page: Answer = await api.get(path);
    expect(page.status, page.text).toBe(200);
    lines.push(...itemsOf(page.exact.results));
    path = page.body.next ? String(page.body.next) : null;
  }
  return lines;
}

/** The draft invoice of a customer, numbers as their digits. */
export async function draftOf(api: Api, customerId: string): Promise<Json> {
  const draft = await api.get(`/api/customers/${customerId}/draft_invoice/`);
  expect(draft.status, draft.text).toBe(200);
  return draft.exact;
}

/** The lines and sums of an invoice or of a draft, without what only an issued one has. */
export function billOf(invoice: Json | undefined) {
  const { kind, period_start, period_end, subtotal, tax_amount, total, credits_applied } = invoice ?? {};
  const lines = linesOf(invoice).map(({ line_id: _id, reversed_amount: _reversed, ...line }) => line);
  return { kind, period_start, period_end, lines, subtotal, tax_amount, total, credits_applied };
}

/** Tracks `count` events called `call` at one instant, many at once. */
export async function trackCalls(api: Api, customer_id: string, time_created: string, count: number, properties = {}) {
  const sent = Array.from({ length: count }, () => {
    const event = { event_name: 'call', customer_id, idempotency_id: newId('req'), time_created, properties };
    return api.post('/api/track', event);
  });
  for (const answer of await Promise.all(sent)) expect(answer.status).toBe(200);
}
