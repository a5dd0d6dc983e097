import { explainLine as explain } from '../../billing/invoices/explain-line.ts';
import { type Pause, pausedIntervals } from '../../billing/periods/pauses.ts';
import { currencyOf } from '../../core/currencies.ts';
import { notFound } from '../../core/domain-error.ts';
import { listMetricEvents } from '../../sql/clickhouse/metrics/metric-events.ts';
import { findMetric } from '../../sql/postgres/catalog/metrics.ts';
import { findInvoiceLine } from '../../sql/postgres/invoices/invoice-parts.ts';
import { findInvoice } from '../../sql/postgres/invoices/invoices.ts';
import { findLineCounts } from '../../sql/postgres/invoices/line-counts.ts';
import { inReading, type Transaction } from '../../sql/postgres/postgres.ts';
import { listPauses } from '../../sql/postgres/subscriptions/pauses.ts';
import type { ExplainQuery, LineExplanation } from '../../wire/line-explanations.ts';
import type { UsageReader } from '../dependencies.ts';
import type { InvoiceLineRef } from '../references.ts';
import { findPlanOfLine, overridesBehind, priceOfLine, pricingOf } from './recount-lines.ts';

/**
 * How a line of an invoice came about: its arithmetic, and a page of the events that it counted, in the order of their receipt.
 * @throws DomainError `not_found`
 */
export async function explainLine(
  { postgres, clickhouse }: UsageReader,
  of: InvoiceLineRef,
  { cursor, limit }: ExplainQuery,
): Promise<LineExplanation> {
  const { accountId } = of;
  const found = await inReading(postgres, accountId, (tx) => loadExplanation(tx, of));
  const { invoice, line, metric, count } = found;
  if (metric === null || count === null || line.periodStart === null || line.periodEnd === null) {
    return { ...found, events: null };
  }
  if (found.isUnused) return { ...found, events: { results: [], next: null } };
  const { countedFrom, countedTo: upTo, timeZone } = count;
  const question = {
    accountId,
    customerId: line.customerId ?? invoice.customerId,
    metric,
    timeZone,
    start: line.periodStart,
    end: line.periodEnd,
    excluded: pausedIntervals(found.pauses, line.periodEnd),
    combination: line.group ?? null,
    upTo,
    ...(countedFrom !== null && { above: countedFrom }),
  };
  // One more than asked for tells whether there is a next page.
  const events = await listMetricEvents(clickhouse, question, { after: cursor, limit: limit + 1 });
  const results = events.slice(0, limit);
  const next = events.length > limit ? (results.at(-1)?.place ?? null) : null;
  return { ...found, events: { results, next } };
}

/** @throws DomainError `not_found`: the line must be of that invoice. */
async function loadExplanation(
  tx: Transaction,
  { accountId, invoiceId, lineId }: InvoiceLineRef,
): Promise<Omit<LineExplanation, 'events'> & { pauses: Pause[]; isUnused: boolean }> {
  const invoice = await findInvoice(tx, accountId, invoiceId);
  if (!invoice) throw notFound(`invoice ${invoiceId}`);
  const line = await findInvoiceLine(tx, accountId, invoice.invoiceId, lineId);
  if (!line) throw notFound(`line ${lineId} of invoice ${invoiceId}`);
  const { metricId } = line;
  const plan = await findPlanOfLine(tx, accountId, line);
  const { component, price, isUnused } = priceOfLine(line, plan);
  const metric = metricId === null ? null : ((await findMetric(tx, accountId, metricId)) ?? null);
  const count = (await findLineCounts(tx, accountId, [lineId])).get(lineId) ?? null;
  const steps = explain(line, pricingOf(line, component, count), currencyOf(invoice.currency).exponent);
  const pauses = line.subscriptionId === null ? [] : await listPauses(tx, accountId, line.subscriptionId);
  const overrides = overridesBehind(line, plan);
  return { invoice, line, metric, component, price, isUnused, overrides, count, steps, pauses };
}
