import { expect, test } from 'vitest';
import { decimal } from '../../core/decimal.ts';
import { shareQuestions } from '../../services/usage/share-questions.ts';
import type { MetricQuestion } from '../../sql/clickhouse/metrics/metric-query.ts';

const metric: MetricQuestion['metric'] = {
  eventName: 'call',
  aggregationType: 'count',
  propertyName: null,
  numericFilters: [],
  categoricalFilters: [],
  timeFilter: null,
};
const of = (customerId: string, accountId = 'acct_any'): MetricQuestion => ({
  ...{ accountId, customerId, metric, timeZone: 'UTC', start: 0, end: 1 },
});
const countOf = ({ customerId }: MetricQuestion) => ({
  ...{ value: decimal(customerId.length), eventsCount: decimal(1) },
});

/** Answers each statement when it is told to; `asked` are the customers of each. */
function slowAsk() {
  const asked: string[][] = [];
  const answer: (() => void)[] = [];
  const ask = (questions: readonly MetricQuestion[]) => {
    asked.push(questions.map(({ customerId }) => customerId));
    return new Promise<ReturnType<typeof countOf>[]>((resolve, reject) => {
      answer.push(() => {
        if (questions.some(({ customerId }) => customerId === 'too much')) reject(new Error('too much'));
        else resolve(questions.map(countOf));
      });
    });
  };
  return { asked, answer, ask: shareQuestions(ask) };
}

test('closings that ask while two statements are under way are asked in one, and each gets the answers to its own', async () => {
  const { asked, answer, ask } = slowAsk();
  const answers = [ask([of('a')]), ask([of('bb')]), ask([of('ccc'), of('dddd')]), ask([of('eeeee')]), ask([])];
  await expect.poll(() => asked).toEqual([['a'], ['bb']]);
  answer[0]?.();
  await expect.poll(() => asked.slice(2)).toEqual([['ccc', 'dddd', 'eeeee']]);
  for (const tell of answer) tell();
  const values = (await Promise.all(answers)).map((some) => some.map(({ value }) => value.toFixed()));
  expect(values).toEqual([['1'], ['2'], ['3', '4'], ['5'], []]);
});

test('another account waits for none of it', async () => {
  const { asked, answer, ask } = slowAsk();
  const all = [ask([of('a')]), ask([of('b')]), ask([of('c')]), ask([of('other', 'acct_other')])];
  await expect.poll(() => asked).toEqual([['a'], ['b'], ['other']]);
  answer[0]?.();
  await expect.poll(() => asked.length).toBe(4);
  for (const tell of answer) tell();
  await Promise.all(all);
});

test('a failure is of whoever asked: the others are asked alone', async () => {
  const { asked, answer, ask } = slowAsk();
  const first = [ask([of('a')]), ask([of('b')])];
  const [good, bad] = [ask([of('good')]), ask([of('too much')])];
  bad.catch(() => {});
  await expect.poll(() => asked.length).toBe(2);
  answer[0]?.();
  await expect.poll(() => asked.slice(2)).toEqual([['good', 'too much']]);
  answer[2]?.();
  await expect.poll(() => asked.slice(3)).toEqual([['good'], ['too much']]);
  for (const tell of answer) tell();
  expect((await good).map(({ value }) => value.toFixed())).toEqual(['4']);
  await expect(bad).rejects.toThrow('too much');
  await Promise.all(first);
});
