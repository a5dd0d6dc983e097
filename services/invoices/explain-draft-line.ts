import { type DraftPart, lineCountIn } from '../../billing/invoices/draft-parts.ts';
import { explainLine } from '../../billing/invoices/explain-line.ts';
import type { InvoiceLine, NewInvoiceLine } from '../../billing/invoices/invoice.ts';
import { pausedIntervals } from '../../billing/periods/pauses.ts';
import type { PropertyTexts } from '../../billing/pricing/price-book.ts';
import { metricOf, planOf } from '../../billing/state/billing-rules.ts';
import { draftedPauses } from '../../billing/subscriptions/end-of-pause.ts';
import { currencyOf } from '../../core/currencies.ts';
import { invalid, notFound } from '../../core/domain-error.ts';
import { isFields } from '../../core/fields.ts';
import type { Instant } from '../../core/instants.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import { listMetricEvents } from '../../sql/clickhouse/metrics/metric-events.ts';
import { loadCustomer } from '../../sql/postgres/customers/customers.ts';
import { inReading, type Transaction } from '../../sql/postgres/postgres.ts';
import { findSubscription } from '../../sql/postgres/subscriptions/subscriptions.ts';
import type { DraftExplainQuery, DraftLineExplanation } from '../../wire/line-explanations.ts';
import type { CustomerRef } from '../references.ts';
import { type Draft, loadDraft } from './load-draft.ts';
import type { InvoiceSources } from './load-invoice-inputs.ts';
import { overridesBehind, priceOfLine, pricingOf } from './recount-lines.ts';

/**
 * How a line of a customer's draft comes about: as {@link explainLine} tells it of an issued one, by what has landed so far. Who pays for
 * another is told of that one's lines, too.
 * @throws DomainError `not_found` where the draft has no such line, `invalid` for a group that is none, and where several lines are meant
 */
export async function explainDraftLine(
  sources: InvoiceSources,
  asked: CustomerRef,
  query: DraftExplainQuery,
  now: Instant,
): Promise<DraftLineExplanation> {
  const { accountId } = asked;
  const group = query.group === undefined ? undefined : groupOf(query.group);
  const customerId = await inReading(sources.postgres, accountId, (tx) => whoseLine(tx, asked, query.subscription_id));
  const draft = await loadDraft(sources, { accountId, customerId, now });
  const found = findLine(draft, { ...query, group });
  if (!found) {
    const { type, metric_id: metricId, subscription_id: id } = query;
    const ofMetric = metricId ? `metric ${metricId}${group ? ` and group ${textOf(group)}` : ''} and ` : '';
    throw notFound(`${type} line of ${ofMetric}subscription ${id} in the draft`);
  }
  const { line, part } = found;
  const { customer, rules } = draft.state;
  const { metricId, subscriptionId, periodStart: start, periodEnd: end } = line;
  const metric = metricId === null ? null : metricOf(rules, metricId);
  const { component = null, count = null } = lineCountIn(part, line) ?? {};
  const steps = explainLine(line, pricingOf(line, component, count), currencyOf(customer.currency).exponent);
  const plan =
    line.planId === null || line.version === null
      ? null
      : planOf(rules, { planId: line.planId, version: line.version });
  const overrides = overridesBehind(line, plan);
  const { price, isUnused } = priceOfLine(line, plan);
  const explained = { currency: customer.currency, line, metric, component, price, overrides, count, steps };
  if (metric === null || count === null || subscriptionId === null || start === null || end === null) {
    return { ...explained, events: null };
  }
  if (isUnused) return { ...explained, events: { results: [], next: null } };
  const pauses = draftedPauses(draft.state, subscriptionId);
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

/** The customer of the line: who is asked about, or one whose bills that one pays. */
async function whoseLine(tx: Transaction, { accountId, customerId }: CustomerRef, subscriptionId: string) {
  const subscription = await findSubscription(tx, accountId, subscriptionId);
  if (!subscription || subscription.customerId === customerId) return customerId;
  const { billedTo } = await loadCustomer(tx, accountId, subscription.customerId);
  return billedTo === customerId ? subscription.customerId : customerId;
}

type WantedLine = Omit<DraftExplainQuery, 'group'> & { group: PropertyTexts | undefined };

/** A combination from the JSON that a line has of it. */
function groupOf(text: string): PropertyTexts {
  const group = parsed(text);
  if (isFields(group) && Object.values(group).every((value) => value === null || typeof value === 'string')) {
    return group as PropertyTexts;
  }
  throw invalid({ group: ['Must be JSON as the group of a line, such as {"model":"gpt-5"}.'] });
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/**
 * The line that is meant, and the part of the draft that it is in: of several of one combination the one whose period starts last, which is
 * that of the latest row. @throws DomainError `invalid` where lines of several combinations or discounts are meant
 */
function findLine({ parts, invoices }: Draft, query: WantedLine): { line: InvoiceLine; part: DraftPart } | undefined {
  const found: { line: InvoiceLine; part: DraftPart }[] = [];
  let i = 0;
  for (const { lines } of invoices) {
    const part = parts[i++];
    const meant = part ? lines.filter((line) => isMeant(line, query)) : [];
    found.push(...meant.flatMap((line) => (part ? { line: { ...line, lineId: null }, part } : [])));
  }
  const latest = found.toSorted((a, b) => Number(b.line.periodStart) - Number(a.line.periodStart));
  const [first] = latest;
  if (query.group === undefined && latest.some(({ line }) => textOf(line.group) !== textOf(first?.line.group))) {
    const such = `one of them, such as ${textOf(latest.find(({ line }) => line.group)?.line.group)}`;
    throw invalid({ group: [`The draft has lines of several combinations: say the group of ${such}.`] });
  }
  if (latest.some(({ line }) => discountOf(line) !== (first && discountOf(first.line)))) {
    throw invalid({ discount_id: ['The draft has lines of several discounts: say which.'] });
  }
  return first;
}

function isMeant(line: NewInvoiceLine, query: WantedLine): boolean {
  const { subscription_id, metric_id = null, type, period_start, group, price_id, discount_id } = query;
  return (
    line.subscriptionId === subscription_id &&
    line.metricId === metric_id &&
    line.type === type &&
    (period_start === undefined || line.periodStart === period_start) &&
    (group === undefined || textOf(line.group) === textOf(group)) &&
    (price_id === undefined || line.priceId === price_id) &&
    (discount_id === undefined || discountOf(line) === discount_id)
  );
}

/** A combination as a text that is equal for equal ones. */
function textOf(group: PropertyTexts | null | undefined): string {
  return JSON.stringify(group && Object.fromEntries(Object.entries(group).toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

function discountOf({ basis }: NewInvoiceLine): string | null {
  return basis?.of === 'discount' ? basis.discountId : null;
}
