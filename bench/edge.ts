import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readGroup } from '../aggregator/batch.ts';
import { reservePorts } from '../local/free-ports.ts';
import { createLog } from '../runtime/log.ts';
import { connectStream } from '../stream/connection.ts';
import { FINGERPRINT_WORDS, fingerprintFromWords } from '../stream/fingerprint.ts';
import { readUsageGroups } from '../stream/usage-groups.ts';
import { startBenchNats } from './bench-nats.ts';
import { median, report, rounded } from './figures.ts';
import { cpuMs } from './process-usage.ts';
import { prepareRequests, sendAll } from './track-load.ts';

/** Connections with one request under way each: a busy edge, as many senders make it. */
const CONNECTIONS = 256;
const ROUNDS = 5;
const KEY = 'bench-key-0123456789abcdef';
/** Shares of the bare server's rate. */
const GOALS: Partial<Record<Name, number>> = { fsync: 0.8, 'no fsync': 0.9 };
const OURS = join(import.meta.dirname, '..');

type Name = 'bare' | 'fsync' | 'no fsync' | 'beside';
/** `folder`: of the checkout whose edge it is. */
type Contender = { name: Name; port: number; natsUrl?: string; folder: string };
type Server = Contender & { process: ChildProcess };
/** Requests per second, and what each took of the server's processor time: that hardly changes beside other work. */
type Run = { rate: number; cpuUs: number };

/**
 * Accepted requests/s of the edge over a bare `node:http` server that reads and parses the same body, run by run in turn. `beside`: the
 * folder of another checkout, whose edge is measured in turn with this one's.
 */
export async function benchEdge(requests: number, beside?: string): Promise<void> {
  const { ports, release } = await reservePorts(`bench-${process.pid}`, 7);
  const [bare = 0, fsync = 0, lazy = 0, other = 0, natsFsync = 0, natsLazy = 0, natsOther = 0] = ports;
  const [safe, quick] = await Promise.all([startBenchNats(natsFsync, true), startBenchNats(natsLazy, false)]);
  const besides = beside ? await startBenchNats(natsOther, true) : null;
  const contenders: Contender[] = [
    { name: 'bare', port: bare, folder: OURS },
    { name: 'fsync', port: fsync, natsUrl: safe.url, folder: OURS },
    { name: 'no fsync', port: lazy, natsUrl: quick.url, folder: OURS },
  ];
  if (beside && besides)
    contenders.push({ name: 'beside', port: other, natsUrl: besides.url, folder: resolve(beside) });
  const servers = await Promise.all(contenders.map(startServer));
  try {
    for (const server of servers) await run(server, 'warm', Math.ceil(requests / 2));
    const runs: Record<Name, Run[]> = { bare: [], fsync: [], 'no fsync': [], beside: [] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const server of servers) runs[server.name].push(await run(server, `r${round}`, requests));
    }
    reportRuns(runs);
    for (const contender of contenders) await assertAllStored(contender, requests * ROUNDS + Math.ceil(requests / 2));
  } finally {
    for (const server of servers) server.process.kill('SIGKILL');
    await Promise.all([safe.stop(), quick.stop(), besides?.stop()]);
    release();
  }
}

async function startServer(contender: Contender): Promise<Server> {
  const { port, natsUrl, folder } = contender;
  const args = [`--port=${port}`, `--key=${KEY}`, ...(natsUrl ? [`--nats=${natsUrl}`] : [])];
  const server = fork(join(folder, 'bench/edge-server.ts'), args);
  await once(server, 'message');
  await sleep(500); // the edge finds its stream in the background
  return { ...contender, process: server };
}

async function run({ port, process: { pid = 0 } }: Server, tag: string, count: number): Promise<Run> {
  const requests = prepareRequests(tag, count, port, KEY);
  const before = cpuMs(pid);
  const rate = await sendAll(port, requests, { connections: CONNECTIONS });
  return { rate: Math.round(rate), cpuUs: rounded(((cpuMs(pid) - before) * 1_000) / count) };
}

/** Every request was answered 200 (else the run has thrown): so each id is in the stream, once. */
export async function assertAllStored({ name, natsUrl }: { name: string; natsUrl?: string }, sent: number) {
  if (!natsUrl) return;
  const connection = await connectStream(natsUrl, 'bench', createLog('bench', 'warn'));
  const ids = new Set<string>();
  let events = 0;
  for (let from = 1; ; ) {
    const groups = await readUsageGroups(connection, 0, from, { maxMessages: 1_000, maxBytes: 2 ** 22 });
    if (groups.length === 0) break;
    for (const group of groups) {
      const { sequence, undecodable, fingerprints } = readGroup(group, 1);
      if (undecodable) throw new Error(`${name}: message ${sequence} cannot be decoded.`);
      for (let at = 0; at < fingerprints.length; at += FINGERPRINT_WORDS) {
        ids.add(fingerprintFromWords(fingerprints, at));
        events += 1;
      }
      from = sequence + 1;
    }
  }
  await connection.close();
  if (events !== sent || ids.size !== sent)
    throw new Error(`${name}: ${sent} sent, ${events} stored, ${ids.size} ids.`);
}

function reportRuns(runs: Record<Name, Run[]>) {
  const middle = (name: Name, figure: keyof Run) => median(runs[name].map((run) => run[figure]));
  const ratioOf = (name: Name) => median(runs[name].map(({ rate }, i) => rate / (runs.bare[i]?.rate ?? Number.NaN)));
  const edges = (['fsync', 'no fsync', 'beside'] as const).filter((name) => runs[name].length > 0);
  const rows = edges.map((name) => ({
    edge: name,
    'requests/s': middle(name, 'rate'),
    'bare requests/s': middle('bare', 'rate'),
    ratio: rounded(ratioOf(name)),
    goal: GOALS[name],
    'CPU us': middle(name, 'cpuUs'),
    'bare CPU us': middle('bare', 'cpuUs'),
  }));
  report('edge', rows, { connections: CONNECTIONS, rounds: ROUNDS, runs });
}
