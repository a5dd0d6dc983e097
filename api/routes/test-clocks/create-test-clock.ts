import { createClock } from '../../../services/test-clocks/create-clock.ts';
import { testClockCreate, testClockWire } from '../../../wire/test-clocks.ts';
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
  audit: 'test_clock.created',
  mode: 'test',
  body: testClockCreate,
  success: 201,
  response: testClockWire,
  errors: [409],
  run: ({ caller, body, now, write }, { accountLimits }) =>
    write((tx) => createClock(tx, caller.accountId, body, { now, most: accountLimits.testClocks })),
});
