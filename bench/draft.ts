import { setTimeout as sleep } from 'node:timers/promises';
import type { StackFile } from '../local/stack-file.ts';
import type { Api } from '../test/stack/api.ts';
import { median, percentile, report, rounded } from './figures.ts';
import { makeLargeCustomers } from './large-customers.ts';
import { made } from './many-subscriptions.ts';
import { clientOf, type MeasuredStack, makeOtherKey, withStacks } from './measured-stacks.ts';
import { cpuOf, pidOf, residentMb } from './process-usage.ts';

const ROUNDS = 3;
const DRAFTS = 10;
/** Callers that ask for drafts without a pause, while others' calls are measured. */
const LOOPS = 2;
const CALLS = 100;
/** A release before may keep others waiting for seconds. */
const CALLS_MS = 10_000;
const GOALS = { 'p50 ms with 1,000': 300 };

/** Milliseconds and calls; `alone` and `beside` are another account's page without and with drafts beside it, by round. */
type Times = { drafts: number[]; cpu: number[]; alone: number[][]; beside: number[][]; failed: number };

type Measured = {
  release: string;
  file: StackFile;
  other: Api;
  /** By number of subscriptions. */
  times: Map<number, Times>;
};

/**
 * The draft invoice of customers with `most` subscriptions, and with 300, each to a plan of its own; and what a customer's page
 * takes another account meanwhile. `beside`: the folder of another checkout, whose stack is measured in turn with this one's.
 */
export async function benchDraft(most: number, beside?: string): Promise<void> {
  const counts = [...new Set([Math.min(300, most), most])];
  await withStacks(beside, async (stacks) => {
    const measured: Measured[] = [];
    for (const stack of stacks) measured.push(await prepare(stack, counts));
    for (let round = 0; round < ROUNDS; round++) {
      for (const count of counts) for (const stack of measured) await measure(stack, count);
    }
    report('draft', measured.flatMap(rowsOf), { goals: GOALS, rounds: ROUNDS });
  });
}

async function prepare(stack: MeasuredStack, counts: readonly number[]): Promise<Measured> {
  const { release, file } = stack;
  const other = clientOf(stack, await makeOtherKey(stack));
  await made(other, '/api/customers/', { customer_id: 'bystander', email: 'bench@meterbook.example' });
  await makeLargeCustomers(file, { accountId: file.account_id, key: file.api_key, api: clientOf(stack) }, counts);
  const nothing = (): Times => ({ drafts: [], cpu: [], alone: [], beside: [], failed: 0 });
  return { release, file, other, times: new Map(counts.map((count) => [count, nothing()])) };
}

async function measure({ file, other, times }: Measured, count: number): Promise<void> {
  const of = times.get(count);
  if (!of) throw new Error(`nobody has ${count} subscriptions`);
  const url = new URL(`/api/customers/of-${count}/draft_invoice/`, file.base_url);
  // To the answer's last byte: what a caller makes of it is its own time.
  const draft = async () => {
    const begun = performance.now();
    const answer = await fetch(url, { headers: { 'X-API-KEY': file.api_key } });
    await answer.arrayBuffer();
    if (answer.status !== 200) of.failed++;
    return performance.now() - begun;
  };
  await draft();
  const before = cpuOf(file, ['api']).api;
  for (let i = 0; i < DRAFTS; i++) of.drafts.push(await draft());
  of.cpu.push((cpuOf(file, ['api']).api - before) / DRAFTS);
  of.alone.push(await callsOf(other));
  let isOver = false;
  const loops = Array.from({ length: LOOPS }, async () => {
    while (!isOver) await draft();
  });
  of.beside.push(await callsOf(other));
  isOver = true;
  await Promise.all(loops);
}

function rowsOf({ release, file, times }: Measured) {
  return [...times].map(([subscriptions, { drafts, cpu, alone, beside, failed }]) => {
    const of = (values: readonly number[]) => ({
      p50: rounded(percentile(values, 50)),
      p95: rounded(percentile(values, 95)),
      p99: rounded(percentile(values, 99)),
    });
    const [own, page, besideDrafts] = [of(drafts), of(alone.flat()), of(beside.flat())];
    const ratios = alone.map((values, round) => percentile(beside[round] ?? [], 50) / percentile(values, 50));
    return {
      release,
      subscriptions,
      'p50 ms': own.p50,
      'p95 ms': own.p95,
      'api CPU ms': rounded(median(cpu)),
      'api MB': residentMb(pidOf(file, 'api')),
      'not 200': failed,
      'page alone p50/95/99': `${page.p50} ${page.p95} ${page.p99}`,
      'beside p50/95/99': `${besideDrafts.p50} ${besideDrafts.p95} ${besideDrafts.p99}`,
      'ratio of p50': rounded(median(ratios)),
    };
  });
}

/** How long another account's customer takes to be shown, one call after another. */
async function callsOf(other: Api): Promise<number[]> {
  const times: number[] = [];
  const until = performance.now() + CALLS_MS;
  while (times.length < CALLS && performance.now() < until) {
    const begun = performance.now();
    await other.get('/api/customers/bystander/');
    times.push(performance.now() - begun);
    await sleep(5);
  }
  return times;
}
