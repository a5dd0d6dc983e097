import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { judgeReports, type KnownFlake, type Report } from './judge-report.ts';

/**
 * `npm test`: stack tests, and meanwhile unit tests, type checks and lint; closes with `N passed, N failed`, and behind that how many were skipped, if
 * any. Arguments go to vitest: `npm test -- test/billing` runs what matches.
 */
const filters = process.argv.slice(2);

type Step = { name: string; command: string[] };
type Project = 'unit' | 'stack';

/** As many checkers as cores: each more reads the same types once more. */
const TSC = ['tsc', '--checkers', '2'];
const checks: Step[] = [
  { name: 'types of the API for the console', command: ['node', 'console/build/main.ts', '--types'] },
  { name: 'type check of the console', command: [...TSC, '-p', 'console'] },
  { name: 'type check of the portal', command: [...TSC, '-p', 'console/portal'] },
  { name: 'type check', command: TSC },
  { name: 'lint', command: ['biome', 'check', '.'] },
];

// While stack tests wait for something, first of all for their stack, the others use the core; they are told at the end.
const [isStackWell, [unit, ...checked]] = await Promise.all([
  shown(testsOf('stack')),
  inTurn([testsOf('unit', '--maxWorkers=1'), ...checks]),
]);
for (const { name, output } of unit ? [unit, ...checked] : []) console.log(`\n── ${name}\n${output}`);
const counts = testCounts();
const passed = counts.passed + checked.filter(({ ok }) => ok).length;
const badTests = Math.max(counts.failed, isStackWell && unit?.ok ? 0 : 1);
const failed = badTests + checked.filter(({ ok }) => !ok).length;

console.log(`\n${passed} passed, ${failed} failed${counts.skipped ? `, ${counts.skipped} skipped` : ''}`);
process.exitCode = failed === 0 ? 0 : 1;

/** What a filter matches may all be in the other project. */
function testsOf(project: Project, ...options: string[]): Step {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportOf(project)}`];
  const only = filters.length > 0 ? ['--passWithNoTests', ...filters] : [];
  return {
    name: `${project} tests`,
    command: ['vitest', 'run', '--project', project, ...reporters, ...options, ...only],
  };
}

function reportOf(project: Project): string {
  return join(tmpdir(), `meterbook-test-${process.pid}-${project}.json`);
}

/** Runs a step, whose output is shown as it comes; whether it went well. */
async function shown({ name, command: [program = '', ...args] }: Step): Promise<boolean> {
  console.log(`\n── ${name}`);
  const [code] = await once(spawn(join('node_modules', '.bin', program), args, { stdio: 'inherit' }), 'exit');
  return code === 0;
}

/** Runs steps one after another, and keeps what they print. */
async function inTurn(steps: Step[]): Promise<{ name: string; output: string; ok: boolean }[]> {
  const done = [];
  for (const { name, command } of steps) {
    const [program = '', ...args] = command;
    const child = spawn(join('node_modules', '.bin', program), args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [[code], ...output] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
    done.push({ name, output: output.join('').trim(), ok: code === 0 });
  }
  return done;
}

/** What vitest's reports count; prints each test that did not pass at its first try, and what is wrong with the list of known flakes. */
function testCounts(): { passed: number; failed: number; skipped: number } {
  const known = JSON.parse(readFileSync(join(import.meta.dirname, 'known-flakes.json'), 'utf8')) as KnownFlake[];
  const files = [reportOf('unit'), reportOf('stack')].filter(existsSync);
  const reports = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Report);
  for (const file of files) rmSync(file);
  const { passed, failed, skipped, flakes, failedTests, problems } = judgeReports(reports, known);
  for (const { test, failures, reason } of flakes) {
    console.log(`\nPassed at the second try${reason ? ` (known: ${reason})` : ''}: ${test}\n${failures.join('\n')}`);
  }
  for (const { test, failures } of failedTests) console.log(`\nFailed: ${test}\n${failures.join('\n')}`);
  for (const problem of problems) console.log(`\ntest/known-flakes.json: ${problem}`);
  if (passed + failed === 0) console.log(`\nNo test matches ${filters.join(' ')}`);
  return { passed, failed: passed + failed === 0 ? 1 : failed, skipped };
}
