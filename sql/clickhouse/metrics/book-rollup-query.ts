import type { Interval } from '../../../billing/metering/buckets.ts';
import type { Instant } from '../../../core/instants.ts';
import { type Bind, isAmong } from '../query-parameters.ts';
import { type BookSpan, bookRuleKey, listBookSpans, ROLLED_DAY_MS } from '../usage/book-rollups.ts';
import type { Span } from '../usage/usage-rollups.ts';
import { type BookedQuestion, FEW_INTERVALS, overlapping, within } from './metric-query.ts';
import type { UsageSource } from './metric-usage.ts';

/** What of a question's usage is counted beforehand: whole days, but for some, of whole spans of the stream. */
export type BookRollups = {
  rule: string;
  /** Ends of the spans, ascending; at least one. */
  ends: readonly bigint[];
  /** Spans before the last of them that have no rollups. */
  gaps: readonly Span[];
  /** Days of which only a part counts, or by different rows: these are read event by event. */
  apart: readonly Interval[];
};

/** The rollups of the questions that have any, of customers with many events. */
export async function findBookRollups(
  { clickhouse, rolledUp }: UsageSource,
  questions: readonly BookedQuestion[],
): Promise<Map<BookedQuestion, BookRollups>> {
  const asked = questions.flatMap((question) => {
    const rule = bookRuleKey({ metric: question.metric, groupBy: question.book.groupBy });
    const apart = rule === undefined || rolledUp.spansOf(question).length === 0 ? undefined : daysApart(question);
    return rule === undefined || apart === undefined ? [] : [{ question, rule, apart }];
  });
  const spans = await listBookSpans(
    clickhouse,
    asked.map(({ question: { accountId, customerId }, rule }) => ({ accountId, customerId, rule })),
  );
  return new Map(
    asked.flatMap(({ question, rule, apart }, i) => {
      const usable = usableSpans(spans[i] ?? [], question.upTo);
      return usable.ends.length === 0 ? [] : [[question, { rule, apart, ...usable }] as const];
    }),
  );
}

/** Of all spans those that end at or below the cutoff; not those behind so many gaps that a statement would be long of them. */
function usableSpans(spans: readonly BookSpan[], upTo: bigint | undefined): Pick<BookRollups, 'ends' | 'gaps'> {
  const ends: bigint[] = [];
  const gaps: Span[] = [];
  let gap: Span | undefined;
  for (const { from, to, leftOut } of spans) {
    if (upTo !== undefined && to > upTo) break;
    if (leftOut) {
      gap = { from: gap?.from ?? from, to };
      continue;
    }
    if (gap && gaps.length === FEW_INTERVALS) break;
    if (gap) gaps.push(gap);
    gap = undefined;
    ends.push(to);
  }
  return { ends, gaps };
}

/** The days that are read event by event; undefined where they are too many, or all. */
function daysApart({ start, end, above, combination, excluded = [], book }: BookedQuestion): Interval[] | undefined {
  if (
    above !== undefined ||
    combination ||
    book.rows.some(isPricedByEvent) ||
    isPricedByEvent({ row: { price: book.unmatched } })
  )
    return undefined;
  const cuts = book.rows.map(({ from }) => from).filter((from) => from > start && from < end);
  const paused = overlapping(excluded, { startsAt: start, endsAt: end });
  const parts = [...[start, end, ...cuts].map((at) => ({ startsAt: at, endsAt: at })), ...paused];
  const apart = joined(parts.map(wholeDays));
  const days = (interval: Interval) => interval.endsAt - interval.startsAt;
  const whole = days(wholeDays({ startsAt: start, endsAt: end }));
  const read = apart.reduce((sum, one) => sum + days(one), 0);
  return apart.length > FEW_INTERVALS || read >= whole ? undefined : apart;
}

function isPricedByEvent({ row: { price } }: { row: { price: { pricingModel: string | null } } }): boolean {
  return price.pricingModel === 'percentage';
}

/** The days that an interval touches; of an instant the day within which it lies, none where it is a midnight. */
function wholeDays({ startsAt, endsAt }: Interval): Interval {
  return { startsAt: dayAtOrBefore(startsAt), endsAt: dayAtOrAfter(endsAt) };
}

/** In order, without those that are empty, and without overlaps. */
function joined(intervals: readonly Interval[]): Interval[] {
  const apart: Interval[] = [];
  for (const one of intervals.toSorted((a, b) => a.startsAt - b.startsAt)) {
    const last = apart.at(-1);
    if (one.startsAt >= one.endsAt) continue;
    if (last && one.startsAt <= last.endsAt) last.endsAt = Math.max(last.endsAt, one.endsAt);
    else apart.push({ ...one });
  }
  return apart;
}

/** SQL: what else must hold for an event that is not counted beforehand; a condition for each SELECT that reads some of them. */
export function besideRollups({ ends, gaps, apart }: BookRollups, bind: Bind): string[] {
  const above = `position > ${bind('rolled_to', 'UInt64', ends.at(-1))}`;
  const between = gaps.map(
    ({ from, to }) => `position > ${bind('gap', 'UInt64', from)} AND position <= ${bind('gap_end', 'UInt64', to)}`,
  );
  const unrolled = [above, ...between].map((one) => `(${one})`).join(' OR ');
  const days = apart.map((one) => `(${within(one, 'apart', 'apart_end', bind)})`).join(' OR ');
  return [`(${unrolled})`, ...(apart.length === 0 ? [] : [`NOT (${unrolled}) AND (${days})`])];
}

/** SQL: the rows of the rollups that count, any of those that a span which was rolled up twice has. */
export function rollupRows(
  { accountId, customerId, start, end }: BookedQuestion,
  rollups: BookRollups,
  bind: Bind,
): string {
  const instant = (name: string, at: Instant) => bind(name, 'Int64', at);
  return [
    'SELECT texts, day, events, first, total, highest, has_number FROM usage_book_rollups',
    `WHERE ${[
      `account_id = ${bind('account_id', 'String', accountId)}`,
      `customer_id = ${bind('customer_id', 'String', customerId)}`,
      `rule = ${bind('rule', 'String', rollups.rule)}`,
      isAmong('span_to', { name: 'spans', type: 'UInt64', values: rollups.ends }, bind),
      `day >= ${instant('first_day', dayAtOrBefore(start))} AND day < ${instant('last_day', dayAtOrAfter(end))}`,
      ...rollups.apart.map(
        ({ startsAt, endsAt }) =>
          `NOT (day >= ${instant('apart_day', startsAt)} AND day < ${instant('apart_day_end', endsAt)})`,
      ),
    ].join('\n  AND ')}`,
    'LIMIT 1 BY span_to, day, combination',
  ].join('\n');
}

function dayAtOrBefore(instant: Instant): Instant {
  return Math.floor(instant / ROLLED_DAY_MS) * ROLLED_DAY_MS;
}

function dayAtOrAfter(instant: Instant): Instant {
  return Math.ceil(instant / ROLLED_DAY_MS) * ROLLED_DAY_MS;
}
