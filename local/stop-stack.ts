import type { ChildProcess } from './child-process.ts';
import { STACK_PROCESSES } from './stack-file.ts';

/**
 * How long each process may take before it is forced, counted on from those before it; what one leaves unused, the next may use.
 * Together 12 s: below the 15 s that a stop may take (spec/service#local-stack) also on a machine that is slow to force and to bury them.
 */
const SHARE_MS: Record<(typeof STACK_PROCESSES)[number], number> = {
  ingest: 2_000,
  aggregator: 2_000,
  worker: 2_000,
  api: 1_500,
  temporal: 1_000,
  nats: 1_000,
  clickhouse: 1_250,
  postgres: 1_250,
};

/** Stops the processes one after another in the order in which data flows, so that each can still forward what it holds. */
export async function stopInOrder(children: readonly ChildProcess[]): Promise<void> {
  const begun = performance.now();
  let forcedAt = 0;
  for (const name of STACK_PROCESSES) {
    forcedAt += SHARE_MS[name];
    const child = children.find((one) => one.name === name);
    await child?.stop(forcedAt - (performance.now() - begun));
  }
}
