import type { ClickHouseClient } from '@clickhouse/client';
import {
  type BookRule,
  bookRuleKey,
  insertBookRollups,
  listBookSpans,
  listSpanEnds,
} from '../../sql/clickhouse/usage/book-rollups.ts';
import {
  customerOfKey,
  EVENTS_A_NAMING,
  listRolledSpans,
  type Span,
} from '../../sql/clickhouse/usage/usage-rollups.ts';
import { findMetrics } from '../../sql/postgres/catalog/metrics.ts';
import { listBooksOfCustomer } from '../../sql/postgres/catalog/plan-prices.ts';
import { inReading, type Pool } from '../../sql/postgres/postgres.ts';
import type { UsageProgress } from '../../stream/progress.ts';
import type { CustomerRef } from '../references.ts';

type RollUpDependencies = {
  postgres: Pool;
  clickhouse: ClickHouseClient;
  progress: Pick<UsageProgress, 'lag'>;
};

/** Of fewer events of a customer since the last span, reading them one by one is as fast. */
const LEAST_EVENTS = 60_000;
/** More are rolled up in several spans. */
const MOST_EVENTS = 500_000;
/** A span with more rows than a part of its events is no sooner read than these. */
const EVENTS_A_ROW = 4;
/** With more than this to catch up on landing comes first. */
const BACKLOG_SECONDS = 5;

/**
 * Counts beforehand what customers with many events use by their price books (spec/price-books#rollups): by spans of the stream that the aggregator has
 * rolled up, so that several workers that do it at once write equal rows. What one of them does not come to, the next start does.
 */
export class BookRollUp {
  readonly #on: RollUpDependencies;
  readonly #leastEvents: number;
  #seenTo = 0n;
  /** Known events since the customer was last looked at. */
  readonly #events = new Map<string, { customer: CustomerRef; events: number }>();

  constructor(dependencies: RollUpDependencies, leastEvents = LEAST_EVENTS) {
    this.#on = dependencies;
    this.#leastEvents = leastEvents;
  }

  /** Rolls up what one customer has used; `more`: there may be another one. */
  async rollUpOnce(): Promise<'more' | undefined> {
    const { clickhouse, progress } = this.#on;
    if ((await progress.lag()).seconds > BACKLOG_SECONDS) return undefined;
    for (const { to, large } of await listRolledSpans(clickhouse, this.#seenTo)) {
      this.#seenTo = to;
      for (const key of large) this.#count(key);
    }
    const due = [...this.#events].find(([, { events }]) => events >= this.#leastEvents);
    if (!due) return undefined;
    const [key, { customer }] = due;
    // One that fails is tried again with its next events, and does not keep others waiting.
    this.#events.delete(key);
    await this.#rollUp(customer);
    return 'more';
  }

  #count(key: string): void {
    const known = this.#events.get(key) ?? { customer: customerOfKey(key), events: 0 };
    known.events += EVENTS_A_NAMING;
    this.#events.set(key, known);
  }

  async #rollUp(customer: CustomerRef): Promise<void> {
    const { clickhouse, postgres } = this.#on;
    const { accountId, customerId } = customer;
    const rules = await inReading(postgres, accountId, async (tx): Promise<Map<string, BookRule>> => {
      const priceBooks = await listBooksOfCustomer(tx, accountId, customerId);
      const metrics = await findMetrics(tx, accountId, [...new Set(priceBooks.map(({ metricId }) => metricId))]);
      const byId = new Map(metrics.map((metric) => [metric.metricId, metric]));
      return rulesOf(priceBooks.flatMap(({ metricId, groupBy }) => ruleOf(byId.get(metricId), groupBy)));
    });
    const asked = [...rules.keys()].map((rule) => ({ ...customer, rule }));
    const known = await listBookSpans(clickhouse, asked);
    for (const [i, rule] of [...rules.values()].entries()) {
      const rolledTo = known[i]?.at(-1)?.to ?? 0n;
      const ends = await listSpanEnds(clickhouse, customer, rolledTo);
      for (const { events, ...span } of spansToRollUp(rolledTo, ends, this.#leastEvents)) {
        await insertBookRollups(clickhouse, customer, rule, span, Math.ceil(events / EVENTS_A_ROW));
      }
    }
  }
}

function ruleOf(metric: BookRule['metric'] | undefined, groupBy: readonly string[]): BookRule[] {
  return metric ? [{ metric, groupBy }] : [];
}

/** Those that are counted beforehand, each once. */
function rulesOf(rules: readonly BookRule[]): Map<string, BookRule> {
  return new Map(
    rules.flatMap((rule) => {
      const key = bookRuleKey(rule);
      return key === undefined ? [] : [[key, rule] as const];
    }),
  );
}

/** Spans that follow one another from a position on, each of enough events of a customer, and of not many more than are rolled up at once. */
export function spansToRollUp(
  from: bigint,
  ends: readonly { to: bigint; events: number }[],
  leastEvents: number,
): (Span & { events: number })[] {
  const spans: (Span & { events: number })[] = [];
  let open: Span & { events: number } = { from, to: from, events: 0 };
  for (const { to, events } of ends) {
    if (open.events >= leastEvents && open.events + events > MOST_EVENTS) {
      spans.push(open);
      open = { from: open.to, to: open.to, events: 0 };
    }
    open = { ...open, to, events: open.events + events };
  }
  return open.events >= leastEvents ? [...spans, open] : spans;
}
