import { traceEvent as trace } from '../../../services/usage/trace-event.ts';
import { eventTraceQuery, eventTraceToWire, eventTraceWire } from '../../../wire/event-traces.ts';
import { operation } from '../../operation.ts';

export const traceEvent = operation({
  id: 'traceEvent',
  method: 'get',
  path: '/api/events/trace',
  tag: 'Events',
  summary: 'What became of an event: whether it landed, which metrics count it, and where it is billed',
  description: 'An event that no sender was told was accepted is 404.',
  scope: 'read',
  query: eventTraceQuery,
  success: 200,
  response: eventTraceWire,
  errors: [404],
  run: async ({ caller: { accountId }, query, now }, dependencies) =>
    eventTraceToWire(await trace(dependencies, accountId, query.idempotency_id, now)),
});
