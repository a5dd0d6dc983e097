import type { ClickHouseClient } from '@clickhouse/client';
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { askedGauge } from '../runtime/asked-gauge.ts';
import type { HourAudit } from '../sql/clickhouse/usage/usage-audit.ts';
import { loadStoreRoom, type StoreRoom } from '../sql/clickhouse/usage/usage-room.ts';
import type { Claim } from '../stream/claims.ts';
import type { StreamConnection } from '../stream/connection.ts';
import type { UsageProgress } from '../stream/progress.ts';
import { loadStreamFill, partFull, type StreamFill } from '../stream/purge.ts';
import type { KnownIds } from './known-ids.ts';
import { ALARM_AT } from './stream-retention.ts';

/** A batch is what has come while the last one landed: one event, or up to 50,000 (architecture#the-aggregator). */
const BATCH_BUCKETS = [1, 10, 100, 1_000, 5_000, 10_000, 25_000, 50_000];

/**
 * The aggregator's families (spec/service#metrics). Where there are several aggregators each one tells the whole stream's lag, so
 * the gateway takes the largest. Returns what counts a landed batch, from its claim.
 */
export function addAggregatorMetrics(registry: Registry, progress: UsageProgress): (claim: Claim) => void {
  const registers = [registry];
  const landed = new Counter({
    name: 'meterbook_events_landed_total',
    help: 'Events landed in ClickHouse: each id once.',
    registers,
  });
  const repeated = new Counter({
    name: 'meterbook_events_repeated_total',
    help: 'Accepted events whose id had been accepted before: kept out.',
    registers,
  });
  const deadLettered = new Counter({
    name: 'meterbook_dead_letters_total',
    help: 'Messages of the usage stream that could not be decoded.',
    registers,
  });
  const messages = 'Groups of accepted events that have not landed yet.';
  askedGauge(
    registry,
    { name: 'meterbook_ingest_lag_messages', help: messages },
    async () => (await progress.lag()).messages,
  );
  const seconds = 'For how long the oldest accepted event that has not landed has been waiting.';
  askedGauge(
    registry,
    { name: 'meterbook_ingest_lag_seconds', help: seconds },
    async () => (await progress.lag()).seconds,
  );
  const batches = new Histogram({
    name: 'meterbook_landed_batch_events',
    help: 'Events of one batch that has landed, repeats included.',
    buckets: BATCH_BUCKETS,
    registers,
  });
  return (claim) => {
    const repeats = claim.counts.reduce((sum, count) => sum + count.repeated, 0);
    batches.observe(claim.events);
    landed.inc(claim.events - repeats);
    repeated.inc(repeats);
    deadLettered.inc(claim.dead.length);
  };
}

/** Repeats that differ from their first event (compare-repeats.ts). Returns what counts them. */
export function addRepeatsMetrics(registry: Registry): (repeats: number) => void {
  const differing = new Counter({
    name: 'meterbook_repeats_differing_total',
    help: 'Repeats whose content differs from that of the first event of their id.',
    registers: [registry],
  });
  return (repeats) => differing.inc(repeats);
}

/** The memory of landed ids, in numbers. */
export function addKnownIdsMetrics(registry: Registry, known: KnownIds): void {
  new Gauge({
    name: 'meterbook_known_ids',
    help: 'Idempotency ids that the aggregator recognises.',
    registers: [registry],
    collect() {
      this.set(known.size().ids);
    },
  });
  new Gauge({
    name: 'meterbook_known_ids_bytes',
    help: 'Memory of the filter over these ids.',
    registers: [registry],
    collect() {
      this.set(known.size().bytes);
    },
  });
}

/** How full the usage stream is, and its alarm. */
export function addStreamMetrics(registry: Registry, connection: StreamConnection): void {
  const gauge = (name: string, help: string, of: (fill: StreamFill) => number) =>
    askedGauge(registry, { name, help }, async () => of(await loadStreamFill(connection)));
  gauge('meterbook_usage_stream_bytes', 'Bytes that the usage stream holds.', ({ bytes }) => bytes);
  gauge('meterbook_usage_stream_bytes_max', 'Size at which it refuses events.', ({ maxBytes }) => maxBytes);
  gauge('meterbook_usage_stream_alarm', `1 while it is more than ${ALARM_AT * 100} % full, else 0.`, (fill) =>
    partFull(fill) > ALARM_AT ? 1 : 0,
  );
}

/** The room on ClickHouse's disk: it fills up with events, which are kept for ever. */
export function addStoreMetrics(registry: Registry, clickhouse: ClickHouseClient): void {
  const gauge = (name: string, help: string, aggregator: 'min' | 'max', of: (room: StoreRoom) => number) =>
    askedGauge(registry, { name, help, aggregator }, async () => of(await loadStoreRoom(clickhouse)));
  gauge('meterbook_usage_store_free_bytes', "Room on ClickHouse's fullest disk.", 'min', ({ free }) => free);
  gauge('meterbook_usage_store_disk_bytes', 'Size of that disk.', 'max', ({ size }) => size);
}

/** The continuous audit's families. Returns what tells them of its rounds. */
export function addAuditMetrics(registry: Registry) {
  const registers = [registry];
  const events = new Counter({
    name: 'meterbook_audited_events_total',
    help: 'Events that the audit has counted: accepted as the stream holds them, the others as claims say.',
    labelNames: ['kind'],
    registers,
  });
  const missing = new Gauge({
    name: 'meterbook_events_missing',
    help: 'Accepted events that have neither landed nor been repeats nor dead letters: must be 0.',
    aggregator: 'max',
    registers,
  });
  const add = (kind: string, count: number) => events.inc({ kind }, Math.max(0, count));
  return {
    onAudited: (hours: HourAudit[]) => {
      for (const hour of hours) {
        add('accepted', hour.accepted);
        add('landed', hour.landed);
        add('repeated', hour.repeated);
        add('dead_lettered', hour.deadLettered);
      }
    },
    onMissing: (total: number) => missing.set(total),
  };
}
