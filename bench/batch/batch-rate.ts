import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reservePorts } from '../../local/free-ports.ts';
import { createLog } from '../../runtime/log.ts';
import { connectStream } from '../../stream/connection.ts';
import { USAGE_STREAM } from '../../stream/subjects.ts';
import { startBenchNats } from '../bench-nats.ts';
import { assertAllStored } from '../edge.ts';
import { median, report, rounded } from '../figures.ts';
import { cpuMs } from '../process-usage.ts';
import { sendAll } from '../track-load.ts';
import { prepareBatches } from './batch-load.ts';

const ROUNDS = 5;
const BATCH_EVENTS = 1_000;
const CONNECTIONS = 8;
const KEY = 'bench-key-0123456789abcdef';
const GOALS = { plain: 0.6, gzip: 0.75 };

type Name = 'bare' | 'plain' | 'gzip';
type Run = { rate: number; cpuUs: number };

/** Events/s accepted in NDJSON bodies of 1,000, plain and by gzip, over a bare server; run by run in turn. */
export async function benchBatchRate(events: number): Promise<void> {
  const { ports, release } = await reservePorts(`bench-${process.pid}`, 4);
  const [barePort = 0, edgePort = 0, bareNats = 0, edgeNats = 0] = ports;
  const nats = await Promise.all([startBenchNats(bareNats, true), startBenchNats(edgeNats, true)]);
  const edge = await start('../edge-server.ts', [`--port=${edgePort}`, `--key=${KEY}`, `--nats=${nats[1].url}`]);
  const servers: ChildProcess[] = [edge];
  try {
    await run(edge, edgePort, 'warm', events);
    const message = await messageBytes(nats[1].url);
    const bare = await start('bare-server.ts', [`--port=${barePort}`, `--nats=${nats[0].url}`, `--message=${message}`]);
    servers.push(bare);
    await run(bare, barePort, 'warm', events);
    const runs: Record<Name, Run[]> = { bare: [], plain: [], gzip: [] };
    for (let round = 0; round < ROUNDS; round++) {
      runs.bare.push(await run(bare, barePort, `b${round}`, events));
      runs.plain.push(await run(edge, edgePort, `p${round}`, events));
      runs.gzip.push(await run(edge, edgePort, `z${round}`, events, 'gzip'));
    }
    reportRuns(runs, message);
    await assertAllStored({ name: 'batch', natsUrl: nats[1].url }, events * (1 + 2 * ROUNDS));
  } finally {
    for (const server of servers) server.kill('SIGKILL');
    await Promise.all(nats.map((one) => one.stop()));
    release();
  }
}

async function start(file: string, args: string[]): Promise<ChildProcess> {
  const server = fork(join(import.meta.dirname, file), args);
  await once(server, 'message');
  await sleep(500); // the edge finds its stream in the background
  return server;
}

async function run(server: ChildProcess, port: number, tag: string, events: number, encoding?: 'gzip'): Promise<Run> {
  const requests = prepareBatches(tag, events, {
    port,
    key: KEY,
    batchEvents: BATCH_EVENTS,
    ...(encoding && { encoding }),
  });
  const pid = server.pid ?? 0;
  const before = cpuMs(pid);
  const rate = (await sendAll(port, requests, { connections: CONNECTIONS })) * BATCH_EVENTS;
  return { rate: Math.round(rate), cpuUs: rounded(((cpuMs(pid) - before) * 1_000) / events) };
}

/** How large the edge's messages are. */
async function messageBytes(natsUrl: string): Promise<number> {
  const connection = await connectStream(natsUrl, 'bench', createLog('bench', 'warn'));
  const { state } = await connection.jsm.streams.info(USAGE_STREAM);
  await connection.close();
  return Math.round(state.bytes / state.messages);
}

function reportRuns(runs: Record<Name, Run[]>, message: number) {
  const middle = (name: Name, figure: keyof Run) => median(runs[name].map((run) => run[figure]));
  const over = (name: Name, base: Name) =>
    rounded(median(runs[name].map(({ rate }, i) => rate / (runs[base][i]?.rate ?? Number.NaN))));
  const rows = [
    { batches: 'plain', over: 'bare', ratio: over('plain', 'bare'), goal: GOALS.plain },
    { batches: 'gzip', over: 'plain', ratio: over('gzip', 'plain'), goal: GOALS.gzip },
  ].map(({ batches, over: base, ...row }) => ({
    batches,
    'events/s': middle(batches as Name, 'rate'),
    over: base,
    'its events/s': middle(base as Name, 'rate'),
    ...row,
    'CPU us': middle(batches as Name, 'cpuUs'),
    'its CPU us': middle(base as Name, 'cpuUs'),
  }));
  report('batch rate', rows, { connections: CONNECTIONS, rounds: ROUNDS, message, runs });
}
