import { setTimeout as sleep } from 'node:timers/promises';
import { invalid, unavailable } from '../../core/domain-error.ts';
import type { ClickHouseReader } from '../../sql/clickhouse/clickhouse.ts';
import { loadAudit, loadAuditedTo } from '../../sql/clickhouse/usage/usage-audit.ts';
import type { IngestionAudit, IngestionAuditQuery } from '../../wire/ingestion-audit.ts';
import { END_BEFORE_START } from '../../wire/metric-usage.ts';
import { instantOfMoment } from '../../wire/moments.ts';
import type { ServiceDependencies } from '../dependencies.ts';

const HOUR_MS = 3_600_000;

/** As for the question which events were received: longer than a restart of the aggregator takes. */
const AUDIT_TIMEOUT_MS = 5_000;
const RECHECK_MS = 200;

type Sources = Pick<ServiceDependencies, 'progress'> & { clickhouse: ClickHouseReader };

/**
 * What became of the events that were accepted in an interval, over whole hours of receipt.
 * @throws DomainError `invalid` for an empty interval; `unavailable` while events accepted before have not been audited.
 */
export async function auditIngestion(
  sources: Sources,
  accountId: string,
  query: IngestionAuditQuery,
): Promise<IngestionAudit> {
  const start = Math.floor(instantOfMoment(query.start, 'UTC') / HOUR_MS) * HOUR_MS;
  const end = Math.ceil(instantOfMoment(query.end, 'UTC') / HOUR_MS) * HOUR_MS;
  if (start >= end) throw invalid({ end: [END_BEFORE_START] });
  if (!(await waitUntilAudited(sources))) {
    throw unavailable('Events accepted before this question have not been audited yet. Try again.');
  }
  const audit = await loadAudit(sources.clickhouse, accountId, { start, end });
  return { ...audit, start, end };
}

/** Whether everything accepted before the call has been audited in time. */
async function waitUntilAudited({ progress, clickhouse }: Sources): Promise<boolean> {
  const deadline = performance.now() + AUDIT_TIMEOUT_MS;
  if (!(await progress.waitUntilLanded(await progress.lastAcceptedPosition(), AUDIT_TIMEOUT_MS))) return false;
  const { epoch, sequences } = progress.landedSequences();
  for (;;) {
    const audited = await loadAuditedTo(clickhouse, epoch, sequences.length);
    if (sequences.every((landed, partition) => (audited[partition] ?? 0) >= landed)) return true;
    if (performance.now() > deadline) return false;
    await sleep(RECHECK_MS);
  }
}
