import type { UsageValue } from '../../../billing/metering/aggregate.ts';
import type { BilledUsage } from '../../../billing/metering/billed-usage.ts';
import type { UsageCharge } from '../../../billing/pricing/charges.ts';
import type { HeldUsage } from '../../../billing/pricing/held-usage.ts';
import type { EventPrices } from '../../../billing/pricing/percentage.ts';
import { decimal, ZERO } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import type { Transaction } from '../postgres.ts';
import {
  type BilledPart,
  keyOf,
  listBilledPriceBooks,
  partKey,
  partsOfCharges,
  upsertBilledCombinations,
  windowsOfCharges,
} from './billed-combinations.ts';

type BilledUsageRow = {
  subscription_id: string;
  metric_id: string;
  starts_at: Instant;
  ends_at: Instant;
  plan_id: string;
  version: number;
  timezone: string;
  prepaid_units: string;
  quantity: string;
  events_count: string;
  /** Null where its events have no price each. */
  billable: string | null;
  amount: string | null;
};

type ChargedRateRow = UsageKey & { tax_rate: string };

/** Keeps what the usage lines of an invoice bill, in the transaction that issues it. */
export async function insertBilledUsage(
  tx: Transaction,
  accountId: string,
  charges: readonly UsageCharge[],
  held: readonly HeldUsage[] = [],
): Promise<void> {
  if (charges.length === 0) return;
  const rows = windowsOf(charges).map((charge) => ({
    timezone: charge.timeZone,
    subscription_id: charge.subscriptionId,
    metric_id: charge.component.metricId,
    starts_at: isoFromInstant(charge.periodStart),
    ends_at: isoFromInstant(charge.periodEnd),
    plan_id: charge.planId,
    version: charge.version,
    prepaid_units: charge.prepaidUnits,
    quantity: charge.quantity,
    events_count: charge.eventsCount,
  }));
  await tx.query(
    `INSERT INTO billed_usage (account_id, timezone, subscription_id, metric_id, starts_at, ends_at, plan_id, version,
       prepaid_units, quantity, events_count)
     SELECT $1, b.* FROM jsonb_to_recordset($2) AS b (timezone text, subscription_id text, metric_id text, starts_at timestamptz,
       ends_at timestamptz, plan_id text, version integer, prepaid_units numeric, quantity numeric, events_count numeric)`,
    [accountId, stringifyExactJson(rows)],
  );
  const ofWindows = charges.filter(({ group }) => !group);
  const priced = ofWindows.map(({ subscriptionId, component: { metricId }, periodStart: startsAt, byEvent }) => {
    return { subscriptionId, metricId, startsAt, byEvent };
  });
  await upsertEventPrices(tx, accountId, priced);
  await upsertBilledCombinations(tx, accountId, windowsOfCharges(charges), partsOfCharges(charges, held));
}

/** Each usage window once: of a price book, whose combinations are kept beside, without a quantity of its own. */
function windowsOf(charges: readonly UsageCharge[]): UsageCharge[] {
  const windows = charges.map(({ group, ...charge }): UsageCharge => {
    if (!group) return charge;
    return { ...charge, periodStart: group.windowStart, periodEnd: group.windowEnd, quantity: ZERO, eventsCount: ZERO };
  });
  const keyOfWindow = ({ subscriptionId, component, periodStart }: UsageCharge) =>
    keyOf({ subscriptionId, metricId: component.metricId, startsAt: periodStart });
  return [...new Map(windows.map((charge) => [keyOfWindow(charge), charge])).values()];
}

/** Keeps what the events of billed usage come to, of that which prices them each. */
async function upsertEventPrices(
  tx: Transaction,
  accountId: string,
  billed: readonly (Pick<BilledUsage, 'subscriptionId' | 'metricId' | 'startsAt'> & {
    byEvent: EventPrices | undefined;
  })[],
): Promise<void> {
  const rows = billed.flatMap(({ subscriptionId, metricId, startsAt, byEvent }) =>
    byEvent
      ? { subscription_id: subscriptionId, metric_id: metricId, starts_at: isoFromInstant(startsAt), ...byEvent }
      : [],
  );
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO billed_event_prices (account_id, subscription_id, metric_id, starts_at, billable, amount)
     SELECT $1, p.* FROM jsonb_to_recordset($2) AS p (subscription_id text, metric_id text, starts_at timestamptz,
       billable numeric, amount numeric)
     ON CONFLICT (account_id, subscription_id, metric_id, starts_at)
       DO UPDATE SET billable = excluded.billable, amount = excluded.amount`,
    [accountId, stringifyExactJson(rows)],
  );
}

/** A closed interval of a subscription's life. */
type Span = { subscriptionId: string; from: Instant; to: Instant };

/**
 * What subscriptions were billed for in periods that their spans touch: span by span, oldest first. A first period that
 * switches have split comes with all its parts, which share their prepaid units.
 */
export async function listBilledUsage(
  tx: Transaction,
  accountId: string,
  spans: readonly Span[],
): Promise<BilledUsage[]> {
  if (spans.length === 0) return [];
  const answer = await tx.query<BilledUsageRow & { has_book: boolean }>(
    `SELECT b.subscription_id, b.metric_id, b.starts_at, b.ends_at, b.plan_id, b.version,
       b.timezone, b.prepaid_units, b.quantity, b.events_count, p.billable, p.amount,
       EXISTS (SELECT 1 FROM billed_price_books k WHERE k.account_id = $1 AND k.subscription_id = b.subscription_id
         AND k.metric_id = b.metric_id AND k.starts_at = b.starts_at) AS has_book
     FROM unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) WITH ORDINALITY
       AS span (subscription_id, first, last, n)
     LEFT JOIN periods d ON d.account_id = $1 AND d.subscription_id = span.subscription_id AND d.period_index = 0
       AND d.carried -> 'usages' <> '[]' AND d.ends_at > span.first
     JOIN billed_usage b ON b.account_id = $1 AND b.subscription_id = span.subscription_id
       AND (b.starts_at <= span.last AND b.ends_at > span.first OR b.starts_at < d.ends_at)
     LEFT JOIN billed_event_prices p ON p.account_id = $1 AND p.subscription_id = b.subscription_id
       AND p.metric_id = b.metric_id AND p.starts_at = b.starts_at
     ORDER BY span.n, b.starts_at, b.metric_id`,
    [
      accountId,
      spans.map(({ subscriptionId }) => subscriptionId),
      spans.map(({ from }) => isoFromInstant(from)),
      spans.map(({ to }) => isoFromInstant(to)),
    ],
  );
  const rates = await loadChargedRates(tx, accountId, answer.rows);
  const billed = answer.rows.map((row) => billedUsageFromRow(row, rates.get(usageKey(row)) ?? null));
  const ofPriceBooks = billed.filter((_, i) => answer.rows[i]?.has_book);
  if (ofPriceBooks.length === 0) return billed;
  const found = await listBilledPriceBooks(tx, accountId, ofPriceBooks);
  return billed.map((one) => {
    const book = found.get(keyOf(one));
    return book ? { ...one, book } : one;
  });
}

/**
 * The rates of tax with which usage was first charged, by {@link usageKey}. Asked by period: asked by row, all lines of
 * a period would be read for each of its metrics.
 */
async function loadChargedRates(
  tx: Transaction,
  accountId: string,
  billed: readonly UsageKey[],
): Promise<Map<string, string>> {
  const periods = [...new Map(billed.map((row) => [`${row.subscription_id} ${row.starts_at}`, row])).values()];
  if (periods.length === 0) return new Map();
  const answer = await tx.query<ChargedRateRow>(
    `SELECT DISTINCT ON (l.subscription_id, l.metric_id, l.period_start)
       l.subscription_id, l.metric_id, l.period_start AS starts_at, i.tax_rate
     FROM unnest($2::text[], $3::timestamptz[]) AS period (subscription_id, starts_at)
     JOIN invoice_lines l ON l.account_id = $1 AND l.subscription_id = period.subscription_id
       AND l.period_start = period.starts_at AND l.type = 'usage'
     JOIN invoices i ON i.account_id = $1 AND i.invoice_id = l.invoice_id
     ORDER BY l.subscription_id, l.metric_id, l.period_start, i.seq`,
    [
      accountId,
      periods.map(({ subscription_id }) => subscription_id),
      periods.map(({ starts_at }) => isoFromInstant(starts_at)),
    ],
  );
  return new Map(answer.rows.map((row) => [usageKey(row), row.tax_rate]));
}

type Was = Pick<BilledUsage, 'usage' | 'prepaidUnits'>;

/**
 * Locks billed usage. Returns each with what it was billed for until now: usage, and prepaid units left. Two transactions that count late usage of a
 * window do it one after another.
 */
export async function lockBilledUsage<T extends BilledUsage>(
  tx: Transaction,
  accountId: string,
  billed: readonly T[],
): Promise<(T & { was: Was })[]> {
  if (billed.length === 0) return [];
  const rows = billed.map(({ subscriptionId, metricId, startsAt }) => {
    return { subscription_id: subscriptionId, metric_id: metricId, starts_at: isoFromInstant(startsAt) };
  });
  const answer = await tx.query<Omit<BilledUsageRow, 'ends_at' | 'plan_id' | 'version' | 'timezone'>>(
    `SELECT subscription_id, metric_id, starts_at, b.quantity, b.events_count, b.prepaid_units, p.billable, p.amount
     FROM (SELECT DISTINCT * FROM jsonb_to_recordset($2) AS n (subscription_id text, metric_id text, starts_at timestamptz)) now
     JOIN billed_usage b USING (subscription_id, metric_id, starts_at)
     LEFT JOIN billed_event_prices p USING (account_id, subscription_id, metric_id, starts_at)
     WHERE b.account_id = $1 FOR UPDATE OF b`,
    [accountId, stringifyExactJson(rows)],
  );
  const windows = new Map(answer.rows.map((row) => [usageKey(row), row]));
  const parts = partsIn(billed);
  const combinations = parts.length === 0 ? new Map() : await loadCombinations(tx, accountId, parts);
  return billed.map((one) => {
    if (one.combination)
      return { ...one, was: combinations.get(partKey({ ...one, combination: one.combination })) ?? none(one) };
    const { subscriptionId: subscription_id, metricId: metric_id, startsAt: starts_at } = one;
    const row = windows.get(usageKey({ subscription_id, metric_id, starts_at }));
    if (!row) throw new Error(`billed usage of ${subscription_id} is missing`);
    return { ...one, was: { usage: usageFromRow(row), prepaidUnits: decimal(row.prepaid_units) } };
  });
}

function partsIn(billed: readonly BilledUsage[]) {
  return billed.flatMap((one) => (one.combination ? [{ ...one, combination: one.combination }] : []));
}

/** Returns what combinations were billed for, by their keys. */
async function loadCombinations(
  tx: Transaction,
  accountId: string,
  parts: readonly (BilledUsage & BilledPart)[],
): Promise<Map<string, Was>> {
  const before = await listBilledPriceBooks(tx, accountId, parts);
  return new Map(
    parts.flatMap((one) =>
      (before.get(keyOf(one))?.combinations ?? []).map((combination) => [
        partKey({ ...one, combination }),
        { usage: combination.usage, prepaidUnits: ZERO },
      ]),
    ),
  );
}

/** A combination that nothing has been billed for. */
function none({ usage: { byEvent } }: BilledUsage): Was {
  const nothing = { value: ZERO, eventsCount: ZERO };
  const usage = byEvent ? { ...nothing, byEvent: { billable: ZERO, amount: ZERO } } : nothing;
  return { usage, prepaidUnits: ZERO };
}

/** Keeps the usage that periods are now billed for, with the prepaid units left for them. They are locked. */
export async function updateBilledUsage(
  tx: Transaction,
  accountId: string,
  billed: readonly BilledUsage[],
): Promise<void> {
  await updateWindows(
    tx,
    accountId,
    billed.filter(({ combination }) => !combination),
  );
  const parts = partsIn(billed);
  if (parts.length === 0) return;
  const windows = parts.map(({ combination: { rowsKnown }, ...one }) => ({ ...one, rowsKnown }));
  await upsertBilledCombinations(tx, accountId, windows, parts);
}

async function updateWindows(tx: Transaction, accountId: string, billed: readonly BilledUsage[]): Promise<void> {
  if (billed.length === 0) return;
  const rows = billed.map(({ subscriptionId, metricId, startsAt, usage, prepaidUnits }) => ({
    subscription_id: subscriptionId,
    metric_id: metricId,
    starts_at: isoFromInstant(startsAt),
    quantity: usage.value,
    events_count: usage.eventsCount,
    prepaid_units: prepaidUnits,
  }));
  await tx.query(
    `UPDATE billed_usage b SET quantity = now.quantity, events_count = now.events_count, prepaid_units = now.prepaid_units
     FROM jsonb_to_recordset($2) AS now (subscription_id text, metric_id text, starts_at timestamptz, quantity numeric,
       events_count numeric, prepaid_units numeric)
     WHERE b.account_id = $1 AND b.subscription_id = now.subscription_id AND b.metric_id = now.metric_id
       AND b.starts_at = now.starts_at`,
    [accountId, stringifyExactJson(rows)],
  );
  await upsertEventPrices(
    tx,
    accountId,
    billed.map(({ usage: { byEvent }, ...key }) => ({ ...key, byEvent })),
  );
}

type UsageKey = Pick<BilledUsageRow, 'subscription_id' | 'metric_id' | 'starts_at'>;

const usageKey = (of: UsageKey) => `${of.subscription_id} ${of.metric_id} ${of.starts_at}`;

function usageFromRow({
  quantity,
  events_count,
  billable,
  amount,
}: Pick<BilledUsageRow, 'quantity' | 'events_count' | 'billable' | 'amount'>): UsageValue {
  const usage = { value: decimal(quantity), eventsCount: decimal(events_count) };
  if (billable === null || amount === null) return usage;
  return { ...usage, byEvent: { billable: decimal(billable), amount: decimal(amount) } };
}

function billedUsageFromRow(row: BilledUsageRow, chargedRate: string | null): BilledUsage {
  return {
    subscriptionId: row.subscription_id,
    metricId: row.metric_id,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    planId: row.plan_id,
    version: row.version,
    timeZone: row.timezone,
    prepaidUnits: decimal(row.prepaid_units),
    usage: usageFromRow(row),
    chargedRate: chargedRate === null ? null : decimal(chargedRate),
  };
}
