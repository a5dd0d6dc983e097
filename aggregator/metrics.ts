import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { Claim } from '../stream/claims.ts';
import type { UsageProgress } from '../stream/progress.ts';
import type { KnownIds } from './known-ids.ts';

/** The aggregator's families of contract 15. Returns what counts a landed batch, from its claim. */
export function addAggregatorMetrics(registry: Registry, progress: UsageProgress): (claim: Claim) => void {
  const registers = [registry];
  const landed = new Counter({
    name: 'meterbook_events_landed_total',
    help: 'Events landed in the usage store: each id once.',
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
  new Gauge({
    name: 'meterbook_ingest_lag_messages',
    help: 'Groups of accepted events that have not landed yet.',
    registers,
    async collect() {
      this.set((await progress.lag()).messages);
    },
  });
  new Gauge({
    name: 'meterbook_ingest_lag_seconds',
    help: 'For how long the oldest accepted event that has not landed has been waiting.',
    registers,
    async collect() {
      this.set((await progress.lag()).seconds);
    },
  });
  return (claim) => {
    const repeats = claim.counts.reduce((sum, count) => sum + count.repeated, 0);
    landed.inc(claim.events - repeats);
    repeated.inc(repeats);
    deadLettered.inc(claim.dead.length);
  };
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
