import type { ClickHouseClient } from '@clickhouse/client';
import type { Registry } from '@prometheus-io/client';
import type { Clock } from '../runtime/clock.ts';
import type { Stoppable } from '../runtime/lifecycle.ts';
import type { Log } from '../runtime/log.ts';
import { repeat } from '../runtime/repeat.ts';
import type { StreamConnection } from '../stream/connection.ts';
import type { UsageProgress } from '../stream/progress.ts';
import { createAudit } from './audit.ts';
import type { RepeatComparison } from './compare-repeats.ts';
import { addAuditMetrics } from './metrics.ts';
import { createRepartition } from './repartition.ts';
import { createRollUp } from './roll-up.ts';
import { createBounds } from './stream-retention.ts';

/** A question about the audit waits for it: so it must not be long behind (`GET /api/ingestion/audit`). */
const AUDIT_PAUSE_MS = 1_000;

/** A full stream refuses events until it has been purged. */
const BOUNDS_PAUSE_MS = 1_000;

/** A metric shows within seconds whether repeats differ. */
const COMPARE_PAUSE_MS = 5_000;

/** Until a span is rolled up its events are read one by one: for a minute that is no loss. */
const ROLL_UP_PAUSE_MS = 60_000;

/** After a failure; else there is one step after another, and then nothing to do any more. */
const REPARTITION_PAUSE_MS = 30_000;

/** With more than this to catch up on landing comes first, but not for longer than {@link AUDIT_AT_LEAST_MS}. */
const BACKLOG_SECONDS = 5;
const AUDIT_AT_LEAST_MS = 60_000;

/**
 * What goes on beside landing: the continuous audit, keeping the streams bounded, comparing repeats, and, by one process for all
 * partitions, rolling up and repartitioning what an older release has left.
 */
export function startMaintenance(parts: {
  connection: StreamConnection;
  clickhouse: ClickHouseClient;
  /** Where ClickHouse is a cluster (CLICKHOUSE_CLUSTER). */
  cluster?: string | undefined;
  progress: UsageProgress;
  repeats: RepeatComparison;
  partitions?: readonly number[] | undefined;
  registry: Registry;
  clock: Clock;
  log: Log;
  keepMs: number;
}): Stoppable {
  const { log, progress, repeats } = parts;
  const audit = createAudit({ ...parts, ...addAuditMetrics(parts.registry) });
  const bounds = createBounds({ ...parts, audit });
  const rollUp = createRollUp(parts);
  const repartition = createRepartition(parts);
  let auditedAt = Number.NEGATIVE_INFINITY;

  async function auditOnce() {
    const isDue = performance.now() - auditedAt > AUDIT_AT_LEAST_MS;
    if (!isDue && (await progress.lag()).seconds > BACKLOG_SECONDS) return undefined;
    const more = await audit.runOnce();
    if (!more) auditedAt = performance.now();
    return more;
  }

  async function compareOnce() {
    if (!repeats.isDue() || (await progress.lag()).seconds > BACKLOG_SECONDS) return;
    await repeats.runOnce();
  }

  async function rollUpOnce() {
    return (await progress.lag()).seconds > BACKLOG_SECONDS ? undefined : rollUp.runOnce();
  }

  const loops = [
    repeat('audit', log, AUDIT_PAUSE_MS, auditOnce),
    repeat('bounds', log, BOUNDS_PAUSE_MS, bounds.runOnce),
    repeat('repeats', log, COMPARE_PAUSE_MS, compareOnce),
    ...(ownsFirstPartition(parts.partitions)
      ? [
          repeat('roll up', log, ROLL_UP_PAUSE_MS, rollUpOnce),
          repeat('repartition', log, REPARTITION_PAUSE_MS, repartition.runOnce),
        ]
      : []),
  ];
  return {
    name: 'maintenance',
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

function ownsFirstPartition(partitions: readonly number[] | undefined): boolean {
  return partitions === undefined || partitions.includes(0);
}
