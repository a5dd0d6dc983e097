import { execFile, fork } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startOwnStack } from '../../test/stack/own-stack.ts';
import { assertLanded } from '../assert-landed.ts';
import { median, report, rounded } from '../figures.ts';
import { residentMb } from '../process-usage.ts';
import type { AppResult, AppTask } from './metered-app.ts';

const ROOT = join(import.meta.dirname, '../..');
const ROUNDS = 3;
const SAMPLE_MS = 100;
const CLOSE_MS = 300_000;
const LAND_MS = 300_000;
/** Nobody listens there. */
const AWAY = 'http://127.0.0.1:9';
const GOALS = { ratio: 0.5, p99Us: 50, landed: 50_000, memoryMb: 150 };

type Run = AppResult & { memoryMb: number; ms: number };
type Place = { folder: string; meterModule: string; program: string };

/**
 * What `track` costs beside a plain loop of the same lines while the meter sends them; events/s from the first call to the last that
 * has landed; the app's memory with all of them pending, and again when a new app sends them. The SDK is compiled, as it is published.
 */
export async function benchMeter(events: number): Promise<void> {
  const place = await compileSdk();
  const stack = await startOwnStack();
  try {
    const { base_url: baseUrl, api_key: apiKey } = stack.file();
    let sent = 0;
    const app = async (name: string, task: Partial<AppTask>): Promise<Run> => {
      const spoolDir = join(place.folder, name);
      const whole = { baseUrl, apiKey, spoolDir, events, closeMs: CLOSE_MS, meterModule: place.meterModule, ...task };
      const run = await runApp(place, whole);
      if (run.pending > 0 && whole.baseUrl !== AWAY) throw new Error(`${run.pending} events were not answered.`);
      sent += whole.events;
      return run;
    };
    const landedPerSecond = async (name: string, task: Partial<AppTask>, count: number) => {
      const begun = performance.now();
      const run = await app(name, task);
      await assertLanded(stack.file(), sent, LAND_MS);
      return { ...run, landed: count / ((performance.now() - begun) / 1_000) };
    };

    await app('warm', { events: Math.ceil(events / 10) });
    const beside: Run[] = [];
    const alone: (Run & { landed: number })[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      beside.push(await app(`beside${round}`, { baselineFile: join(place.folder, `plain${round}`) }));
      alone.push(await landedPerSecond(`alone${round}`, {}, events));
    }
    const pending = await app('outage', { baseUrl: AWAY, closeMs: 0 });
    if (pending.pending !== events) throw new Error(`${events} were tracked, ${pending.pending} are pending.`);
    const backlog = await landedPerSecond('outage', { events: 0 }, events);
    if (backlog.accepted !== events) throw new Error(`${events} were pending, ${backlog.accepted} are stored.`);
    reportRuns(events, beside, alone, pending, backlog);
  } finally {
    await stack.stop();
    await rm(place.folder, { recursive: true, force: true });
  }
}

/** As it is published, with the app that uses it. */
async function compileSdk(): Promise<Place> {
  const cache = join(ROOT, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  // A short path: a Unix socket stands in each spool.
  const folder = await mkdtemp(join(cache, 'meter-'));
  await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), [
    '-p',
    join(ROOT, 'sdk/typescript'),
    '--outDir',
    join(folder, 'sdk'),
  ]);
  const program = join(folder, 'app.mjs');
  const source = await readFile(join(import.meta.dirname, 'metered-app.ts'), 'utf8');
  await writeFile(program, stripTypeScriptTypes(source));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  return { folder, program, meterModule: join(folder, 'sdk/meter/meter.js') };
}

function runApp({ program }: Place, task: AppTask): Promise<Run> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = fork(program, [JSON.stringify(task)], { execArgv: [] });
    let memoryMb = 0;
    let result: AppResult | undefined;
    const sample = setInterval(() => {
      // Not a number once it has ended.
      if (child.pid !== undefined && child.exitCode === null) memoryMb = Math.max(memoryMb, residentMb(child.pid) || 0);
    }, SAMPLE_MS);
    child.on('message', (message: AppResult) => {
      result = message;
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      clearInterval(sample);
      if (result) resolve({ ...result, memoryMb, ms: performance.now() - begun });
      else reject(new Error(`The app ended with ${code}.`));
    });
  });
}

function reportRuns(
  events: number,
  beside: Run[],
  alone: (Run & { landed: number })[],
  pending: Run,
  backlog: Run & { landed: number },
) {
  const middle = (pick: (run: Run) => number) => rounded(median(beside.map(pick)));
  const rows = [
    {
      figure: 'calls/s of track over a plain loop',
      measured: middle((run) => run.baselineMs / run.callsMs),
      goal: GOALS.ratio,
    },
    {
      figure: 'calls/s of track, in it',
      measured: Math.round(median(beside.map((run) => (events / run.callsMs) * 1_000))),
    },
    {
      figure: 'calls/s of the plain loop, in it',
      measured: Math.round(median(beside.map((run) => (events / run.baselineMs) * 1_000))),
    },
    { figure: 'track p50 us', measured: middle((run) => run.p50) },
    { figure: 'track p99 us', measured: middle((run) => run.p99), goal: GOALS.p99Us },
    { figure: 'track p99.9 us', measured: middle((run) => run.p999) },
    { figure: 'CPU us of the app for an event, sent', measured: rounded(median(alone.map(({ cpuUs }) => cpuUs))) },
    {
      figure: 'events/s to landed',
      measured: Math.round(median(alone.map(({ landed }) => landed))),
      goal: GOALS.landed,
    },
    { figure: 'memory MB while it sends', measured: Math.max(...alone.map(({ memoryMb }) => memoryMb)) },
    { figure: `memory MB with ${events} pending`, measured: pending.memoryMb, goal: GOALS.memoryMb },
    { figure: 'memory MB of the next app, which sends them', measured: backlog.memoryMb, goal: GOALS.memoryMb },
    { figure: 'events/s of that backlog to landed', measured: Math.round(backlog.landed) },
  ];
  report('meter', rows, { events, rounds: ROUNDS, beside, alone, pending, backlog });
}
