import { unavailable } from '../../../core/domain-error.ts';
import { findReceivedIds } from '../../../sql/clickhouse/usage/usage-events.ts';
import { fingerprintOf, fingerprintToDecimal } from '../../../stream/fingerprint.ts';
import { verifyEvents as verifyEventsBody, verifyEventsWire } from '../../../wire/usage-events.ts';
import { operation } from '../../operation.ts';

/** Longer than a restart of the aggregator takes; after that the caller is told to come back (spec/events#questions). */
const LANDING_TIMEOUT_MS = 5_000;
const DEFAULT_LOOKBACK_DAYS = 30;
const DAY_MS = 86_400_000;

export const verifyEvents = operation({
  id: 'verifyEvents',
  method: 'post',
  path: '/api/verify-events',
  tag: 'Events',
  summary: 'Tell which usage events were received',
  description: 'Exact at the moment of asking: it waits until everything accepted before has landed.',
  scope: 'read',
  body: verifyEventsBody,
  success: 200,
  response: verifyEventsWire,
  errors: [503],
  run: async ({ caller, body, now, keep }, { clickhouse, progress }) => {
    const accepted = await progress.lastAcceptedPosition();
    if (!(await progress.waitUntilLanded(accepted, LANDING_TIMEOUT_MS))) {
      throw unavailable('Events accepted before this question have not landed yet. Try again.');
    }
    const ids = [...new Set(body.idempotency_ids)];
    const fingerprints = ids.map((id) => fingerprintToDecimal(fingerprintOf(caller.accountId, id)));
    const since = now - (body.lookback_days ?? DEFAULT_LOOKBACK_DAYS) * DAY_MS;
    const received = await findReceivedIds(clickhouse, { fingerprints, since });
    const isReceived = (_id: string, i: number) => received.has(fingerprints[i] ?? '');
    return keep({
      status: 'success',
      ids_received: ids.filter(isReceived),
      ids_not_found: ids.filter((id, i) => !isReceived(id, i)),
    });
  },
});
