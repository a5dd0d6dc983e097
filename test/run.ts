import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { judgeReport, type KnownFlake, type Report } from './judge-report.ts';

/**
 * `npm test`: type checks, lint, unit tests, stack tests; closes with `N passed, N failed`, and behind that how many were skipped, if any.
 * Arguments go to vitest: `npm test -- test/billing` runs what matches.
 */
const report = join(tmpdir(), `meterbook-test-${process.pid}.json`);
const filters = process.argv.slice(2);

type Step = { name: string; command: string[] };

/** As many checkers as cores: each more reads the same types once more. */
const TSC = ['tsc', '--checkers', '2'];
const tests: Step = {
  name: 'tests',
  command: ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...filters],
};
/** While tests wait for something, first of all for their stack, these use the core; they are told at the end. */
const meanwhile: Step[] = [
  { name: 'types of the API for the console', command: ['node', 'console/build/main.ts', '--types'] },
  { name: 'type check of the console', command: [...TSC, '-p', 'console'] },
  { name: 'type check of the portal', command: [...TSC, '-p', 'console/portal'] },
  { name: 'type check', command: TSC },
  { name: 'lint', command: ['biome', 'check', '.'] },
];

let passed = 0;
let failed = 0;
const [tested, checked] = await Promise.all([shown(tests), inTurn(meanwhile)]);
for (const { name, output, ok } of checked) {
  console.log(`\n── ${name}\n${output}`);
  count(ok);
}
const counts = testCounts();
passed += counts?.passed ?? 0;
failed += Math.max(counts?.failed ?? 0, tested ? 0 : 1);
rmSync(report, { force: true });

console.log(`\n${passed} passed, ${failed} failed${counts?.skipped ? `, ${counts.skipped} skipped` : ''}`);
process.exitCode = failed === 0 ? 0 : 1;

function count(ok: boolean): void {
  if (ok) passed += 1;
  else failed += 1;
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

/** What vitest's report counts; prints each test that passed only at its second try, and what is wrong with the list of known ones. */
function testCounts(): { passed: number; failed: number; skipped: number } | undefined {
  const known = JSON.parse(readFileSync(join(import.meta.dirname, 'known-flakes.json'), 'utf8')) as KnownFlake[];
  const text = existsSync(report) ? readFileSync(report, 'utf8') : undefined;
  if (text === undefined) return undefined;
  const { passed, failed, skipped, flakes, problems } = judgeReport(JSON.parse(text) as Report, known);
  for (const { test, failures, reason } of flakes) {
    console.log(`\nPassed at the second try${reason ? ` (known: ${reason})` : ''}: ${test}\n${failures.join('\n')}`);
  }
  for (const problem of problems) console.log(`\ntest/known-flakes.json: ${problem}`);
  return { passed, failed, skipped };
}
