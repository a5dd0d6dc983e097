import type { StackFile } from '../../local/stack-file.ts';
import { assertLanded } from '../assert-landed.ts';
import { percentile, report, rounded } from '../figures.ts';
import { prepareRequests, sendAll } from '../track-load.ts';
import { prepareBatches } from './batch-load.ts';

const SECONDS = 15;
const BATCH_EVENTS = 10_000;
const BATCHES_PER_SECOND = 5;
const SINGLES_PER_SECOND = 200;
const BATCH_CONNECTIONS = 8;
const SINGLE_CONNECTIONS = 32;
const GOAL_MS = 50;

/** How long single events take, alone and beside 50,000/s in batches of 10,000, both sent by the clock. */
export async function benchSinglesBeside(file: StackFile): Promise<void> {
  const port = Number(new URL(file.base_url).port);
  const key = file.api_key;
  const batches = BATCHES_PER_SECOND * SECONDS;
  let sent = 0;

  async function singles(tag: string): Promise<number[]> {
    const requests = prepareRequests(tag, SINGLES_PER_SECOND * SECONDS, port, key);
    const times: number[] = [];
    const onAccepted = (_index: number, _answer: string, ms: number) => void times.push(ms);
    await sendAll(port, requests, { connections: SINGLE_CONNECTIONS, perSecond: SINGLES_PER_SECOND, onAccepted });
    sent += requests.length;
    return times;
  }

  async function large(tag: string): Promise<number[]> {
    const requests = prepareBatches(tag, batches * BATCH_EVENTS, { port, key, batchEvents: BATCH_EVENTS });
    const times: number[] = [];
    const onAccepted = (_index: number, _answer: string, ms: number) => void times.push(ms);
    await sendAll(port, requests, { connections: BATCH_CONNECTIONS, perSecond: BATCHES_PER_SECOND, onAccepted });
    sent += batches * BATCH_EVENTS;
    return times;
  }

  await Promise.all([singles('warm-s'), large('warm-b')]);
  const alone = await singles('alone');
  const requested = performance.now();
  const [beside, ofBatches] = await Promise.all([singles('beside'), large('batch')]);
  const seconds = (performance.now() - requested) / 1000;
  await assertLanded(file, sent);
  const row = (what: string, times: number[], goal?: number) => ({
    what,
    'p50 ms': rounded(percentile(times, 50)),
    'p99 ms': rounded(percentile(times, 99)),
    ...(goal && { goal }),
  });
  report(
    'batch singles',
    [row('single events alone', alone), row('beside batches', beside, GOAL_MS), row('the batches', ofBatches)],
    { seconds: rounded(seconds), singlesPerSecond: SINGLES_PER_SECOND, batchesPerSecond: BATCHES_PER_SECOND },
  );
}
