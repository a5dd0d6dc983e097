import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import { nameAtMost } from '../core/domain-error.ts';
import type { ProcessConfig } from '../runtime/config.ts';
import { createHttpApp, serveHttp } from '../runtime/http/app.ts';
import { createRateLimiter } from '../runtime/http/rate-limit.ts';
import { startKeyRing } from '../runtime/key-ring.ts';
import { createShell, type Shell, type ShellParts, type Started, shellParts } from '../runtime/lifecycle.ts';
import type { Log } from '../runtime/log.ts';
import { addPoolMetrics, addQueueMetric, createProcessRegistry } from '../runtime/process-metrics.ts';
import { startTracing } from '../runtime/tracing.ts';
import { loadRecordsPosition } from '../sql/clickhouse/usage/counted-positions.ts';
import { apiKeySource } from '../sql/postgres/accounts/api-keys.ts';
import { createPool, type Pool } from '../sql/postgres/postgres.ts';
import { sequenceOf } from '../stream/positions.ts';
import { assertStreamReaches, loadUsageStream } from '../stream/streams.ts';
import { BATCH } from './batch/batch-endpoint.ts';
import { CLOUD_EVENTS } from './cloudevents/events-endpoint.ts';
import { createFastPath } from './fast-path.ts';
import { forwardToApi } from './forward.ts';
import { addGateway } from './gateway.ts';
import { createGroupCommit, type GroupCommit, type StoreGroup } from './group-commit.ts';
import { type BodyRoom, createBodyRoom } from './intake/body-room.ts';
import { createIntakeCounts } from './intake/intake-counts.ts';
import { intakeEndpoint } from './intake/intake-endpoint.ts';
import { LAGO_BATCH } from './lago/batch-endpoint.ts';
import { ingestChecks } from './readiness.ts';
import { trackEndpoint } from './track-endpoint.ts';
import { openUsagePublisher, type UsagePublisher } from './usage-publisher.ts';

/** Of bodies as they came or come out; what is made of them, and what V8 has not cleaned up yet, takes several times as much beside (bench batch). */
const BODIES_BYTES = 32 * 2 ** 20;
/** How long the sender of a body waits for room before it is told to come again. */
const BODY_WAIT_MS = 3_000;

/** The edge: takes events into the usage stream, and forwards everything else to the API. */
export function createEdge(config: ProcessConfig, overrides?: Partial<ShellParts>): Shell {
  nameAtMost(config.maxNamedFields);
  const parts = shellParts('ingest', config.logLevel, overrides);
  return createShell(parts.log, (started) => assemble(config, parts, started));
}

async function assemble(config: ProcessConfig, { clock, log }: ShellParts, started: Started): Promise<void> {
  started(await startTracing('ingest', config.traceEndpoint));
  const postgres = createPool(config.databaseUrl);
  started({ name: 'postgres', stop: () => postgres.end() });
  const keys = await startKeyRing(apiKeySource(postgres), clock, log);
  started({ name: 'keys', stop: () => keys.stop() });
  const publisher = openPublisher(config, postgres, log);
  started({ name: 'stream', stop: publisher.close });

  const registry = createProcessRegistry('ingest');
  addPoolMetrics(registry, 'ingest', postgres);
  const dependencies = {
    findKey: keys.findKey,
    findKnownKey: keys.findKnownKey,
    takeRequest: createRateLimiter(clock, config.accountLimits),
    partitions: publisher.partitions,
    groupCommit: countedGroupCommit(publisher, registry),
    counts: createIntakeCounts(registry),
    bodies: countedBodies(registry),
    ...{ clock, log },
  };

  const app = createHttpApp(log);
  addGateway(app, config, ingestChecks(publisher, keys, log), registry);
  // The fast path tells of no single event: who wants spans or lines of them takes the longer way.
  const isTold = config.traceEndpoint !== undefined || log.isLevelEnabled('debug');
  const fastPath = isTold ? undefined : createFastPath(dependencies, config.keepAliveMs);
  const shortcuts = [
    trackEndpoint(dependencies),
    ...[BATCH, CLOUD_EVENTS, LAGO_BATCH].map((endpoint) => intakeEndpoint(endpoint, dependencies)),
    forwardToApi(app, config, log),
  ];
  started(await serveHttp(app, config, log, { shortcuts, fastPath, keptMs: config.keepAliveMs }));
}

/** Publishes to the usage stream, once that reaches as far as what has been counted. */
function openPublisher(config: ProcessConfig, postgres: Pool, log: Log): UsagePublisher {
  let countedTo: number | undefined;
  const askPostgres = async () => {
    countedTo = sequenceOf(await loadRecordsPosition(postgres));
    return countedTo;
  };
  return openUsagePublisher(config.natsUrl, config, log, async ({ jsm }) => {
    // What was known is enough: the edge goes on without Postgres, and does not wait for it.
    if (countedTo !== undefined) askPostgres().catch(() => {});
    await assertStreamReaches(jsm, countedTo ?? (await askPostgres()));
    return loadUsageStream(jsm);
  });
}

/** Room for the bodies of several events that are in work, and how much of it is taken. */
function countedBodies(registry: Registry): BodyRoom {
  const bodies = createBodyRoom(BODIES_BYTES, BODY_WAIT_MS);
  addQueueMetric(registry, 'ingest', {
    name: 'meterbook_intake_body_bytes',
    help: 'Bytes of memory kept for the bodies of several events that are in work.',
    depth: bodies.taken,
  });
  return bodies;
}

/** Groups of events on their way to the stream, and how many there are. */
function countedGroupCommit({ storeGroup }: UsagePublisher, registry: Registry): GroupCommit {
  const accepted = new Counter({
    name: 'meterbook_events_accepted_total',
    help: 'Events answered as stored by the usage stream, repeats included.',
    registers: [registry],
  });
  const groups = new Histogram({
    name: 'meterbook_ingest_group_events',
    help: 'Events stored together in one message of the usage stream.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
    registers: [registry],
  });
  const storeAndCount: StoreGroup = async (partition, events, ...rest) => {
    await storeGroup(partition, events, ...rest);
    groups.observe(events.length);
  };
  const groupCommit = createGroupCommit(storeAndCount, (events) => accepted.inc(events));
  addQueueMetric(registry, 'ingest', {
    name: 'meterbook_ingest_waiting_events',
    help: 'Single events that wait to be stored by the usage stream.',
    depth: () => groupCommit.waitingEvents(),
  });
  addQueueMetric(registry, 'ingest', {
    name: 'meterbook_ingest_waiting_bytes',
    help: 'Bytes of the events that wait or are being stored by the usage stream.',
    depth: () => groupCommit.heldBytes(),
  });
  return groupCommit;
}
