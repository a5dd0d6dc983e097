import { verifyEvents as verify } from '../../../services/usage/verify-events.ts';
import { verifyEvents as verifyEventsBody, verifyEventsWire } from '../../../wire/usage-events.ts';
import { operation } from '../../operation.ts';

export const verifyEvents = operation({
  id: 'verifyEvents',
  method: 'post',
  path: '/api/verify-events',
  tag: 'Events',
  summary: 'Tell which usage events were received',
  description: 'Exact at the moment of asking: it waits until everything accepted before has landed.',
  scope: 'read',
  audit: null,
  body: verifyEventsBody,
  success: 200,
  response: verifyEventsWire,
  errors: [503],
  run: async ({ caller, body, now, keep }, dependencies) =>
    keep(await verify(dependencies, caller.accountId, body, now)),
});
