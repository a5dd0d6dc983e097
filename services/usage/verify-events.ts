import { unavailable } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import type { ClickHouseReader } from '../../sql/clickhouse/clickhouse.ts';
import { findReceivedIds } from '../../sql/clickhouse/usage/usage-events.ts';
import { fingerprintOf, fingerprintToDecimal } from '../../stream/fingerprint.ts';
import type { VerifyEvents } from '../../wire/usage-events.ts';
import type { ServiceDependencies } from '../dependencies.ts';

/** Longer than a restart of the aggregator takes; after that the caller is told to come back (spec/events#questions). */
const LANDING_TIMEOUT_MS = 5_000;
const DEFAULT_LOOKBACK_DAYS = 30;
const DAY_MS = 86_400_000;

/** Which of these events were received. @throws DomainError `unavailable` while events accepted before have not landed */
export async function verifyEvents(
  { clickhouse, progress }: Pick<ServiceDependencies, 'progress'> & { clickhouse: ClickHouseReader },
  accountId: string,
  { idempotency_ids: wanted, lookback_days: lookbackDays = DEFAULT_LOOKBACK_DAYS }: VerifyEvents,
  now: Instant,
) {
  const accepted = await progress.lastAcceptedPosition();
  if (!(await progress.waitUntilLanded(accepted, LANDING_TIMEOUT_MS))) {
    throw unavailable('Events accepted before this question have not landed yet. Try again.');
  }
  const ids = [...new Set(wanted)];
  const fingerprints = ids.map((id) => fingerprintToDecimal(fingerprintOf(accountId, id)));
  const received = await findReceivedIds(clickhouse, { fingerprints, since: now - lookbackDays * DAY_MS });
  const isReceived = (_id: string, i: number) => received.has(fingerprints[i] ?? '');
  return {
    status: 'success' as const,
    ids_received: ids.filter(isReceived),
    ids_not_found: ids.filter((id, i) => !isReceived(id, i)),
  };
}
