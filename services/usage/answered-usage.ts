import type { Decimal } from '../../core/decimal.ts';
import type { ClickHouseReader } from '../../sql/clickhouse/clickhouse.ts';
import { type CustomerQuestion, findMetricValues } from '../../sql/clickhouse/metrics/metric-by-customer.ts';
import { findMetricUsages, type UsageSource } from '../../sql/clickhouse/metrics/metric-usage.ts';
import { inTransaction, type Pool, type Transaction } from '../../sql/postgres/postgres.ts';

/** Usage that was asked for before a transaction began: within one nothing but Postgres is asked. */
export type AnsweredUsage = {
  /** The values in the order of the questions. What was not asked yet ends the transaction, which begins again with the answers. */
  valuesOf(questions: readonly CustomerQuestion[]): Decimal[];
};

/** What a transaction reads and writes with. It has no way to ask ClickHouse, which may hang while locks are held. */
export type Stores = { tx: Transaction; usage: AnsweredUsage };

/** Once to learn what is to be asked; more often only where the subscription was changed meanwhile. */
const MAX_BEGINNINGS = 10;

class UsageNotAsked extends Error {
  readonly questions: readonly CustomerQuestion[];

  constructor(questions: readonly CustomerQuestion[]) {
    super('a transaction needs usage that was not asked for before it began');
    this.questions = questions;
  }
}

/** Answers questions about usage, in their order. */
type AskUsage = (questions: readonly CustomerQuestion[]) => Promise<Decimal[]>;

/**
 * Runs `work`, which has a transaction of its own. Where that comes to need usage it is rolled back, ClickHouse is asked with
 * nothing locked, and `work` runs again with the answers: so it must do all its writing in the transaction. For a caller, who
 * does not wait for long.
 */
export function withUsage<T>(clickhouse: ClickHouseReader, work: (usage: AnsweredUsage) => Promise<T>): Promise<T> {
  return withAnswers((questions) => findMetricValues(clickhouse, questions), work);
}

async function withAnswers<T>(ask: AskUsage, work: (usage: AnsweredUsage) => Promise<T>): Promise<T> {
  const answers = new Map<string, Decimal>();
  const valuesOf = (questions: readonly CustomerQuestion[]) => {
    const values = questions.map((question) => answers.get(keyOf(question)));
    const missing = questions.filter((_, i) => values[i] === undefined);
    if (missing.length > 0) throw new UsageNotAsked(missing);
    return values.flatMap((value) => value ?? []);
  };
  for (let beginnings = 1; ; beginnings++) {
    try {
      return await work({ valuesOf });
    } catch (error) {
      if (!(error instanceof UsageNotAsked) || beginnings === MAX_BEGINNINGS) throw error;
      // Subscriptions of one customer often ask the same.
      const once = new Map(error.questions.map((question) => [keyOf(question), question]));
      const values = await ask([...once.values()]);
      for (const [i, key] of [...once.keys()].entries()) {
        const value = values[i];
        if (value !== undefined) answers.set(key, value);
      }
    }
  }
}

/** What asks for usage within the limits of `source`, as a closing does: it comes to its end, however large the customer. */
async function askWithin(source: UsageSource, questions: readonly CustomerQuestion[]): Promise<Decimal[]> {
  return (await findMetricUsages(source, questions)).map(({ value }) => value);
}

/** {@link inTransaction} for what tells the record of a subscription: as {@link withUsage}, within the limits of `source`. */
export function inTransactionWithUsage<T>(
  source: UsageSource & { postgres: Pool },
  accountId: string,
  work: (stores: Stores) => Promise<T>,
): Promise<T> {
  const ask = (questions: readonly CustomerQuestion[]) => askWithin(source, questions);
  return withAnswers(ask, (usage) => inTransaction(source.postgres, accountId, (tx) => work({ tx, usage })));
}

function keyOf({ accountId, customerId, metric, timeZone, start, end, excluded = [] }: CustomerQuestion): string {
  return JSON.stringify([accountId, customerId, metric.metricId, timeZone, start, end, excluded]);
}
