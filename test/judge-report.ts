/** A test that may need its second try, and why nobody has mended it yet. */
export type KnownFlake = { test: string; reason: string };

/** What is used of vitest's JSON report, of which each project has one. */
export type Report = {
  numPassedTests: number;
  numFailedTests: number;
  /** Those that were skipped, for want of something that a machine may not have. */
  numPendingTests: number;
  testResults: {
    name: string;
    /** `failed` also where what stands before or behind tests has failed, of which those tests say nothing: they are skipped. */
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
};

/** A test that did not pass at its first try, and what each try says; or a file that failed without a test. */
type Failure = { test: string; failures: string[] };

/** `reason`: undefined where it is not a known one. */
type Flake = Failure & { reason: string | undefined };

/** `flakes`: passed at the second try; `failedTests`: not at that either; `problems`: what is wrong with the list of known ones. */
export type Verdict = {
  passed: number;
  failed: number;
  skipped: number;
  flakes: Flake[];
  failedTests: Failure[];
  problems: string[];
};

/** More flakes than this are no exceptions any more. */
const MOST_KNOWN_FLAKES = 3;

/**
 * Counts a run. A test that passed only at its second try has failed, unless `known` lists it with a reason: what is met once in
 * a hundred runs here is met every day by those who run the service. A list of more than three, or an entry without a reason,
 * fails the run, too.
 */
export function judgeReports(reports: Report[], known: KnownFlake[]): Verdict {
  const sum = (count: (report: Report) => number) => reports.reduce((all, report) => all + count(report), 0);
  const withMessages = (status: string): Failure[] =>
    reports
      .flatMap(({ testResults }) => testResults)
      .flatMap(({ name, assertionResults }) =>
        assertionResults
          .filter((one) => one.status === status && one.failureMessages.length > 0)
          .map(({ fullName, failureMessages }) => ({
            test: `${pathOf(name)}: ${fullName}`,
            failures: failureMessages,
          })),
      );
  const flakes = withMessages('passed').map((one) => ({
    ...one,
    reason: known.find(({ test }) => test === one.test)?.reason,
  }));
  const failedFiles = reports
    .flatMap(({ testResults }) => testResults)
    .filter((one) => one.status === 'failed' && one.assertionResults.every(({ status }) => status !== 'failed'))
    .map(({ name, message }) => ({ test: pathOf(name), failures: [message || 'What its tests stand on has failed.'] }));
  const problems = [
    ...(known.length > MOST_KNOWN_FLAKES ? [`${known.length} known flakes; at most ${MOST_KNOWN_FLAKES} may be`] : []),
    ...known.filter(({ reason }) => !reason?.trim()).map(({ test }) => `the known flake ${test} has no reason`),
  ];
  const unknown = flakes.filter(({ reason }) => reason === undefined).length;
  return {
    passed: sum((one) => one.numPassedTests) - unknown,
    failed: sum((one) => one.numFailedTests) + failedFiles.length + unknown + problems.length,
    skipped: sum((one) => one.numPendingTests),
    flakes,
    failedTests: [...withMessages('failed'), ...failedFiles],
    problems,
  };
}

function pathOf(file: string): string {
  return file.replace(/^.*\/(?=test\/)/, '');
}
