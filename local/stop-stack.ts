import type { ChildProcess } from './child-process.ts';
import type { STACK_PROCESSES } from './stack-file.ts';

/**
 * Who ends at once, and how long that may take before it is forced, counted on from those before; what one step leaves unused, the next may use.
 * Together 11 s: below the 15 s that a stop may take (spec/service#local-stack) also on a machine that is slow to force and to bury them.
 */
const STEPS: { names: (typeof STACK_PROCESSES)[number][]; shareMs: number }[] = [
  { names: ['ingest'], shareMs: 2_000 },
  { names: ['aggregator'], shareMs: 2_000 },
  { names: ['worker'], shareMs: 2_000 },
  { names: ['api'], shareMs: 1_500 },
  // Engines hold nothing for each other.
  { names: ['temporal', 'nats', 'clickhouse', 'postgres'], shareMs: 3_500 },
];

/** Stops our processes one after another in the order in which data flows, so that each can still forward what it holds, then the engines. */
export async function stopInOrder(children: readonly ChildProcess[]): Promise<void> {
  const begun = performance.now();
  let forcedAt = 0;
  for (const { names, shareMs } of STEPS) {
    forcedAt += shareMs;
    const left = forcedAt - (performance.now() - begun);
    const step = children.filter(({ name }) => names.some((one) => one === name));
    await Promise.all(step.map((child) => child.stop(left)));
  }
}
