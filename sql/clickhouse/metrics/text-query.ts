import type { MetricRule } from '../../../billing/catalog/metrics.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { Bind } from '../query-parameters.ts';
import { hashOfText } from '../usage/usage-texts.ts';
import { hasString } from './event-properties.ts';
import { conditionsOf, type MetricQuestion, overlapping } from './metric-query.ts';
import { type RolledUp, rolledUpAnswer } from './rollup-query.ts';

/**
 * The answer to `unique` from texts that are counted beforehand, and from the events of which they are not; undefined where none
 * are. No value (`''`) where they cannot tell: a text was seen both before and after the interval in one month, or at or below the usage cutoff
 * and above it; or of the events that were read one has no text. Then every event has to be asked.
 */
export function uniqueFromTexts(
  rolledUp: RolledUp,
  question: MetricQuestion,
  index: number,
  bind: Bind,
): string | undefined {
  const texts = textsOf(rolledUp, question);
  if (texts === undefined) return undefined;
  const { spans, told } = texts;
  const { accountId, customerId, metric, start, end, upTo } = question;
  const at = (name: string, instant: Instant) => `fromUnixTimestamp64Milli(${bind(name, 'Int64', instant)}, 'UTC')`;
  const property = bind('property', 'String', metric.propertyName);
  const beside = untold(spans, told).map(({ above, upTo }) => {
    const from = `position > ${bind('untold_from', 'UInt64', above)}`;
    return upTo === undefined ? from : `(${from} AND position <= ${bind('untold_to', 'UInt64', upTo)})`;
  });
  const certain = [
    ...(upTo === undefined ? [] : [`position <= ${bind('up_to', 'UInt64', upTo)}`]),
    `(first >= ${at('start', start)} OR last < ${at('end', end)})`,
  ];
  return [
    `SELECT ${index} AS question,`,
    '  texts.value AS value,',
    '  counted.events AS events',
    'FROM (',
    "SELECT if(min(is_text) AND uniqExactIf(text, is_certain) = uniqExact(text), toString(uniqExact(text)), '') AS value",
    'FROM (',
    `SELECT text, ${certain.join(' AND ')} AS is_certain, true AS is_text`,
    'FROM usage_texts',
    `WHERE ${[
      `account_id = ${bind('account_id', 'String', accountId)}`,
      `customer_id = ${bind('customer_id', 'String', customerId)}`,
      `event_name = ${bind('event_name', 'String', metric.eventName)}`,
      `property = ${property}`,
      `month >= ${bind('first_month', 'UInt32', monthOf(start))} AND month <= ${bind('last_month', 'UInt32', monthOf(end - 1))}`,
      `first < ${at('end', end)} AND last >= ${at('start', start)}`,
    ].join('\n  AND ')}`,
    'UNION ALL',
    `SELECT ${hashOfText(`strings[${property}]`)} AS text, true AS is_certain, ${hasString(property)} AS is_text`,
    'FROM usage_events',
    `WHERE ${[...conditionsOf(question, bind), `(${beside.join(' OR ')})`].join('\n  AND ')}`,
    ')',
    ') AS texts, (',
    rolledUpAnswer({ ...question, metric: { ...metric, ...COUNT } }, index, spans, bind),
    ') AS counted',
  ].join('\n');
}

const COUNT: Pick<MetricRule, 'aggregationType' | 'propertyName'> = { aggregationType: 'count', propertyName: null };

/** Whether {@link uniqueFromTexts} has an answer. */
export function isToldByTexts(rolledUp: RolledUp, question: MetricQuestion): boolean {
  return textsOf(rolledUp, question) !== undefined;
}

/** The spans that may be read, and those of them whose texts are told. */
function textsOf(rolledUp: RolledUp, question: MetricQuestion) {
  const { accountId, customerId, start, end, metric } = question;
  const { eventName, propertyName: property } = metric;
  if (metric.aggregationType !== 'unique' || eventName === null || property === null || !isWhole(question))
    return undefined;
  if (!reachesOutOfMonth(start, end)) return undefined;
  const spans = rolledUp.spansOf(question);
  const told = rolledUp.textSpansOf({ accountId, customerId, eventName, property });
  return spans.some((to) => told.has(to)) ? { spans, told } : undefined;
}

/** Positions whose texts are not told; spans beside each other as one, since each condition is asked of every event. */
function untold(spans: readonly bigint[], told: ReadonlySet<bigint>): { above: bigint; upTo?: bigint }[] {
  const stretches: { above: bigint; upTo?: bigint }[] = [];
  let above = 0n;
  for (const [i, end] of spans.entries()) {
    if (!told.has(end)) continue;
    const before = spans[i - 1] ?? 0n;
    if (before > above) stretches.push({ above, upTo: before });
    above = end;
  }
  return [...stretches, { above }];
}

/** Whether all the customer's events of the interval count, as one total. */
function isWhole({
  metric,
  start,
  end,
  above,
  granularity = 'total',
  periods,
  excluded = [],
  combination,
}: MetricQuestion) {
  if (granularity !== 'total' || periods !== undefined || above !== undefined || combination) return false;
  if (metric.timeFilter !== null || metric.numericFilters.length + metric.categoricalFilters.length > 0) return false;
  return overlapping(excluded, { startsAt: start, endsAt: end }).length === 0;
}

/** Of an interval within one month nearly no text's first and last time tell whether it was seen in there. */
function reachesOutOfMonth(start: Instant, end: Instant): boolean {
  return start < end && (monthOf(start) !== monthOf(end - 1) || isStartOfMonth(start) || isStartOfMonth(end));
}

/** Of UTC, as in 202611. */
function monthOf(instant: Instant): number {
  const iso = isoFromInstant(instant);
  return Number(iso.slice(0, 4) + iso.slice(5, 7));
}

function isStartOfMonth(instant: Instant): boolean {
  return isoFromInstant(instant).endsWith('-01T00:00:00.000Z');
}
