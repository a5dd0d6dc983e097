import { advanceClock } from '../../../services/test-clocks/advance-clock.ts';
import { testClockAdvance, testClockPath, testClockWire } from '../../../wire/test-clocks.ts';
import { operation } from '../../operation.ts';

export const advanceTestClock = operation({
  id: 'advanceTestClock',
  method: 'post',
  path: '/api/test-clocks/{test_clock_id}/advance',
  tag: 'Test clocks',
  summary: 'Advance a test clock: everything due up to the new time happens, then it is ready again',
  description: 'Answers at once, with status advancing. A clock that failed can be advanced again; it tries anew.',
  scope: 'write',
  audit: 'test_clock.advanced',
  mode: 'test',
  params: testClockPath,
  body: testClockAdvance,
  success: 200,
  response: testClockWire,
  errors: [409, 503],
  run: async (
    { caller: { accountId }, params: { test_clock_id: testClockId }, body, write },
    { workflows, accountLimits },
  ) => {
    // Without Temporal the clock would stand there advancing: better refused before anything has changed.
    await workflows.ready();
    return write((tx) => advanceClock(tx, { accountId, testClockId }, body, accountLimits));
  },
});
