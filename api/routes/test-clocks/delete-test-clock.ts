import { deleteClock } from '../../../services/test-clocks/delete-clock.ts';
import { testClockPath, testClockWire } from '../../../wire/test-clocks.ts';
import { Accepted, operation } from '../../operation.ts';

export const deleteTestClock = operation({
  id: 'deleteTestClock',
  method: 'delete',
  path: '/api/test-clocks/{test_clock_id}',
  tag: 'Test clocks',
  summary: 'Delete a test clock, or stop one that advances',
  description:
    'A clock that advances is stopped instead: the answer is 202, and the clock is ready after the step under way, at the ' +
    'time of that step. Delete it again then. Refused while a customer on the clock has a live subscription. Its customers ' +
    'stay, with their records, in its last frozen_time; a change to one of them is refused from then on.',
  scope: 'write',
  audit: 'test_clock.deleted',
  mode: 'test',
  params: testClockPath,
  success: 204,
  accepted: testClockWire,
  errors: [409],
  run: async ({ caller: { accountId }, params: { test_clock_id: testClockId }, now, write }) => {
    const stopping = await write((tx) => deleteClock(tx, { accountId, testClockId }, now));
    return stopping ? new Accepted(stopping) : undefined;
  },
});
