import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeReport, type KnownFlake, type Report } from './judge-report.ts';

/**
 * `npm test`: type check, lint, unit tests, stack tests; closes with `N passed, N failed`.
 * Arguments go to vitest: `npm test -- test/billing` runs what matches.
 */
const report = join(tmpdir(), `meterbook-test-${process.pid}.json`);
const filters = process.argv.slice(2);

const steps = [
  { name: 'type check', command: ['tsc'] },
  { name: 'types of the API for the console', command: ['node', 'console/build/main.ts', '--types'] },
  { name: 'type check of the console', command: ['tsc', '-p', 'console'] },
  { name: 'type check of the portal', command: ['tsc', '-p', 'console/portal'] },
  { name: 'lint', command: ['biome', 'check', '.'] },
  {
    name: 'tests',
    command: ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...filters],
  },
];

let passed = 0;
let failed = 0;
for (const { name, command } of steps) {
  console.log(`\n── ${name}`);
  const [program = '', ...args] = command;
  const ok = spawnSync(join('node_modules', '.bin', program), args, { stdio: 'inherit' }).status === 0;
  const counts = name === 'tests' ? testCounts() : undefined;
  passed += counts?.passed ?? (ok ? 1 : 0);
  failed += counts ? Math.max(counts.failed, ok ? 0 : 1) : ok ? 0 : 1;
}
rmSync(report, { force: true });

console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** What vitest's report counts; prints each test that passed only at its second try, and what is wrong with the list of known ones. */
function testCounts(): { passed: number; failed: number } | undefined {
  const known = JSON.parse(readFileSync(join(import.meta.dirname, 'known-flakes.json'), 'utf8')) as KnownFlake[];
  const text = existsSync(report) ? readFileSync(report, 'utf8') : undefined;
  if (text === undefined) return undefined;
  const { passed, failed, flakes, problems } = judgeReport(JSON.parse(text) as Report, known);
  for (const { test, failures, reason } of flakes) {
    console.log(`\nPassed at the second try${reason ? ` (known: ${reason})` : ''}: ${test}\n${failures.join('\n')}`);
  }
  for (const problem of problems) console.log(`\ntest/known-flakes.json: ${problem}`);
  return { passed, failed };
}
