import type { MetricRule } from '../../../billing/catalog/metrics.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import type { Instant } from '../../../core/instants.ts';
import { askRows, type ClickHouseReader, OF_A_CALLER } from '../clickhouse.ts';
import { type Bind, type ParameterizedQuery, queryParameters } from '../query-parameters.ts';
import { EVENT_COLUMNS, eventFromRow, type StoredUsageEvent, type UsageEventRow } from '../usage/usage-events.ts';
import { filterConditions } from './metric-filters.ts';
import { aggregateOf, localTimeName, within } from './metric-query.ts';

/** What a rule that is no metric yet is tried on: events of an account, or of one customer, in a half-open interval. */
export type PreviewQuestion = {
  accountId: string;
  customerId?: string | undefined;
  rule: MetricRule;
  timeZone: string;
  start: Instant;
  end: Instant;
};

/** The rule's value over all that match, and the newest events that do and that do not; of the latter first those of the rule's name. */
export type PreviewAnswer = {
  value: Decimal;
  eventsCount: Decimal;
  matched: StoredUsageEvent[];
  refused: StoredUsageEvent[];
};

/** Tries a rule by the very conditions that a metric counts by, at most `newest` events of either kind. */
export async function previewMetric(
  clickhouse: ClickHouseReader,
  question: PreviewQuestion,
  newest: number,
): Promise<PreviewAnswer> {
  const ask = <Row>(query: ParameterizedQuery) => askRows<Row>(clickhouse, query, OF_A_CALLER.settings);
  const [[total], matched, refused] = await Promise.all([
    ask<{ value: string; events: string }>(
      statement(question, (bind, matches, scope) => [
        `SELECT ${aggregateOf(question.rule, bind)} AS value, toString(count()) AS events FROM usage_events`,
        `WHERE ${[...scope, ...matches].join('\n  AND ')}`,
      ]),
    ),
    ask<UsageEventRow>(
      statement(question, (bind, matches, scope) => [
        `SELECT ${EVENT_COLUMNS} FROM usage_events WHERE ${[...scope, ...matches].join('\n  AND ')}`,
        `ORDER BY time_created DESC LIMIT ${bind('newest', 'UInt32', newest)}`,
      ]),
    ),
    ask<UsageEventRow>(
      statement(question, (bind, matches, scope) => [
        `SELECT ${EVENT_COLUMNS} FROM usage_events`,
        `WHERE ${scope.join('\n  AND ')}\n  AND NOT (${['1', ...matches].join(' AND ')})`,
        `ORDER BY ${isNamed(question.rule, bind)} DESC, time_created DESC LIMIT ${bind('newest', 'UInt32', newest)}`,
      ]),
    ),
  ]);
  return {
    value: decimal(total?.value ?? 0),
    eventsCount: decimal(total?.events ?? 0),
    matched: matched.map(eventFromRow),
    refused: refused.map(eventFromRow),
  };
}

/** A statement about the events of the scope, of which `matches` tells those that the rule counts. */
function statement(
  question: PreviewQuestion,
  linesOf: (bind: Bind, matches: string[], scope: string[]) => string[],
): ParameterizedQuery {
  const { bind, params } = queryParameters();
  const { accountId, customerId, rule, start, end } = question;
  const names = rule.timeFilter === null ? [] : [`WITH ${localTimeName(question, bind)}`];
  const scope = [
    `account_id = ${bind('account_id', 'String', accountId)}`,
    ...(customerId === undefined ? [] : [`customer_id = ${bind('customer_id', 'String', customerId)}`]),
    within({ startsAt: start, endsAt: end }, 'start', 'end', bind),
  ];
  const matches = [isNamed(rule, bind), ...filterConditions(rule, bind)];
  return { sql: [...names, ...linesOf(bind, matches, scope)].join('\n'), params };
}

function isNamed({ eventName }: MetricRule, bind: Bind): string {
  return eventName === null ? '1' : `event_name = ${bind('event_name', 'String', eventName)}`;
}
