import { notFound } from '../../../core/domain-error.ts';
import { findTestClock } from '../../../sql/postgres/subscriptions/test-clocks.ts';
import { testClockPath, testClockToWire, testClockWire } from '../../../wire/test-clocks.ts';
import { operation } from '../../operation.ts';

export const retrieveTestClock = operation({
  id: 'retrieveTestClock',
  method: 'get',
  path: '/api/test-clocks/{test_clock_id}',
  tag: 'Test clocks',
  summary: 'Retrieve a test clock; while it advances, its frozen_time moves from one due instant to the next',
  scope: 'read',
  mode: 'test',
  params: testClockPath,
  success: 200,
  response: testClockWire,
  run: ({ caller: { accountId }, params, read }) =>
    read(async (tx) => {
      const clock = await findTestClock(tx, accountId, params.test_clock_id);
      if (!clock) throw notFound(`test clock ${params.test_clock_id}`);
      return testClockToWire(clock);
    }),
});
