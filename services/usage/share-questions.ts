import type { UsageValue } from '../../billing/metering/aggregate.ts';
import { askTogetherBy } from '../../runtime/ask-together.ts';
import type { MetricQuestion } from '../../sql/clickhouse/metrics/metric-query.ts';

/** Answers questions about usage, in their order. */
export type AskUsages = (questions: readonly MetricQuestion[]) => Promise<UsageValue[]>;

type Asked = readonly MetricQuestion[];

/** Statements of one account beside each other, and closings whose questions are in one of them. */
const OF_AN_ACCOUNT = { atOnce: 2, most: 32 };

/**
 * Asks for many closings of an account together: who comes while two statements are under way goes with the next one, within the bounds
 * that `ask` keeps; where nobody else asks nobody waits. Where that fails each is asked alone, so that a failure is of whoever's question it is.
 */
export function shareQuestions(ask: AskUsages): AskUsages {
  const load = (askers: Asked[]) => answerAll(ask, askers);
  const share = askTogetherBy(([first]: Asked) => first?.accountId ?? '', load, OF_AN_ACCOUNT);
  return async (questions) => {
    if (questions.length === 0) return [];
    const answer = await share(questions);
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  };
}

async function answerAll(ask: AskUsages, askers: readonly Asked[]): Promise<PromiseSettledResult<UsageValue[]>[]> {
  if (askers.length === 1) return Promise.allSettled(askers.map(ask));
  const [together] = await Promise.allSettled([ask(askers.flat())]);
  if (together?.status !== 'fulfilled') return Promise.allSettled(askers.map(ask));
  let from = 0;
  return askers.map(({ length }) => {
    const value = together.value.slice(from, from + length);
    from += length;
    return { status: 'fulfilled', value };
  });
}
