import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { createLog } from '../../runtime/log.ts';
import { connectStream } from '../../stream/connection.ts';
import { ensureStreams } from '../../stream/streams.ts';
import { usageSubject } from '../../stream/subjects.ts';

/**
 * The baseline of the batch bench: a bare server that reads a body, parses each of its lines, and stores its bytes in JetStream before it
 * answers, in messages of `--message` bytes, as large as the edge's.
 */
const { values } = parseArgs({
  options: { port: { type: 'string' }, nats: { type: 'string', default: '' }, message: { type: 'string' } },
});
const settings = { usagePartitions: 1, usageStreamMaxBytes: 2 ** 33, streamReplicas: 1 };
const messageBytes = Number(values.message);

const { js, jsm } = await connectStream(values.nats, 'bench', createLog('bench', 'warn'));
await ensureStreams(jsm, settings);

async function store(body: Buffer): Promise<void> {
  const pieces: Promise<unknown>[] = [];
  for (let at = 0; at < body.length; at += messageBytes) {
    pieces.push(js.publish(usageSubject(0), body.subarray(at, at + messageBytes)));
  }
  await Promise.all(pieces);
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', async () => {
    const body = Buffer.concat(chunks);
    let accepted = 0;
    for (const line of body.toString().split('\n')) {
      if (line === '') continue;
      JSON.parse(line);
      accepted += 1;
    }
    await store(body);
    const answer = JSON.stringify({ accepted, rejected: [] });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length }).end(answer);
  });
});
server.listen(Number(values.port), '127.0.0.1', () => process.send?.('listening'));
