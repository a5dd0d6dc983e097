import { newId } from '../../../core/ids.ts';
import { insertTestClock } from '../../../sql/postgres/subscriptions/test-clocks.ts';
import { testClockCreate, testClockToWire, testClockWire } from '../../../wire/test-clocks.ts';
import { operation } from '../../operation.ts';

export const createTestClock = operation({
  id: 'createTestClock',
  method: 'post',
  path: '/api/test-clocks',
  tag: 'Test clocks',
  summary: 'Create a test clock, on which customers can live',
  description:
    'A customer created with test_clock_id lives in its time: nothing falls due until the clock is advanced.',
  scope: 'write',
  mode: 'test',
  body: testClockCreate,
  success: 201,
  response: testClockWire,
  run: ({ caller: { accountId }, body, now, write }) =>
    write(async (tx) => {
      const clock = { testClockId: newId('clock'), name: body.name, frozenTime: body.frozen_time };
      await insertTestClock(tx, accountId, clock, now);
      return testClockToWire({ ...clock, status: 'ready' });
    }),
});
