import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule, TestRunEndReason, Vitest } from 'vitest/node';
import { type Failure, messageOf } from './failures.ts';

/** The outcome of one run of vitest. A hook, an import and an uncaught error are failures like a test. */
export type Report = { passed: number; skipped: number; failures: Failure[] };

/**
 * Writes a {@link Report} to the file that `--outputFile` names. vitest's own JSON report leaves out hooks of a `describe` that failed and errors
 * that nothing caught.
 */
// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default class RunReport implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly Thrown[], _reason: TestRunEndReason): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (...states: string[]) => tests.filter((test) => states.includes(test.result().state)).length;
    const report: Report = {
      passed: count('passed'),
      skipped: count('skipped', 'pending'),
      failures: [...modules.flatMap(failuresOf), ...unhandled.map(outsideOf)],
    };
    const file = this.#vitest?.config.outputFile;
    if (typeof file !== 'string') throw new Error('Name the file of the report with --outputFile.');
    writeFileSync(file, JSON.stringify(report));
  }
}

type Thrown = Parameters<typeof messageOf>[0];

/** Lists the hooks and imports of a file that failed, then its failed tests. */
function failuresOf(module: TestModule): Failure[] {
  const file = module.relativeModuleId;
  const failure = (name: string, error: Thrown): Failure => ({ file, name, message: messageOf(error) });
  const suites = [...module.children.allSuites()];
  const tests = [...module.children.allTests('failed')];
  return [
    ...module.errors().map((error) => failure('(the file or one of its hooks)', error)),
    ...suites.flatMap((suite) => suite.errors().map((error) => failure(`${suite.fullName} (a hook)`, error))),
    ...tests.map((test) => {
      const message = (test.result().errors ?? []).map(messageOf).join('\n');
      return { file, name: test.fullName, message };
    }),
  ];
}

/** An error that nothing caught. vitest names the file that was running, which need not be the one that caused it. */
function outsideOf(error: Thrown): Failure {
  const file = 'VITEST_TEST_PATH' in error ? String(error.VITEST_TEST_PATH) : '';
  return { file, name: '(outside of a test)', message: messageOf(error) };
}
