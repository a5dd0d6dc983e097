import type { Interval } from '../../../billing/metering/buckets.ts';
import { type MetricQuestion, overlapping } from './metric-query.ts';

/** Questions for totals that differ only in their intervals, which follow one another: one SELECT answers them all. */
export type Chain = readonly MetricQuestion[];

/** Intervals of one chain: a year of months, a quarter of days. */
const MAX_LENGTH = 100;

/**
 * Puts questions into chains: to plan a SELECT takes longer than to read a small customer's events, so a closing of many
 * periods asks for each metric once. A question that `standsAlone` is a chain of its own.
 */
export function chainsOf(
  questions: readonly MetricQuestion[],
  standsAlone: (question: MetricQuestion) => boolean,
): Chain[] {
  const isSingle = (question: MetricQuestion) => question.start >= question.end || standsAlone(question);
  const chains: MetricQuestion[][] = questions.filter(isSingle).map((question) => [question]);
  const others = questions.filter((question) => !isSingle(question));
  for (const ofMetric of Map.groupBy(others, ({ metric }) => metric).values()) {
    for (const alike of Map.groupBy(ofMetric, likeness).values()) {
      let chain: MetricQuestion[] = [];
      for (const question of alike.toSorted((a, b) => a.start - b.start)) {
        const last = chain.at(-1);
        if (last === undefined || last.end > question.start || chain.length === MAX_LENGTH) {
          chain = [];
          chains.push(chain);
        }
        chain.push(question);
      }
    }
  }
  return chains;
}

/** The question whose buckets are the intervals of the chain. */
export function joined(chain: Chain): MetricQuestion {
  const [first] = chain;
  if (first === undefined) throw new Error('a chain of questions is empty');
  if (chain.length === 1) return first;
  const periods = chain.map(({ start, end }): Interval => ({ startsAt: start, endsAt: end }));
  const excluded = chain.flatMap(({ excluded: stretches = [], start, end }) =>
    overlapping(stretches, { startsAt: start, endsAt: end }).map(({ startsAt, endsAt }) => {
      return { startsAt: Math.max(startsAt, start), endsAt: Math.min(endsAt, end) };
    }),
  );
  return { ...first, end: chain.at(-1)?.end ?? first.end, periods, excluded };
}

function likeness({ accountId, customerId, timeZone, upTo, above }: MetricQuestion): string {
  return JSON.stringify([accountId, customerId, timeZone, String(upTo), String(above)]);
}
