import { expect, test } from 'vitest';
import type { Metric } from '../../billing/catalog/metrics.ts';
import { ZERO } from '../../core/decimal.ts';
import { askBesideRecords, rememberSubjects, type Subject } from '../../services/usage/remembered-subjects.ts';

const IDS = { accountId: 'acct_1', metricId: 'metric_1', customerId: 'customer' };
const METRIC: Metric = {
  ...{ metricId: 'metric_1', metricName: 'Calls', aggregationType: 'count', eventName: 'call', propertyName: null },
  ...{ numericFilters: [], categoricalFilters: [], timeFilter: null, isCostMetric: false, unitCost: ZERO },
  ...{ status: 'active', createdAt: 0 },
};
const SUBJECT: Subject = { metric: METRIC, timeZone: 'UTC' };

/** Asks with these records; tells what happened, in its order. */
function fixture() {
  const remembered = rememberSubjects();
  const events: string[] = [];
  const ask = async (subject: Subject) => {
    const name = `${subject.metric.metricName} in ${subject.timeZone}`;
    events.push(`ask ${name}`);
    return name;
  };
  const question = (postgres: () => Subject, ids = IDS) => {
    const load = async () => {
      await Promise.resolve();
      events.push('postgres');
      return structuredClone(postgres());
    };
    return askBesideRecords(remembered, ids, { load, ask });
  };
  return { question, ask, remembered, happened: () => events.splice(0) };
}

test('what is not known is asked once the records have answered; from then on before, and once', async () => {
  const { question, happened } = fixture();
  expect(await question(() => SUBJECT)).toBe('Calls in UTC');
  expect(happened()).toEqual(['postgres', 'ask Calls in UTC']);
  expect(await question(() => SUBJECT)).toBe('Calls in UTC');
  expect(happened()).toEqual(['ask Calls in UTC', 'postgres']);
});

test.each([
  ['another time zone', { ...SUBJECT, timeZone: 'Europe/Berlin' }, 'Calls in Europe/Berlin'],
  ['another metric', { ...SUBJECT, metric: { ...METRIC, metricName: 'Requests' } }, 'Requests in UTC'],
])('where the records now say %s, the answer is to that, and the next one too', async (_, changed, answer) => {
  const { question, happened } = fixture();
  await question(() => SUBJECT);
  happened();
  expect(await question(() => changed)).toBe(answer);
  expect(happened()).toEqual(['ask Calls in UTC', 'postgres', `ask ${answer}`]);
  expect(await question(() => changed)).toBe(answer);
  expect(happened()).toEqual([`ask ${answer}`, 'postgres']);
});

test('where the records refuse, nobody sees an answer', async () => {
  const { question } = fixture();
  await question(() => SUBJECT);
  const gone = question(() => {
    throw new Error('no such customer');
  });
  await expect(gone).rejects.toThrow('no such customer');
});

test('a question that fails, fails by what the records say', async () => {
  const remembered = rememberSubjects();
  remembered.keep(IDS, SUBJECT);
  const asked = (subject: Subject) =>
    askBesideRecords(remembered, IDS, {
      load: async () => subject,
      ask: async ({ timeZone }) => {
        if (timeZone === 'UTC') throw new Error('away');
        return timeZone;
      },
    });
  await expect(asked(SUBJECT)).rejects.toThrow('away');
  expect(await asked({ ...SUBJECT, timeZone: 'Asia/Tokyo' })).toBe('Asia/Tokyo');
});

test('accounts, metrics and customers are kept apart, and the oldest are forgotten', () => {
  const remembered = rememberSubjects();
  remembered.keep(IDS, SUBJECT);
  expect(remembered.find(IDS)).toEqual(SUBJECT);
  for (const other of [{ accountId: 'acct_2' }, { metricId: 'metric_2' }, { customerId: 'other' }]) {
    expect(remembered.find({ ...IDS, ...other })).toBeUndefined();
  }
  for (let i = 0; i < 10_000; i++) remembered.keep({ ...IDS, customerId: `c-${i}` }, SUBJECT);
  expect(remembered.find(IDS)).toBeUndefined();
  expect(remembered.find({ ...IDS, customerId: 'c-9999' })).toEqual(SUBJECT);
});
