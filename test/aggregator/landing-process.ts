import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { landAllPartitions } from '../../aggregator/land-all-partitions.ts';
import { createLog } from '../../runtime/log.ts';
import { patiently } from '../../runtime/repeat.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { connectStream } from '../../stream/connection.ts';
import { loadUsageStream } from '../../stream/streams.ts';

/**
 * The aggregator's landing alone, in a process that can be broken: at step `at`, the `nth` time it is reached, it gets
 * `signal`. Ends with code 3 when it has lost the fence. With `forgets` nobody is told of repeats (bench repeats).
 */
const { values } = parseArgs({
  options: {
    nats: { type: 'string', default: '' },
    clickhouse: { type: 'string', default: '' },
    partitions: { type: 'string' },
    at: { type: 'string', default: 'never' },
    nth: { type: 'string', default: '1' },
    signal: { type: 'string', default: 'SIGKILL' },
    forgets: { type: 'boolean', default: false },
  },
});

const log = createLog('aggregator', 'info');
const clickhouse = createClickHouse(values.clickhouse);
if (values.forgets) {
  const exec = clickhouse.exec.bind(clickhouse);
  const nothing = () => ({ stream: Readable.from([]), query_id: '', response_headers: {} });
  clickhouse.exec = async (params) => (params.query.includes('usage_repeats') ? nothing() : exec(params));
}
const connection = await connectStream(values.nats, 'aggregator', log);
let reached = 0;
try {
  await landAllPartitions({
    connection,
    clickhouse,
    // The server may be killed just then; the aggregator waits for it, too.
    stream: await patiently('usage stream', log, () => loadUsageStream(connection.jsm)),
    own: values.partitions?.split(',').map(Number),
    writerId: randomUUID(),
    knownIdsMaxBytes: 2 ** 26,
    log,
    signal: new AbortController().signal,
    onStep: (step) => {
      if (step !== values.at) return;
      reached += 1;
      // A signal to oneself is delivered before kill returns: nothing after this step has happened.
      if (reached === Number(values.nth)) process.kill(process.pid, values.signal as NodeJS.Signals);
    },
    onReady: () => log.info('ready'),
  });
} catch (error) {
  log.error({ err: error }, 'ended');
  process.exit(3);
}
