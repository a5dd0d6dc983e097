import { USAGE_STREAM } from '../../stream/subjects.ts';
import { startUsageFixture } from '../../test/aggregator/usage-fixture.ts';
import { benchMessages } from '../bench-events.ts';
import { median, report, rounded } from '../figures.ts';
import { cpuMs } from '../process-usage.ts';
import { drain } from './drain.ts';

const ROUNDS = 9;
/** Of a hundred events that many are repeats of the hundred before. */
const SHARES = [1, 10];
const STREAM_BYTES = 2 ** 29;
const GOAL = 1.02;
/** Two writers, one of them of each partition. */
const WAYS = [
  { way: 'kept', partition: 0, options: { partitions: '0' } },
  { way: 'forgotten', partition: 1, options: { partitions: '1', forgets: true } },
] as const;

type Cost = { seconds: number; cpuMs: number };

/**
 * What it costs to keep repeats, which a trace tells of: a backlog of which some are repeats until it has landed, by a writer that keeps
 * them and by one that does not, in turn, on the same engines. Ratios are the one's over the other's, the median of pairs, of the time
 * and of the processor time of writer and ClickHouse, which a busy machine changes less.
 */
export async function benchRepeats(events: number): Promise<void> {
  const fixture = await startUsageFixture(WAYS.length, STREAM_BYTES);
  try {
    const writers = WAYS.map((one) => ({ ...one, landing: fixture.startLanding(one.options) }));
    const rows = [];
    for (const share of SHARES) {
      const idOf = (i: number) => (i >= 100 && i % 100 < share ? i - 100 : i);
      const pairs: Cost[][] = [];
      // The first pair is to warm up.
      for (let round = 0; round <= ROUNDS; round++) {
        const pair: Cost[] = [];
        // Each goes first as often as the other.
        for (const { way, partition, landing } of round % 2 === 0 ? writers : writers.toReversed()) {
          const messages = benchMessages(`${share}-${way}-${round}`, events, idOf);
          const pids = [landing.child.pid ?? 0, fixture.engines.clickhousePid() ?? 0];
          const cpu = () => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
          const before = cpu();
          const seconds = await drain(fixture, landing.child.pid, messages, partition);
          pair[partition] = { seconds, cpuMs: cpu() - before };
        }
        if (round > 0) pairs.push(pair);
        await fixture.connection.jsm.streams.purge(USAGE_STREAM);
      }
      rows.push(rowOf(events, share, pairs));
    }
    report('repeats', rows, { rounds: ROUNDS });
  } finally {
    await fixture.stop();
  }
}

function rowOf(events: number, share: number, pairs: readonly Cost[][]) {
  const of = (way: number, what: keyof Cost) => pairs.map((pair) => pair[way]?.[what] ?? Number.NaN);
  const ratio = (what: keyof Cost) => {
    const forgotten = of(1, what);
    return rounded(median(of(0, what).map((kept, i) => kept / (forgotten[i] ?? Number.NaN))));
  };
  return {
    events,
    'repeats %': share,
    'kept: events/s': Math.round(events / median(of(0, 'seconds'))),
    'forgotten: events/s': Math.round(events / median(of(1, 'seconds'))),
    'ratio of time': ratio('seconds'),
    'kept: CPU us an event': rounded((median(of(0, 'cpuMs')) * 1_000) / events),
    'ratio of CPU': ratio('cpuMs'),
    goal: GOAL,
  };
}
