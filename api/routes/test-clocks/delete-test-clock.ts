import { conflict, notFound } from '../../../core/domain-error.ts';
import {
  deleteTestClock as deleteClock,
  hasLiveSubscription,
  lockTestClock,
} from '../../../sql/postgres/subscriptions/test-clocks.ts';
import { testClockPath } from '../../../wire/test-clocks.ts';
import { operation } from '../../operation.ts';

export const deleteTestClock = operation({
  id: 'deleteTestClock',
  method: 'delete',
  path: '/api/test-clocks/{test_clock_id}',
  tag: 'Test clocks',
  summary: 'Delete a test clock',
  description:
    'Refused while a customer on it has a live subscription. Its customers stay, with their records, in its last ' +
    'frozen_time; a change to one of them is refused from then on.',
  scope: 'write',
  mode: 'test',
  params: testClockPath,
  success: 204,
  errors: [409],
  run: ({ caller: { accountId }, params, now, write }) =>
    write(async (tx) => {
      const clock = await lockTestClock(tx, accountId, params.test_clock_id);
      if (!clock) throw notFound(`test clock ${params.test_clock_id}`);
      if (clock.status === 'advancing') throw conflict(`The test clock is ${clock.status}.`);
      if (await hasLiveSubscription(tx, accountId, clock.testClockId)) {
        throw conflict(`The test clock is ${clock.status} and has a live subscription; cancel it first.`);
      }
      await deleteClock(tx, accountId, clock.testClockId, now);
    }),
});
