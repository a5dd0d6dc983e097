import { deleteClock } from '../../../services/test-clocks/delete-clock.ts';
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
  audit: 'test_clock.deleted',
  mode: 'test',
  params: testClockPath,
  success: 204,
  errors: [409],
  run: ({ caller: { accountId }, params: { test_clock_id: testClockId }, now, write }) =>
    write((tx) => deleteClock(tx, { accountId, testClockId }, now)),
});
