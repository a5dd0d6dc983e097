import { expect, test } from 'vitest';
import { judgeReports, type KnownFlake, type Report } from './judge-report.ts';

const FLAKE = 'test/api/plans.stack.test.ts: a plan is made';

/** Of three tests one failed at its first try; another was skipped. */
const report: Report = {
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 1,
  testResults: [
    {
      name: '/somewhere/meterbook/test/api/plans.stack.test.ts',
      status: 'passed',
      message: '',
      assertionResults: [
        { fullName: 'a plan is made', status: 'passed', failureMessages: ['503 where 201 was expected'] },
        { fullName: 'a plan is read', status: 'passed', failureMessages: [] },
        { fullName: 'a plan is archived', status: 'passed', failureMessages: [] },
      ],
    },
  ],
};

test('a second try fails the run, by name', () => {
  expect(judgeReports([report], [])).toEqual({
    passed: 2,
    failed: 1,
    skipped: 1,
    flakes: [{ test: FLAKE, failures: ['503 where 201 was expected'] }],
    failedTests: [],
    problems: [],
  });
});

test('but one that is known for a reason', () => {
  const reason = 'the engine stops answering for a second when it merges';
  expect(judgeReports([report], [{ test: FLAKE, reason }])).toMatchObject({
    passed: 3,
    failed: 0,
    flakes: [{ reason }],
  });
});

test.each<[string, KnownFlake[], string]>([
  ['no reason', [{ test: FLAKE, reason: ' ' }], `the known flake ${FLAKE} has no reason`],
  ['too many', ['a', 'b', 'c', 'd'].map((test) => ({ test, reason: 'slow' })), '4 known flakes; at most 3 may be'],
])('a list of known flakes with %s fails the run', (_, known, problem) => {
  const verdict = judgeReports([report], known);
  expect(verdict.problems).toEqual([problem]);
  expect(verdict.failed).toBeGreaterThan(0);
});

test('a test that failed both times has failed once, and is named', () => {
  const failing = structuredClone(report);
  Object.assign(failing, { numPassedTests: 2, numFailedTests: 1 });
  for (const { assertionResults } of failing.testResults)
    for (const one of assertionResults) if (one.failureMessages.length > 0) one.status = 'failed';
  expect(judgeReports([failing], [])).toEqual({
    passed: 2,
    failed: 1,
    skipped: 1,
    flakes: [],
    failedTests: [{ test: FLAKE, failures: ['503 where 201 was expected'] }],
    problems: [],
  });
});

test('what fails before the tests of a file, which are skipped, has failed, and is named', () => {
  const file = { name: '/somewhere/test/kill.stack.test.ts', status: 'failed', message: '', assertionResults: [] };
  const skipped = { ...report, numPassedTests: 0, numPendingTests: 7, testResults: [file] };
  expect(judgeReports([skipped], [])).toMatchObject({
    failed: 1,
    skipped: 7,
    failedTests: [{ test: 'test/kill.stack.test.ts', failures: ['What its tests stand on has failed.'] }],
  });
});

test('a run counts what each project has reported', () => {
  const other = { ...structuredClone(report), numPassedTests: 7, numFailedTests: 2, testResults: [] };
  expect(judgeReports([report, other], [])).toMatchObject({ passed: 9, failed: 3, skipped: 2 });
});
