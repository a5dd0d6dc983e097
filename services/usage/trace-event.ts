import type { Metric } from '../../billing/catalog/metrics.ts';
import { lineCountIn } from '../../billing/invoices/draft-parts.ts';
import { refusedBy } from '../../billing/metering/aggregate.ts';
import { type BilledIn, isOfCombination, reasonNotBilled, unpricedBy } from '../../billing/metering/event-fate.ts';
import { isPausedAt } from '../../billing/periods/pauses.ts';
import { draftedPauses } from '../../billing/subscriptions/end-of-pause.ts';
import { notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { findEvent, findReceivedIds, type PlacedEvent } from '../../sql/clickhouse/usage/usage-events.ts';
import { countRepeats } from '../../sql/clickhouse/usage/usage-repeats.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { listMetrics } from '../../sql/postgres/catalog/metrics.ts';
import { findPlanVersions } from '../../sql/postgres/catalog/plans.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import { findLinesOver, findRunningAt } from '../../sql/postgres/invoices/billed-lines.ts';
import { inReading, type Transaction } from '../../sql/postgres/postgres.ts';
import { listPausesOf } from '../../sql/postgres/subscriptions/pauses.ts';
import { fingerprintOf, fingerprintToDecimal } from '../../stream/fingerprint.ts';
import type { EventTrace } from '../../wire/event-traces.ts';
import { loadDraft } from '../invoices/load-draft.ts';
import type { InvoiceSources } from '../invoices/load-invoice-inputs.ts';
import type { CustomerRef } from '../references.ts';
import type { FindWaiting } from './find-waiting.ts';

/** For how long repeats are kept (migration 0009 of ClickHouse). */
const REPEATS_KEPT_MS = 30 * 86_400_000;
/** Metrics that are looked at: the account's newest. */
const MOST_METRICS = { limit: 1_000, offset: 0 };

type Sources = InvoiceSources & { findWaiting: FindWaiting };

/**
 * What became of an event: whether it has landed, which metrics count it and why others do not, and where it was, or would be,
 * billed (spec/events#trace). @throws DomainError `not_found` where no event of that id was accepted
 */
export async function traceEvent(sources: Sources, accountId: string, id: string, now: Instant): Promise<EventTrace> {
  const fingerprint = fingerprintToDecimal(fingerprintOf(accountId, id));
  const findWaiting = sources.findWaiting();
  const event = await findEvent(sources.clickhouse, accountId, { id, fingerprint });
  const since = now - REPEATS_KEPT_MS;
  const [{ repeats, differing }, fate] = await Promise.all([
    countRepeats(sources.clickhouse, { fingerprint, since, content: event?.content }),
    event && fateOf(sources, accountId, event, now),
  ]);
  const counted = { idempotencyId: id, repeats, repeatsDiffering: differing };
  if (event && fate) return { ...counted, status: 'landed', event, ...fate };
  const unknown = { ...counted, event: null, metrics: [], billedIn: [], unpriced: [], reason: null };
  // Erased with its customer: its id stays taken.
  const received = await findReceivedIds(sources.clickhouse, { fingerprints: [fingerprint], since: 0 });
  if (received.size > 0) return { ...unknown, status: 'landed' };
  const status = await findWaiting({ accountId, id });
  if (status === undefined) throw notFound(`event ${id}`);
  return { ...unknown, status };
}

async function fateOf(sources: Sources, accountId: string, event: PlacedEvent, now: Instant) {
  const of = { accountId, customerId: event.customerId };
  const records = await inReading(sources.postgres, accountId, (tx) => loadRecords(tx, of, event));
  const { metrics, customer, lines, pauses, running, account } = records;
  const timeZone = customer?.timeZone ?? 'UTC';
  const booked = { timeZone, testClockId: customer?.testClockId ?? null };
  const judged = metrics.map((metric) => ({ metric, because: refusedBy(metric, event, timeZone) }));
  const issued = lines
    .filter(({ metricId, timeZone: zone }) => counts(metrics, metricId, event, zone))
    .filter((line) => isOfCombination(line, event))
    .filter(({ subscriptionId }) => !isPausedAt(pauses.get(subscriptionId) ?? [], event.timeCreated))
    .map(({ periodEnd: _, timeZone: __, ...line }): BilledIn => line);
  const drafted = customer ? await findInDraft(sources, of, { event, metrics }, now) : [];
  const billedIn = [...issued, ...drafted];
  const counting = judged.filter(({ because }) => because === null).map(({ metric }) => metric.metricId);
  const ran = running.map(({ subscriptionId, components, isAhead }) => {
    const billing = components.filter(({ metricId }) => counting.includes(metricId));
    const without = billing.flatMap((component) => unpricedBy(component, event, booked) ?? []);
    const isUnpriced = without.length === billing.length;
    const unmatched = without.some((one) => one.unmatched === 'hold') ? 'hold' : 'ignore';
    return {
      isAhead,
      isBilled: billing.length > 0,
      isPaused: isPausedAt(pauses.get(subscriptionId) ?? [], event.timeCreated),
      unpriced: isUnpriced ? unmatched : null,
      without: without.map((one) => ({ subscriptionId, ...one })),
    } as const;
  });
  return {
    metrics: judged.map(({ metric: { metricId, metricName }, because }) => ({ metricId, metricName, because })),
    billedIn,
    unpriced: ran.filter(({ isPaused }) => !isPaused).flatMap(({ without }) => without),
    reason: reasonNotBilled({ because: judged.map((one) => one.because), billedIn, ran, lateUsage: account.lateUsage }),
  };
}

async function loadRecords(tx: Transaction, of: CustomerRef, event: PlacedEvent) {
  const { accountId, customerId } = of;
  const [customer, account, metrics, lines, ran] = await Promise.all([
    findCustomer(tx, accountId, customerId),
    loadAccount(tx, accountId),
    listMetrics(tx, accountId, MOST_METRICS),
    findLinesOver(tx, of, { at: event.timeCreated, position: event.position }),
    findRunningAt(tx, of, event.timeCreated),
  ]);
  const subscriptionIds = [...new Set([...lines, ...ran].map(({ subscriptionId }) => subscriptionId))];
  const [pauses, plans] = await Promise.all([
    listPausesOf(tx, accountId, subscriptionIds),
    findPlanVersions(tx, accountId, ran),
  ]);
  const running = ran.map(({ subscriptionId, planId, version, isAhead }) => {
    const plan = plans.find((one) => one.planId === planId && one.version === version);
    return { subscriptionId, isAhead, components: plan?.components ?? [] };
  });
  return { customer, account, metrics: metrics.results, lines, running, pauses };
}

function counts(metrics: readonly Metric[], metricId: string, event: PlacedEvent, timeZone: string): boolean {
  const metric = metrics.find((one) => one.metricId === metricId);
  return metric !== undefined && refusedBy(metric, event, timeZone) === null;
}

/** The lines of the draft that count the event, at 0 too. */
async function findInDraft(
  sources: Sources,
  of: CustomerRef,
  { event, metrics }: { event: PlacedEvent; metrics: readonly Metric[] },
  now: Instant,
): Promise<BilledIn[]> {
  const { state, parts, invoices } = await loadDraft(sources, { ...of, now });
  const at = event.timeCreated;
  const found = [...invoices].flatMap(({ lines }, i) =>
    lines.flatMap((line): BilledIn[] => {
      const { type, metricId, subscriptionId, periodStart, periodEnd, amount, group = null, priceId = null } = line;
      if (type !== 'usage' && type !== 'late_usage') return [];
      if (metricId === null || subscriptionId === null || periodStart === null || periodEnd === null) return [];
      const isUnused = type === 'usage' && line.eventsCount?.isZero();
      const isOfTime = at >= periodStart && at < periodEnd && !isPausedAt(draftedPauses(state, subscriptionId), at);
      if (isUnused || !isOfTime || !isOfCombination({ group }, event)) return [];
      const part = parts[i];
      const count = part && lineCountIn(part, line)?.count;
      const isCounted =
        count != null &&
        (count.countedFrom === null || event.position > count.countedFrom) &&
        counts(metrics, metricId, event, count.timeZone);
      if (!isCounted) return [];
      const ids = { invoiceId: null, invoiceNumber: null, lineId: null };
      return [{ ...ids, status: 'draft', type, metricId, subscriptionId, amount, group, priceId }];
    }),
  );
  // Late usage is on the next invoice, and also on what a resume would bill before that.
  return [...new Map(found.toReversed().map((line) => [lineKey(line), line])).values()].toReversed();
}

function lineKey({ type, metricId, subscriptionId, group, priceId }: BilledIn): string {
  return JSON.stringify([type, metricId, subscriptionId, group, priceId]);
}
