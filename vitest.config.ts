import { defineConfig } from 'vitest/config';
import { COMPILE_CACHE } from './runtime/compile-cache.ts';
import { Sequencer } from './test/stack/sequencer.ts';

/** What tests start without the launcher is compiled once, too. */
process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;

/** Temporal collects its garbage a quarter as often, for more memory: a fifth of its CPU. */
process.env.GOGC ??= '400';

/** Tests wait for the worker as callers do for the API: behind all of them it would make them longer. */
process.env.BACKGROUND_NICENESS ??= '0';

/** What a test makes is forgotten young: a sixth of a worker's CPU was to collect it. */
const execArgv = ['--min-semi-space-size=32', '--max-semi-space-size=64'];

/**
 * A busy machine takes minutes for what takes seconds alone; these limits only end what hangs. Tests wait for what must come, and set no
 * limit of their own but where they do far more than others.
 */
const PATIENT = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 120_000 } } };

/** One more than the two cores that tests are counted on, because a stack test waits for others. The unit tests run beside them. */
const WORKERS = 3;

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    maxWorkers: WORKERS,
    // Node runs the sources as it does in use; nothing is mocked, so no loader need look into them.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: Sequencer },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.stack.test.ts'],
          setupFiles: ['test/fixed-seed.ts'],
          // Modules are evaluated once for all files of a worker: a third of the CPU.
          isolate: false,
          ...PATIENT,
          execArgv,
        },
      },
      {
        test: {
          name: 'stack',
          include: ['test/**/*.stack.test.ts'],
          setupFiles: ['test/fixed-seed.ts'],
          globalSetup: ['test/stack/global-setup.ts'],
          // As above: a stack test imports much of the product, and all of them the same.
          isolate: false,
          ...PATIENT,
          execArgv,
        },
      },
    ],
  },
});
