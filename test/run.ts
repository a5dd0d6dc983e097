import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { failureList } from './report/failures.ts';
import type { Report } from './report/run-report.ts';

/**
 * `npm test`: runs the stack tests, and beside them the unit tests, type checks and lint. The last line is `N passed, N failed`, followed by the
 * number of skipped tests if there are any; what failed is listed before it. Arguments go to vitest: `npm test -- test/billing` runs the files that match.
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

// While stack tests wait for something, above all for their stack, the others use the core. Their output is shown at the end.
const [isStackGood, [unit, ...checked]] = await Promise.all([
  shown(testsOf('stack')),
  inTurn([testsOf('unit', '--maxWorkers=1'), ...checks]),
]);
for (const { name, output } of unit ? [unit, ...checked] : []) console.log(`\n── ${name}\n${output}`);

const reports = [readReport('unit', unit?.ok === true), readReport('stack', isStackGood)];
const sum = (count: 'passed' | 'skipped') => reports.reduce((all, report) => all + report[count], 0);
const failures = [
  ...reports.flatMap((report) => report.failures),
  ...checked.filter(({ ok }) => !ok).map(({ name, output }) => ({ file: '', name, message: output })),
];
const passed = sum('passed') + checked.filter(({ ok }) => ok).length;
if (sum('passed') + failures.length === 0) {
  failures.push({ file: '', name: 'tests', message: `No test matches ${filters.join(' ')}.` });
}
const skipped = sum('skipped');
console.log(`\n${failureList(failures)}`);
console.log(`\n${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** What a filter matches may all be in the other project. */
function testsOf(project: Project, ...options: string[]): Step {
  const reporters = ['--reporter=default', '--reporter=test/report/run-report.ts', `--outputFile=${reportOf(project)}`];
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

/**
 * Reads and deletes the report of a project. A run that is not good although nothing in it failed is a failure: vitest ended before it
 * wrote a report, or its teardown failed.
 */
function readReport(project: Project, isGood: boolean): Report {
  const report = { passed: 0, skipped: 0, failures: [], ...writtenReport(reportOf(project)) };
  if (isGood || report.failures.length > 0) return report;
  const message = 'vitest ended with an error. Its output is above.';
  return { ...report, failures: [{ file: '', name: `${project} tests`, message }] };
}

function writtenReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  } finally {
    rmSync(file, { force: true });
  }
}
