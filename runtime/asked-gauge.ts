import { Gauge, type Registry } from '@prometheus-io/client';
import { inTime } from './in-time.ts';

/** Prometheus asks every few seconds: what has not answered by then is away. */
const ASK_LIMIT_MS = 1_500;

/**
 * A gauge that is asked of a store whenever metrics are collected. While the store is away it has no value: the metrics of
 * everything else are told all the same. `label`, where given, is the name under which `ask` gives several values.
 * `aggregator`: what the gateway makes of the values of several processes, the largest unless it says otherwise.
 */
export function askedGauge(
  registry: Registry,
  { name, help, label, aggregator = 'max' }: { name: string; help: string; label?: string; aggregator?: 'min' | 'max' },
  ask: () => Promise<number | Record<string, number>>,
): void {
  new Gauge({
    name,
    help,
    aggregator,
    registers: [registry],
    labelNames: label === undefined ? [] : [label],
    async collect() {
      const value = await inTime(ask(), ASK_LIMIT_MS).catch(() => undefined);
      this.reset();
      // A gauge without labels is 0 after a reset, which would be a lie.
      if (label === undefined) this.remove();
      if (typeof value === 'number') this.set(value);
      else for (const [key, one] of Object.entries(value ?? {})) this.set({ [label ?? '']: key }, one);
    },
  });
}
