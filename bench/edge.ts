import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reservePorts } from '../local/free-ports.ts';
import { createLog } from '../runtime/log.ts';
import { connectStream } from '../stream/connection.ts';
import { readUsageGroups } from '../stream/usage-groups.ts';
import { decodeUsageMessage } from '../stream/usage-message.ts';
import { startBenchNats } from './bench-nats.ts';
import { median, report } from './figures.ts';
import { prepareRequests, sendAll } from './track-load.ts';

/** Connections with one request under way each: a busy edge, as many senders make it. */
const CONNECTIONS = 256;
const ROUNDS = 5;
const KEY = 'bench-key-0123456789abcdef';
/** Goals of issue 4. */
const GOALS = { fsync: 0.8, 'no fsync': 0.9 };

type Contender = { name: 'bare' | 'fsync' | 'no fsync'; port: number; natsUrl?: string };

/** Accepted requests/s of the edge over a bare `node:http` server that reads and parses the same body, run by run in turn. */
export async function benchEdge(requests: number): Promise<void> {
  const { ports, release } = await reservePorts(`bench-${process.pid}`, 5);
  const [bare = 0, fsync = 0, lazy = 0, natsFsync = 0, natsLazy = 0] = ports;
  const [safe, quick] = await Promise.all([startBenchNats(natsFsync, true), startBenchNats(natsLazy, false)]);
  const contenders: Contender[] = [
    { name: 'bare', port: bare },
    { name: 'fsync', port: fsync, natsUrl: safe.url },
    { name: 'no fsync', port: lazy, natsUrl: quick.url },
  ];
  const servers = await Promise.all(contenders.map(startServer));
  try {
    for (const contender of contenders) await run(contender, 'warm', Math.ceil(requests / 2));
    const rates: Record<Contender['name'], number[]> = { bare: [], fsync: [], 'no fsync': [] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const contender of contenders) rates[contender.name].push(await run(contender, `r${round}`, requests));
    }
    reportRates(rates);
    for (const contender of contenders) await assertAllStored(contender, requests * ROUNDS + Math.ceil(requests / 2));
  } finally {
    for (const server of servers) server.kill('SIGKILL');
    await Promise.all([safe.stop(), quick.stop()]);
    release();
  }
}

async function startServer({ port, natsUrl }: Contender): Promise<ChildProcess> {
  const args = [`--port=${port}`, `--key=${KEY}`, ...(natsUrl ? [`--nats=${natsUrl}`] : [])];
  const server = fork(join(import.meta.dirname, 'edge-server.ts'), args);
  await once(server, 'message');
  await sleep(500); // the edge finds its stream in the background
  return server;
}

function run({ port }: Contender, tag: string, count: number): Promise<number> {
  return sendAll(port, prepareRequests(tag, count, port, KEY), { connections: CONNECTIONS });
}

/** Every request was answered 200 (else the run has thrown): so each id is in the stream, once. */
async function assertAllStored({ name, natsUrl }: Contender, sent: number) {
  if (!natsUrl) return;
  const connection = await connectStream(natsUrl, 'bench', createLog('bench', 'warn'));
  const ids = new Set<string>();
  let events = 0;
  for (let from = 1; ; ) {
    const groups = await readUsageGroups(connection, 0, from, { maxMessages: 1_000, maxBytes: 2 ** 22 });
    if (groups.length === 0) break;
    for (const { sequence, data } of groups) {
      const decoded = decodeUsageMessage(data);
      if (!decoded.ok) throw new Error(`${name}: message ${sequence} cannot be decoded.`);
      for (const { idempotencyId } of decoded.events) ids.add(idempotencyId);
      events += decoded.events.length;
      from = sequence + 1;
    }
  }
  await connection.close();
  if (events !== sent || ids.size !== sent)
    throw new Error(`${name}: ${sent} sent, ${events} stored, ${ids.size} ids.`);
}

function reportRates(rates: Record<Contender['name'], number[]>) {
  const ratioOf = (name: keyof typeof GOALS) =>
    median(rates[name].map((rate, i) => rate / (rates.bare[i] ?? Number.NaN)));
  const rows = (Object.keys(GOALS) as (keyof typeof GOALS)[]).map((name) => ({
    edge: name,
    'requests/s': Math.round(median(rates[name])),
    'bare requests/s': Math.round(median(rates.bare)),
    ratio: Number(ratioOf(name).toFixed(3)),
    goal: GOALS[name],
  }));
  report('edge', rows, { connections: CONNECTIONS, rounds: ROUNDS, rates });
}
