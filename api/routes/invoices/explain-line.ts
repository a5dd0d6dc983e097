import { explainLine as explain } from '../../../billing/invoices/explain-line.ts';
import { type Pause, pausedIntervals } from '../../../billing/periods/pauses.ts';
import { currencyOf } from '../../../core/currencies.ts';
import { notFound } from '../../../core/domain-error.ts';
import { findComponent, pricingOf } from '../../../services/invoices/recount-lines.ts';
import { listMetricEvents } from '../../../sql/clickhouse/metrics/metric-events.ts';
import { findMetric } from '../../../sql/postgres/catalog/metrics.ts';
import { findInvoice } from '../../../sql/postgres/invoices/invoices.ts';
import { findLineCounts } from '../../../sql/postgres/invoices/line-counts.ts';
import type { Transaction } from '../../../sql/postgres/postgres.ts';
import { listPauses } from '../../../sql/postgres/subscriptions/pauses.ts';
import {
  explainQuery,
  invoiceLinePath,
  type LineExplanation,
  lineExplanationToWire,
  lineExplanationWire,
} from '../../../wire/line-explanations.ts';
import { operation } from '../../operation.ts';

export const explainLine = operation({
  id: 'explainInvoiceLine',
  method: 'get',
  path: '/api/invoices/{invoice_id}/lines/{line_id}/explain',
  tag: 'Invoices',
  summary: 'How a line came about: its metric and window, the arithmetic step by step, and the events it counted',
  description:
    'The value of the last step is the amount of the line. Events are those that were counted when the invoice was made, in the order of their receipt; next leads on through them. Events of an erased customer are gone, the arithmetic stays.',
  scope: 'read',
  params: invoiceLinePath,
  query: explainQuery,
  success: 200,
  response: lineExplanationWire,
  run: async ({ caller: { accountId }, params, query, url, read }, { clickhouse }) => {
    const found = await read((tx) => loadExplanation(tx, accountId, params));
    const { invoice, line, metric, count } = found;
    if (metric === null || count === null || line.periodStart === null || line.periodEnd === null) {
      return lineExplanationToWire({ ...found, events: null }, url);
    }
    const { countedFrom, countedTo: upTo, timeZone } = count;
    const question = {
      accountId,
      customerId: invoice.customerId,
      metric,
      timeZone,
      start: line.periodStart,
      end: line.periodEnd,
      excluded: pausedIntervals(found.pauses, line.periodEnd),
      upTo,
      ...(countedFrom !== null && { above: countedFrom }),
    };
    // One more than asked for tells whether there is a next page.
    const events = await listMetricEvents(clickhouse, question, { after: query.cursor, limit: query.limit + 1 });
    const results = events.slice(0, query.limit);
    const next = events.length > query.limit ? (results.at(-1)?.place ?? null) : null;
    return lineExplanationToWire({ ...found, events: { results, next } }, url);
  },
});

/** @throws DomainError `not_found`: the line must be of that invoice. */
async function loadExplanation(
  tx: Transaction,
  accountId: string,
  params: { invoice_id: string; line_id: string },
): Promise<Omit<LineExplanation, 'events'> & { pauses: Pause[] }> {
  const invoice = await findInvoice(tx, accountId, params.invoice_id);
  if (!invoice) throw notFound(`invoice ${params.invoice_id}`);
  const line = invoice.lines.find(({ lineId }) => lineId === params.line_id);
  if (!line) throw notFound(`line ${params.line_id} of invoice ${params.invoice_id}`);
  const { metricId } = line;
  const component = await findComponent(tx, accountId, line);
  const metric = metricId === null ? null : ((await findMetric(tx, accountId, metricId)) ?? null);
  const count = (await findLineCounts(tx, accountId, [params.line_id])).get(params.line_id) ?? null;
  const steps = explain(line, pricingOf(line, component, count), currencyOf(invoice.currency).exponent);
  const pauses = line.subscriptionId === null ? [] : await listPauses(tx, accountId, line.subscriptionId);
  return { invoice, line, metric, component, count, steps, pauses };
}
