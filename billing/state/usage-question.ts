import type { Instant } from '../../core/instants.ts';
import type { Metric } from '../catalog/metrics.ts';
import type { UsageValue } from '../metering/aggregate.ts';
import type { BookQuestion } from '../metering/book-usage.ts';
import type { Interval } from '../metering/buckets.ts';
import type { PercentagePrice } from '../pricing/percentage.ts';

/** What a customer's metric is asked for: its value from `start` to before `end`, but for what is excluded, such as pauses. */
export type UsageQuestion = {
  metric: Metric;
  /** For the metric's time filter. */
  timeZone: string;
  start: Instant;
  end: Instant;
  excluded: readonly Interval[];
  /** By which each event is priced where it is counted (spec/rating#percentage). */
  perEvent: PercentagePrice | null;
  /** By which combinations of properties are counted, each apart (spec/price-books). */
  book: BookQuestion | null;
};

/** A result that depends on usage: what is to be asked, and what it comes to by the answers, in the order of the questions. */
export type NeedsUsage<T> = {
  questions: readonly UsageQuestion[];
  by(values: readonly UsageValue[]): T;
};

/** A result that is known already. */
export function needsNothing<T>(result: T): NeedsUsage<T> {
  return { questions: [], by: () => result };
}

/** What becomes of a result, once it is there. */
export function changed<T, U>({ questions, by }: NeedsUsage<T>, change: (result: T) => U): NeedsUsage<U> {
  return { questions, by: (values) => change(by(values)) };
}

/** Several results, whose questions are asked together. */
export function together<T>(all: readonly NeedsUsage<T>[]): NeedsUsage<T[]> {
  return { questions: all.flatMap(({ questions }) => questions), by: (values) => [...eachBy(all, values)] };
}

/** Each of several results, made as it is taken, by the answers to the questions of all. */
export function* eachBy<T>(all: readonly NeedsUsage<T>[], values: readonly UsageValue[]): Generator<T> {
  let from = 0;
  for (const { questions, by } of all) {
    const to = from + questions.length;
    yield by(values.slice(from, to));
    from = to;
  }
}
