import { type DraftPart, lineCountIn } from '../../billing/invoices/draft-parts.ts';
import { explainLine } from '../../billing/invoices/explain-line.ts';
import type { InvoiceLine, NewInvoiceLine } from '../../billing/invoices/invoice.ts';
import { pausedIntervals, resumedPauses } from '../../billing/periods/pauses.ts';
import { currencyOf } from '../../core/currencies.ts';
import { notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { listMetricEvents } from '../../sql/clickhouse/metrics/metric-events.ts';
import type { DraftExplainQuery, DraftLineExplanation } from '../../wire/line-explanations.ts';
import type { CustomerRef } from '../references.ts';
import { type Draft, loadDraft } from './load-draft.ts';
import type { InvoiceSources } from './load-invoice-inputs.ts';
import { overridesBehind, pricingOf } from './recount-lines.ts';

/**
 * How a line of a customer's draft comes about: as {@link explainLine} tells it of an issued one, by what has landed so far.
 * @throws DomainError `not_found` where the draft has no such line
 */
export async function explainDraftLine(
  sources: InvoiceSources,
  { accountId, customerId }: CustomerRef,
  query: DraftExplainQuery,
  now: Instant,
): Promise<DraftLineExplanation> {
  const draft = await loadDraft(sources, { accountId, customerId, now });
  const found = findLine(draft, query);
  if (!found) {
    const { type, metric_id: metricId, subscription_id: id } = query;
    throw notFound(`${type} line of ${metricId ? `metric ${metricId} and ` : ''}subscription ${id} in the draft`);
  }
  const { line, part } = found;
  const { customer, rules, at } = draft.snapshot;
  const { metricId, subscriptionId, periodStart: start, periodEnd: end } = line;
  const metric = metricId === null ? null : rules.metricOf(metricId);
  const { component = null, count = null } = lineCountIn(part, line) ?? {};
  const steps = explainLine(line, pricingOf(line, component, count), currencyOf(customer.currency).exponent);
  const plan =
    line.planId === null || line.version === null ? null : rules.planOf({ planId: line.planId, version: line.version });
  const overrides = overridesBehind(line, plan);
  const explained = { currency: customer.currency, line, metric, component, overrides, count, steps };
  if (metric === null || count === null || subscriptionId === null || start === null || end === null) {
    return { ...explained, events: null };
  }
  // Of one that is paused, as if it were resumed now: so it was counted.
  const pauses = resumedPauses(rules.pausesOf(subscriptionId), { at, on: draft.today });
  const question = {
    ...{ accountId, customerId, metric, timeZone: count.timeZone, start, end },
    excluded: pausedIntervals(pauses, end),
    combination: line.group ?? null,
    ...(count.countedFrom !== null && { above: count.countedFrom }),
  };
  const { cursor, limit } = query;
  const events = await listMetricEvents(sources.clickhouse, question, { after: cursor, limit: limit + 1 });
  const results = events.slice(0, limit);
  return { ...explained, events: { results, next: events.length > limit ? (results.at(-1)?.place ?? null) : null } };
}

/** The line that is meant, and the part of the draft that it is in: of several the one whose period starts last. */
function findLine(
  { parts, invoices }: Draft,
  { subscription_id, metric_id, type, period_start }: DraftExplainQuery,
): { line: InvoiceLine; part: DraftPart } | undefined {
  const isMeant = (line: NewInvoiceLine) =>
    line.subscriptionId === subscription_id &&
    line.metricId === (metric_id ?? null) &&
    line.type === type &&
    (period_start === undefined || line.periodStart === period_start);
  const found = [...invoices].flatMap(({ lines }, i) => {
    const part = parts[i];
    return part ? lines.filter(isMeant).map((line) => ({ line: { ...line, lineId: null }, part })) : [];
  });
  return found.toSorted((a, b) => Number(b.line.periodStart) - Number(a.line.periodStart))[0];
}
