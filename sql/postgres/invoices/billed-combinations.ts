import { createHash } from 'node:crypto';
import type { BilledBook, BilledCombination, BilledUsage } from '../../../billing/metering/billed-usage.ts';
import type { UsageCharge } from '../../../billing/pricing/charges.ts';
import type { HeldUsage } from '../../../billing/pricing/held-usage.ts';
import { combinationKey, type PropertyTexts, rowsKnown } from '../../../billing/pricing/price-book.ts';
import { decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import { lookAtHolders } from '../catalog/missing-prices.ts';
import type { Transaction } from '../postgres.ts';

type UsageKey = Pick<BilledUsage, 'subscriptionId' | 'metricId' | 'startsAt'>;
/** A combination of billed usage. */
export type BilledPart = UsageKey & { combination: BilledCombination };

type CombinationRow = {
  subscription_id: string;
  metric_id: string;
  starts_at: Instant;
  rows_known: string;
  texts: PropertyTexts | null;
  price_id: string;
  is_held: boolean;
  priced_from: Instant;
  priced_to: Instant;
  quantity: string;
  events_count: string;
  billable: string | null;
  amount: string | null;
  first_event_at: Instant;
};

const COLUMNS = `k.subscription_id, k.metric_id, k.starts_at, k.rows_known, c.texts, c.price_id, c.is_held, c.priced_from, c.priced_to,
  c.quantity, c.events_count, c.billable, c.amount, c.first_event_at`;

/** The combinations that usage lines bill, and those that are held: of charges whose component has a price book. */
export function partsOfCharges(charges: readonly UsageCharge[], held: readonly HeldUsage[]): BilledPart[] {
  const billed = charges.flatMap(({ subscriptionId, component: { metricId }, group, ...charge }): BilledPart[] => {
    if (!group) return [];
    const { quantity: value, eventsCount, byEvent, periodStart, periodEnd } = charge;
    const usage = { value, eventsCount, ...(byEvent && { byEvent }) };
    const { texts, priceId, windowStart, rowsKnown: known } = group;
    const time = { startsAt: periodStart, endsAt: periodEnd, firstEventAt: periodStart };
    return [
      {
        ...{ subscriptionId, metricId, startsAt: windowStart },
        combination: { texts, priceId, isHeld: false, usage, rowsKnown: known, ...time },
      },
    ];
  });
  const waiting = held.map(({ subscriptionId, metricId, group: texts, windowStart, ...one }): BilledPart => {
    const usage = { value: one.quantity, eventsCount: one.eventsCount };
    const time = { startsAt: one.periodStart, endsAt: one.periodEnd, firstEventAt: one.firstEventAt };
    const combination = { texts, priceId: null, isHeld: true, usage, rowsKnown: one.rowsKnown, ...time };
    return { ...{ subscriptionId, metricId, startsAt: windowStart }, combination };
  });
  return [...billed, ...waiting];
}

/** Up to which row charges know their price books, by window; one without a line of a row, too. */
export function windowsOfCharges(charges: readonly UsageCharge[]): (UsageKey & { rowsKnown: bigint })[] {
  return charges.flatMap(({ subscriptionId, component: { metricId, book }, periodStart, group }) => {
    if (group === undefined) return [];
    const known = group?.rowsKnown ?? (book ? rowsKnown(book) : 0n);
    return [{ subscriptionId, metricId, startsAt: group?.windowStart ?? periodStart, rowsKnown: known }];
  });
}

/** Keeps combinations as they are billed by now, and up to which row of the book. */
export async function upsertBilledCombinations(
  tx: Transaction,
  accountId: string,
  windows: readonly (UsageKey & { rowsKnown: bigint })[],
  parts: readonly BilledPart[],
): Promise<void> {
  const keys = [...new Map(windows.map((one) => [keyOf(one), one])).values()];
  if (keys.length === 0) return;
  await tx.query(
    `INSERT INTO billed_price_books (account_id, subscription_id, metric_id, starts_at, rows_known)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::bigint[])
     ON CONFLICT (account_id, subscription_id, metric_id, starts_at) DO UPDATE SET rows_known = excluded.rows_known`,
    [
      accountId,
      keys.map(({ subscriptionId }) => subscriptionId),
      keys.map(({ metricId }) => metricId),
      keys.map(({ startsAt }) => isoFromInstant(startsAt)),
      keys.map(({ rowsKnown: known }) => known.toString()),
    ],
  );
  if (parts.length === 0) return;
  await tx.query(
    `INSERT INTO billed_combinations (account_id, subscription_id, metric_id, starts_at, combination, price_id, texts, is_held,
       priced_from, priced_to, quantity, events_count, billable, amount, first_event_at)
     SELECT $1, c.* FROM jsonb_to_recordset($2) AS c (subscription_id text, metric_id text, starts_at timestamptz, combination text,
       price_id text, texts jsonb, is_held boolean, priced_from timestamptz, priced_to timestamptz, quantity numeric,
       events_count numeric, billable numeric, amount numeric, first_event_at timestamptz)
     ON CONFLICT (account_id, subscription_id, metric_id, starts_at, combination, price_id) DO UPDATE
     SET is_held = excluded.is_held, priced_from = excluded.priced_from, priced_to = excluded.priced_to,
       quantity = excluded.quantity, events_count = excluded.events_count, billable = excluded.billable, amount = excluded.amount,
       first_event_at = excluded.first_event_at`,
    [accountId, stringifyExactJson(parts.map(partToRow))],
  );
  const holding = parts.filter(({ combination: { isHeld, usage } }) => isHeld && !usage.eventsCount.isZero());
  const holders = [...new Set(holding.map(({ subscriptionId }) => subscriptionId))];
  if (holders.length > 0) await lookAtHolders(tx, accountId, holders);
}

/** What was billed by price books, by {@link usageKey}; of other usage nothing. */
export async function listBilledPriceBooks(
  tx: Transaction,
  accountId: string,
  keys: readonly UsageKey[],
): Promise<Map<string, BilledBook>> {
  const { rows } = await tx.query<CombinationRow>(
    `SELECT ${COLUMNS}
     FROM unnest($2::text[], $3::text[], $4::timestamptz[]) AS wanted (subscription_id, metric_id, starts_at)
     JOIN billed_price_books k ON k.account_id = $1 AND k.subscription_id = wanted.subscription_id
       AND k.metric_id = wanted.metric_id AND k.starts_at = wanted.starts_at
     LEFT JOIN billed_combinations c ON c.account_id = $1 AND c.subscription_id = k.subscription_id
       AND c.metric_id = k.metric_id AND c.starts_at = k.starts_at`,
    [
      accountId,
      keys.map(({ subscriptionId }) => subscriptionId),
      keys.map(({ metricId }) => metricId),
      keys.map(({ startsAt }) => isoFromInstant(startsAt)),
    ],
  );
  const rowsOf = Map.groupBy(rows, (row) =>
    keyOf({ subscriptionId: row.subscription_id, metricId: row.metric_id, startsAt: row.starts_at }),
  );
  return new Map(
    [...rowsOf].map(([key, some]) => {
      const known = BigInt(some[0]?.rows_known ?? 0);
      const combinations = some.flatMap((row) => combinationFromRow(row) ?? []);
      return [key, { rowsKnown: known, combinations }];
    }),
  );
}

/** What billed usage is known by. */
export function keyOf({ subscriptionId, metricId, startsAt }: UsageKey): string {
  return `${subscriptionId} ${metricId} ${startsAt}`;
}

/** A combination and the row that priced it, as the table knows them. */
export function partKey({ combination: { texts, priceId }, ...key }: BilledPart): string {
  return `${keyOf(key)} ${priceId ?? ''} ${textsKey(texts)}`;
}

/** Longer than this a text is told by its hash: an index has no room for what an event may have. */
const MAX_KEY_LENGTH = 500;

/** A combination as the column that it is found by. */
function columnOf(texts: PropertyTexts): string {
  const key = textsKey(texts);
  return key.length <= MAX_KEY_LENGTH ? key : createHash('sha256').update(key).digest('hex');
}

function textsKey(texts: PropertyTexts): string {
  return combinationKey(Object.keys(texts).toSorted(), texts);
}

function partToRow({ subscriptionId, metricId, startsAt, combination }: BilledPart) {
  const { texts, priceId, isHeld, usage, firstEventAt } = combination;
  return {
    ...{ subscription_id: subscriptionId, metric_id: metricId, starts_at: isoFromInstant(startsAt) },
    ...{ combination: columnOf(texts), price_id: priceId ?? '', texts, is_held: isHeld },
    priced_from: isoFromInstant(combination.startsAt),
    priced_to: isoFromInstant(combination.endsAt),
    ...{ quantity: usage.value, events_count: usage.eventsCount },
    ...(usage.byEvent ?? { billable: null, amount: null }),
    first_event_at: isoFromInstant(firstEventAt),
  };
}

function combinationFromRow(row: CombinationRow): BilledCombination | null {
  if (row.texts === null) return null;
  const usage = { value: decimal(row.quantity), eventsCount: decimal(row.events_count) };
  const { billable, amount } = row;
  const byEvent = billable !== null && amount !== null && { billable: decimal(billable), amount: decimal(amount) };
  return {
    texts: row.texts,
    priceId: row.price_id === '' ? null : row.price_id,
    isHeld: row.is_held,
    startsAt: row.priced_from,
    endsAt: row.priced_to,
    usage: byEvent ? { ...usage, byEvent } : usage,
    firstEventAt: row.first_event_at,
    rowsKnown: BigInt(row.rows_known),
  };
}
