import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { Registry } from '@prometheus-io/client';
import { BATCH } from '../ingest/batch/batch-endpoint.ts';
import { createFastPath } from '../ingest/fast-path.ts';
import { createGroupCommit } from '../ingest/group-commit.ts';
import { createBodyRoom } from '../ingest/intake/body-room.ts';
import { createIntakeCounts } from '../ingest/intake/intake-counts.ts';
import { intakeEndpoint } from '../ingest/intake/intake-endpoint.ts';
import { trackEndpoint } from '../ingest/track-endpoint.ts';
import { openUsagePublisher } from '../ingest/usage-publisher.ts';
import { systemClock } from '../runtime/clock.ts';
import { type Caller, hashKey } from '../runtime/http/api-key.ts';
import { createHttpApp, serveHttp } from '../runtime/http/app.ts';
import { createRateLimiter } from '../runtime/http/rate-limit.ts';
import { createLog } from '../runtime/log.ts';
import { ensureStreams } from '../stream/streams.ts';

/**
 * What the edge bench measures, each in a process of its own: with `--nats` the edge as ingest/main.ts puts it together
 * (its one key in memory, where the key ring has it too), without it the baseline: a bare server that reads and parses.
 */
const { values } = parseArgs({
  options: { port: { type: 'string' }, nats: { type: 'string' }, key: { type: 'string', default: '' } },
});
const port = Number(values.port);
if (values.nats) await serveEdge(values.nats);
else serveBare();
process.send?.('listening');

async function serveEdge(natsUrl: string) {
  const log = createLog('bench', 'warn');
  const settings = { usagePartitions: 1, usageStreamMaxBytes: 2 ** 32, streamReplicas: 1 };
  const publisher = openUsagePublisher(natsUrl, settings, log, ({ jsm }) => ensureStreams(jsm, settings));
  const caller: Caller = {
    keyId: 'key_bench',
    accountId: 'acct_bench',
    mode: 'live',
    scopes: ['events:write'],
    rateLimit: null,
  };
  const callers = new Map([[hashKey(values.key), caller]]);
  const groupCommit = createGroupCommit(publisher.storeGroup, () => {});
  const findKey = (hash: string) => callers.get(hash);
  const { partitions } = publisher;
  const takeRequest = createRateLimiter(systemClock);
  const dependencies = {
    findKey,
    findKnownKey: findKey,
    takeRequest,
    clock: systemClock,
    partitions,
    groupCommit,
    log,
  };
  const shortcuts = [
    trackEndpoint(dependencies),
    intakeEndpoint(BATCH, {
      ...dependencies,
      counts: createIntakeCounts(new Registry()),
      bodies: createBodyRoom(32 * 2 ** 20, 3_000),
    }),
  ];
  const fastPath = createFastPath(dependencies, 5_000);
  await serveHttp(createHttpApp(log), { host: '127.0.0.1', port }, log, { shortcuts, fastPath });
}

function serveBare() {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { idempotency_id } = JSON.parse(Buffer.concat(chunks).toString()) as { idempotency_id: string };
      const answer = JSON.stringify({ success: 'all', idempotency_id, status: 'queued' });
      const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(answer) };
      response.writeHead(200, headers).end(answer);
    });
  });
  server.listen(port, '127.0.0.1');
}
