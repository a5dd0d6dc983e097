import type { ClickHouseClient } from '@clickhouse/client';
import { EVENTS_A_NAMING, IN_SPAN, ROLL_UP_SETTINGS, type Span } from './usage-rollups.ts';

/** Of fewer events of one name in a span, or of more different texts than one in two events, reading the events is as fast. */
const WORTHWHILE = { events: EVENTS_A_NAMING, eventsAText: 2 };

/** SQL: a text as `usage_texts` has it. uniqExact compares texts by the same hash. */
export function hashOfText(text: string): string {
  return `reinterpretAsUInt128(sipHash128(${text}))`;
}

/**
 * Adds the texts of a span, all of whose events have landed: of the properties that have a text in every event of their name.
 * Which ones these are is written first, so who reads that must wait until the span itself is said to be rolled up.
 */
export async function insertTexts(
  clickhouse: ClickHouseClient,
  { from, to }: Span,
  { events, eventsAText } = WORTHWHILE,
): Promise<void> {
  const settings = { query_params: { from, to }, clickhouse_settings: ROLL_UP_SETTINGS };
  const key = 'account_id, customer_id, event_name';
  await clickhouse.command({
    query: `INSERT INTO usage_text_spans
      SELECT {from:UInt64}, {to:UInt64}, groupArray((${key}, property))
      FROM (
        SELECT ${key}, property FROM usage_events
        INNER JOIN (
          SELECT ${key}, groupArrayIntersect(mapKeys(strings)) AS properties FROM usage_events
          WHERE ${IN_SPAN} GROUP BY ${key} HAVING count() >= ${events}
        ) AS named USING (${key})
        ARRAY JOIN properties AS property
        WHERE ${IN_SPAN} GROUP BY ${key}, property
        HAVING uniqCombined(strings[property]) * ${eventsAText} <= count()
      )`,
    ...settings,
  });
  await clickhouse.command({
    query: `INSERT INTO usage_texts
      SELECT ${key}, property, toYYYYMM(time_created), ${hashOfText('strings[property]')} AS text,
        min(time_created), max(time_created), max(position)
      FROM usage_events
      INNER JOIN (
        SELECT known.1 AS account_id, known.2 AS customer_id, known.3 AS event_name, groupArray(known.4) AS properties
        FROM (
          SELECT arrayJoin(properties) AS known FROM usage_text_spans
          WHERE span_from = {from:UInt64} AND span_to = {to:UInt64} LIMIT 1 BY known
        )
        GROUP BY ${key}
      ) AS named USING (${key})
      ARRAY JOIN properties AS property
      WHERE ${IN_SPAN} GROUP BY ${key}, property, toYYYYMM(time_created), text`,
    ...settings,
  });
}
