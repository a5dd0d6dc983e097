import type { StackFile } from '../local/stack-file.ts';
import { atMost } from '../runtime/at-most.ts';
import type { Api } from '../test/stack/api.ts';
import { advance } from '../test/stack/clocks.ts';
import { median, report, rounded } from './figures.ts';
import { made } from './many-subscriptions.ts';
import { clientOf, type MeasuredStack, withStacks } from './measured-stacks.ts';
import { cpuOf } from './process-usage.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const PERIODS = 3;
const CALLS_AT_ONCE = 8;
const PROCESSES = ['api', 'worker', 'postgres', 'temporal', 'clickhouse'] as const;
const GOALS = { 'p50 s of 300': 5 };

type Measured = { release: string; file: StackFile; api: Api; clock: string; seconds: number[]; cpu: number[][] };

/**
 * A test clock with one customer of `count` subscriptions, each to a plan of its own with a fee and a metric, advanced by one period at
 * a time: seconds until it is ready, and CPU a closing. `beside`: the folder of another checkout, whose stack is measured in turn.
 */
export async function benchClock(count: number, beside?: string): Promise<void> {
  await withStacks(beside, async (stacks) => {
    const measured: Measured[] = [];
    for (const stack of stacks) measured.push(await prepare(stack, count));
    for (let period = 1; period <= PERIODS; period++) {
      for (const one of measured) await advanceTo(one, START + period * 30 * DAY_MS);
    }
    const rows = measured.map((one) => rowOf(one, count));
    report('clock', rows, { goals: GOALS, periods: PERIODS });
  });
}

async function prepare(stack: MeasuredStack, count: number): Promise<Measured> {
  const { release, file } = stack;
  const api = clientOf(stack);
  const metric = { metric_name: 'Calls', aggregation_type: 'count', event_name: 'call' };
  const { metric_id } = await made(api, '/api/metrics', metric);
  const { test_clock_id } = await made(api, '/api/test-clocks', { frozen_time: new Date(START).toISOString() });
  const customer = { customer_id: 'many', email: 'bench@meterbook.example', test_clock_id };
  await made(api, '/api/customers/', customer);
  const call = atMost(CALLS_AT_ONCE);
  const subscribe = async (i: number) => {
    const components = [{ metric_id, overage_price: 0.01 }];
    const plan = { name: `Plan ${i}`, recurring_fee: 29, billing_period: 'monthly', components };
    const { plan_id } = await made(api, '/api/plans', plan);
    await made(api, '/api/subscriptions', { customer_id: 'many', plan_id });
  };
  await Promise.all(Array.from({ length: count }, (_, i) => call(() => subscribe(i))));
  return { release, file, api, clock: String(test_clock_id), seconds: [], cpu: [] };
}

async function advanceTo({ api, file, clock, seconds, cpu }: Measured, instant: number): Promise<void> {
  const before = cpuOf(file, PROCESSES);
  const begun = performance.now();
  const arrived = await advance(api, clock, new Date(instant).toISOString());
  if (String(arrived.status) !== 'ready') throw new Error(`the clock is ${arrived.status}`);
  seconds.push((performance.now() - begun) / 1000);
  const after = cpuOf(file, PROCESSES);
  cpu.push(PROCESSES.map((name) => after[name] - before[name]));
}

function rowOf({ release, seconds, cpu }: Measured, count: number) {
  const each = PROCESSES.map((name, i) => [`${name} ms`, rounded(median(cpu.map((one) => one[i] ?? 0)) / count)]);
  return { release, subscriptions: count, 'p50 s': rounded(median(seconds)), ...Object.fromEntries(each) };
}
