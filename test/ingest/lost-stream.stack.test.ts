import { afterEach, beforeEach, expect, test } from 'vitest';
import { openUsagePublisher, type UsagePublisher } from '../../ingest/usage-publisher.ts';
import { createLog } from '../../runtime/log.ts';
import type { StreamConnection } from '../../stream/connection.ts';
import { assertStreamReaches, ensureStreams, loadUsageStream } from '../../stream/streams.ts';
import { USAGE_STREAM } from '../../stream/subjects.ts';
import { type OwnNats, startNats } from '../stack/usage-engines.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { patientStream } from '../stream/patient-stream.ts';

const settings = { usagePartitions: 1, usageStreamMaxBytes: 2 ** 28, streamReplicas: 1 };
const log = createLog('test', 'silent');

let nats: OwnNats;
let connection: StreamConnection;
let publisher: UsagePublisher;

beforeEach(async () => {
  nats = await startNats();
  connection = await patientStream(nats.natsUrl);
  publisher = openUsagePublisher(nats.natsUrl, settings, log, async ({ jsm }) => {
    await assertStreamReaches(jsm, 2);
    return loadUsageStream(jsm);
  });
});
afterEach(async () => {
  await publisher.close();
  await connection.close();
  await nats.stop();
});

const problem = () =>
  publisher.checkDurability().then(
    () => '',
    (error: Error) => error.message,
  );

test('the edge takes nothing into a stream that is gone, or that ends before what was counted, and makes none', async () => {
  await waitUntil(problem, (said) => said.includes('The usage stream is gone'));
  expect(() => publisher.partitions()).toThrow('not reachable');
  await ensureStreams(connection.jsm, settings);
  await waitUntil(problem, (said) => said.includes('The usage stream ends at message 0'));
  expect(() => publisher.partitions()).toThrow('not reachable');
  for (const id of ['a', 'b']) await connection.js.publish('usage.0', id);
  await waitUntil(problem, (said) => said === '');
  expect(publisher.partitions()).toBe(1);
  await connection.jsm.streams.delete(USAGE_STREAM);
  await waitUntil(problem, (said) => said.includes('npm run cli -- new-epoch'));
  await expect(publisher.storeGroup(0, [Buffer.from('x')], 500, [])).rejects.toThrow();
  const names: string[] = [];
  for await (const name of connection.jsm.streams.names()) names.push(name);
  expect(names).not.toContain(USAGE_STREAM);
});
