import { randomUUID } from 'node:crypto';
import type { ProcessConfig } from '../runtime/config.ts';
import { createHttpApp, serveHttp } from '../runtime/http/app.ts';
import { addServiceEndpoints } from '../runtime/http/service-endpoints.ts';
import { createShell, type Shell, type ShellParts, type Started, shellParts } from '../runtime/lifecycle.ts';
import { createProcessRegistry } from '../runtime/process-metrics.ts';
import { patiently } from '../runtime/repeat.ts';
import { startTracing } from '../runtime/tracing.ts';
import { createClickHouse, pingClickHouse } from '../sql/clickhouse/clickhouse.ts';
import { loadLandedPosition } from '../sql/clickhouse/usage/counted-positions.ts';
import { connectStream } from '../stream/connection.ts';
import { sequenceOf } from '../stream/positions.ts';
import { followProgress } from '../stream/progress.ts';
import { assertStreamReaches, loadUsageStream } from '../stream/streams.ts';
import { createRepeatComparison } from './compare-repeats.ts';
import { landAllPartitions } from './land-all-partitions.ts';
import { startMaintenance } from './maintenance.ts';
import {
  addAggregatorMetrics,
  addKnownIdsMetrics,
  addRepeatsMetrics,
  addStoreMetrics,
  addStreamMetrics,
} from './metrics.ts';

/** The aggregator: brings the usage stream into ClickHouse, each event once. */
export function createAggregator(config: ProcessConfig, overrides?: Partial<ShellParts>): Shell {
  const parts = shellParts('aggregator', config.logLevel, overrides);
  return createShell(parts.log, (started) => assemble(config, parts, started));
}

async function assemble(config: ProcessConfig, { clock, log }: ShellParts, started: Started): Promise<void> {
  started(await startTracing('aggregator', config.traceEndpoint));
  const { clickhouseCluster: cluster, aggregatorPartitions: partitions, usageStreamKeepMs: keepMs } = config;
  const clickhouse = createClickHouse(config.clickhouseUrl, cluster);
  started({ name: 'clickhouse', stop: () => clickhouse.close() });
  const connection = await connectStream(config.natsUrl, 'aggregator', log);
  started({ name: 'stream', stop: () => connection.close() });
  const stream = await patiently('usage stream', log, async () => {
    const landed = await loadLandedPosition(clickhouse);
    await assertStreamReaches(connection.jsm, sequenceOf(landed.position));
    return loadUsageStream(connection.jsm);
  });
  const progress = await followProgress(connection, clock);
  const registry = createProcessRegistry('aggregator');
  const countLanded = addAggregatorMetrics(registry, progress);
  const repeats = createRepeatComparison({
    ...{ clickhouse, log, partitions: stream.partitions },
    onDiffering: addRepeatsMetrics(registry),
  });
  addStreamMetrics(registry, connection);
  addStoreMetrics(registry, clickhouse);

  let isLanding = false;
  const app = createHttpApp(log);
  const checks = [
    { name: 'nats', check: () => connection.nats.rtt() },
    { name: 'clickhouse', check: () => pingClickHouse(clickhouse) },
    { name: 'landing', check: async () => assertLanding(isLanding) },
  ];
  addServiceEndpoints(app, checks, registry);
  started(await serveHttp(app, config, log));

  const stop = new AbortController();
  const landing = landAllPartitions({
    ...{ connection, clickhouse, stream, log },
    own: partitions,
    writerId: randomUUID(),
    knownIdsMaxBytes: config.knownIdsMaxBytes,
    signal: stop.signal,
    onStep: (step, claim) => {
      if (step !== 'landed' || !claim) return;
      countLanded(claim);
      repeats.add(claim);
    },
    onReady: (known) => {
      addKnownIdsMetrics(registry, known);
      isLanding = true;
      const maintenance = { connection, clickhouse, cluster, progress, repeats, registry, clock, log };
      started(startMaintenance({ ...maintenance, partitions, keepMs }));
    },
  });
  // Losing the fence, or a claim that cannot be read, must end the process: only a fresh start reads the truth again.
  landing.catch((error) => setImmediate(() => throwAway(error)));
  started({
    name: 'landing',
    stop: async () => {
      stop.abort();
      await landing.catch(() => {});
    },
  });
}

function assertLanding(isLanding: boolean) {
  if (!isLanding) throw new Error('recovering');
}

/** An uncaught exception: ends the process by runtime/lifecycle.ts, with a code other than 0. */
function throwAway(error: unknown) {
  throw error;
}
