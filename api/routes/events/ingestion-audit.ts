import { setTimeout as sleep } from 'node:timers/promises';
import { invalid, unavailable } from '../../../core/domain-error.ts';
import { loadAudit, loadAuditedTo } from '../../../sql/clickhouse/usage/usage-audit.ts';
import { ingestionAuditQuery, ingestionAuditToWire, ingestionAuditWire } from '../../../wire/ingestion-audit.ts';
import { END_BEFORE_START } from '../../../wire/metric-usage.ts';
import { instantOfMoment } from '../../../wire/moments.ts';
import type { Dependencies } from '../../dependencies.ts';
import { operation } from '../../operation.ts';

const HOUR_MS = 3_600_000;

/** As for verify-events: longer than a restart of the aggregator takes. */
const AUDIT_TIMEOUT_MS = 5_000;
const RECHECK_MS = 200;

export const ingestionAudit = operation({
  id: 'auditIngestion',
  method: 'get',
  path: '/api/ingestion/audit',
  tag: 'Events',
  summary: 'Compare the events accepted with what became of them',
  description:
    'By time of receipt, over whole hours: start is taken down and end up to the hour; a date is the start of that day in UTC. accepted = landed + repeated + dead_lettered + missing. Waits until everything accepted before the question has been audited.',
  scope: 'read',
  query: ingestionAuditQuery,
  success: 200,
  response: ingestionAuditWire,
  errors: [503],
  run: async ({ caller, query }, dependencies) => {
    const start = Math.floor(instantOfMoment(query.start, 'UTC') / HOUR_MS) * HOUR_MS;
    const end = Math.ceil(instantOfMoment(query.end, 'UTC') / HOUR_MS) * HOUR_MS;
    if (start >= end) throw invalid({ end: [END_BEFORE_START] });
    if (!(await waitUntilAudited(dependencies))) {
      throw unavailable('Events accepted before this question have not been audited yet. Try again.');
    }
    const audit = await loadAudit(dependencies.clickhouse, caller.accountId, { start, end });
    return ingestionAuditToWire({ ...audit, start, end });
  },
});

/** Whether everything accepted before the call has been audited in time. */
async function waitUntilAudited({ progress, clickhouse }: Dependencies): Promise<boolean> {
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
