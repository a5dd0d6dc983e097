import { collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client';
import { addRequestMetrics } from './http/request-tallies.ts';

/** The metrics of a process: its CPU time, memory and event-loop delay, and its HTTP requests, with its name as a label. */
export function createProcessRegistry(process: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, labels: { process } });
  addRequestMetrics(registry, process);
  return registry;
}

/** How many wait for a connection of this process's pool, and how many connections it has open. */
export function addPoolMetrics(
  registry: Registry,
  process: string,
  pool: { readonly waitingCount: number; readonly totalCount: number },
): void {
  addQueueMetric(registry, process, {
    name: 'meterbook_postgres_pool_waiting',
    help: 'Transactions that wait for one of the connections that this process may have to Postgres.',
    depth: () => pool.waitingCount,
  });
  addQueueMetric(registry, process, {
    name: 'meterbook_postgres_pool_connections',
    help: 'Connections that this process has to Postgres.',
    depth: () => pool.totalCount,
  });
}

/** How much waits in a queue of this process's memory. */
export function addQueueMetric(
  registry: Registry,
  process: string,
  { name, help, depth }: { name: string; help: string; depth: () => number },
): void {
  new Gauge({
    name,
    help,
    labelNames: ['process'],
    registers: [registry],
    collect() {
      this.set({ process }, depth());
    },
  });
}
