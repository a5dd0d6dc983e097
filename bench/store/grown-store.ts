import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { reservePorts } from '../../local/free-ports.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { startOwnStack } from '../../test/stack/own-stack.ts';
import { type Checks, measureChecks, prepareChecks } from '../access.ts';
import { median, percentile, report, rounded } from '../figures.ts';
import { fillStore, makeStreamBehind, sizesOf, stagesOf, untilAtRest } from './fill-store.ts';
import { bytesAnEvent, memoryOf } from './footprint.ts';
import { startAggregator } from './ids.ts';
import { type Asked, endQuestions, prepareMetrics, QUESTIONS, type Rounds, type Size, timesOf } from './questions.ts';

const GOALS = { growth: 1.3, 'p99 ms of count, sum and max of the small one': 25, 'unique of the huge one': 0.2 };
/** The API looks for what is counted beforehand at a question, when it has last looked so long ago. */
const UNTIL_API_KNOWS_MS = 16_000;
const ROUNDS: Record<Size, Rounds> = {
  small: { warmUp: 60, counted: 300 },
  middling: { warmUp: 20, counted: 100 },
  huge: { warmUp: 3, counted: 15 },
};
const CHECKS = { checks: 5_000, eventsPerSecond: 100 };
const WARM_CHECKS = 1_000;

type Stack = Awaited<ReturnType<typeof startOwnStack>>;
type Figure = {
  customer: Size;
  aggregation: string;
  'API ms': number;
  'p99 ms': number;
  'SQL ms': number;
  ratio: number;
};
type Look = { events: number; figures: Figure[]; checks: object; memory: ReturnType<typeof memoryOf>; disk: object };

/**
 * A store at a hundredth, a tenth and all of `events`: questions about three customers who stay as they are while it grows, access
 * checks, bytes on disk, each process's memory; and the start of an aggregator that learns all their ids.
 */
export async function benchGrownStore(events: number): Promise<void> {
  const stack = await startOwnStack({}, (stores) => makeStreamBehind(events, stores));
  const clickhouse = createClickHouse(stack.file().clickhouse_url, undefined, 600_000);
  try {
    const metrics = await prepareMetrics(stack.file(), ['small', 'middling', 'huge']);
    const checks = await prepareChecks(stack);
    const looks: Look[] = [];
    let from = 0;
    for (const to of stagesOf(events)) {
      const begun = performance.now();
      await fillStore(clickhouse, stack.file().account_id, { from, to, events });
      const filled = performance.now();
      await untilAtRest(clickhouse);
      say({ to, 'filled s': secondsSince(begun, filled), 'at rest s': secondsSince(filled) });
      const sizes = sizesOf(events, to);
      looks.push(await lookAt(stack, clickhouse, { events: to, sizes, metrics, checks }));
      say(looks.at(-1));
      from = to;
    }
    const started = await startBeside(stack, clickhouse);
    report('size', [...growthOf(looks), ...memoryRows(looks)], { events, goals: GOALS, looks, started });
    console.table([started]);
  } finally {
    endQuestions();
    await clickhouse.close();
    await stack.stop();
  }
}

type Measured = { events: number; sizes: Partial<Record<Size, number>>; metrics: Map<string, string>; checks: Checks };

async function lookAt(stack: Stack, clickhouse: ClickHouseClient, { events, sizes, metrics, checks }: Measured) {
  const figures: Figure[] = [];
  await letApiKnow(stack, clickhouse, metrics);
  for (const [customer, count] of Object.entries(sizes) as [Size, number][]) {
    for (const question of QUESTIONS) {
      const metricId = metrics.get(question.aggregation) ?? '';
      const asked: Asked = { customer, count, question, metricId };
      const { api, hand } = await timesOf(stack.file(), clickhouse, asked, ROUNDS[customer]);
      figures.push({
        ...{ customer, aggregation: question.aggregation },
        ...{ 'API ms': rounded(median(api)), 'p99 ms': rounded(percentile(api, 99)), 'SQL ms': rounded(median(hand)) },
        ratio: rounded(median(api.map((ms, i) => ms / (hand[i] ?? Number.NaN)))),
      });
    }
  }
  // Whoever follows the stream asks once what those rows touched that have come past it.
  await measureChecks(stack, { ...checks, ...CHECKS, checks: WARM_CHECKS, tag: `warm-${events}` });
  const checked = await measureChecks(stack, { ...checks, ...CHECKS, tag: `store-${events}` });
  const disk = await bytesAnEvent(clickhouse, events);
  return { events, figures, checks: checked, memory: memoryOf(stack.file()), disk };
}

/** A question has it look, and tells nothing of what it finds. */
async function letApiKnow(stack: Stack, clickhouse: ClickHouseClient, metrics: Map<string, string>) {
  const question = QUESTIONS[0];
  if (!question) throw new Error('there are no questions');
  await sleep(UNTIL_API_KNOWS_MS);
  const asked: Asked = { customer: 'small', count: 40, question, metricId: metrics.get(question.aggregation) ?? '' };
  await timesOf(stack.file(), clickhouse, asked, { warmUp: 5, counted: 1 });
}

/** A row for each customer and aggregation: at each size of the store, and the last over the first. */
function growthOf(looks: readonly Look[]) {
  const last = looks.at(-1);
  return (last?.figures ?? []).map(({ customer, aggregation, ratio, 'p99 ms': p99 }) => {
    const same = looks.map(({ events, figures }) => {
      const figure = figures.find((one) => one.customer === customer && one.aggregation === aggregation);
      return [`ms at ${events}`, figure?.['API ms']] as const;
    });
    const ms = same.flatMap(([, value]) => value ?? []);
    const growth = rounded((ms.at(-1) ?? Number.NaN) / (ms[0] ?? Number.NaN));
    return { customer, aggregation, ...Object.fromEntries(same), growth, 'p99 ms': p99, 'over SQL': ratio };
  });
}

function memoryRows(looks: readonly Look[]) {
  return Object.keys(looks[0]?.memory ?? {}).map((name) => ({
    process: name,
    ...Object.fromEntries(looks.map(({ events, memory }) => [`MB at ${events}`, memory[name]?.MB])),
    'most MB': looks.at(-1)?.memory[name]?.['most MB'],
  }));
}

/** Another aggregator: it has nothing to land, and knows all ids before it says that it is ready. */
async function startBeside(stack: Stack, clickhouse: ClickHouseClient) {
  const answer = await clickhouse.query({ query: 'SELECT count() AS ids FROM usage_ids', format: 'JSONEachRow' });
  const [row] = await answer.json<{ ids: string }>();
  const { nats_url, clickhouse_url } = stack.file();
  const { ports, release } = await reservePorts('bench size', 1);
  try {
    const addresses = { natsUrl: nats_url, clickhouseUrl: clickhouse_url, port: ports[0] ?? 0 };
    return { ids: Number(row?.ids), ...(await startAggregator(addresses, Number(row?.ids))) };
  } finally {
    release();
  }
}

/** A run takes half an hour: what is known so far is not to be lost with it. */
function say(known: unknown) {
  console.log(JSON.stringify(known));
}

function secondsSince(from: number, to = performance.now()): number {
  return rounded((to - from) / 1000);
}
