import { conflict, invalid, notFound } from '../../../core/domain-error.ts';
import { CLOCK_ADVANCING, insertOutboxEvent } from '../../../sql/postgres/outbox.ts';
import { lockTestClock, updateClockAdvancing } from '../../../sql/postgres/subscriptions/test-clocks.ts';
import { testClockAdvance, testClockPath, testClockToWire, testClockWire } from '../../../wire/test-clocks.ts';
import { operation } from '../../operation.ts';

export const advanceTestClock = operation({
  id: 'advanceTestClock',
  method: 'post',
  path: '/api/test-clocks/{test_clock_id}/advance',
  tag: 'Test clocks',
  summary: 'Advance a test clock: everything due up to the new time happens, then it is ready again',
  description: 'Answers at once, with status advancing. A clock that failed can be advanced again; it tries anew.',
  scope: 'write',
  mode: 'test',
  params: testClockPath,
  body: testClockAdvance,
  success: 200,
  response: testClockWire,
  errors: [409, 503],
  run: async ({ caller: { accountId }, params, body, write }, { workflows }) => {
    // Without Temporal the clock would stand there advancing: better refused before anything has changed.
    await workflows.ready();
    return write(async (tx) => {
      const clock = await lockTestClock(tx, accountId, params.test_clock_id);
      if (!clock) throw notFound(`test clock ${params.test_clock_id}`);
      if (body.frozen_time <= clock.frozenTime)
        throw invalid({ frozen_time: ["Must be after the clock's frozen_time."] });
      if (clock.status === 'advancing') throw conflict(`The test clock is ${clock.status}.`);
      await updateClockAdvancing(tx, accountId, clock.testClockId, body.frozen_time);
      const advancing = testClockToWire({ ...clock, status: 'advancing' });
      const subject = `test_clock/${clock.testClockId}`;
      await insertOutboxEvent(tx, { accountId, type: CLOCK_ADVANCING, subject, data: advancing });
      return advancing;
    });
  },
});
