import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildProcess } from '../local/child-process.ts';
import { ensureEncryptionKeys } from '../local/encryption-keys.ts';
import { ClickHouseEngine } from '../local/engines/clickhouse.ts';
import type { EngineContext } from '../local/engines/engine.ts';
import { reservePorts } from '../local/free-ports.ts';
import { type OurName, ourProcess } from '../local/our-processes.ts';
import { ENGINE_PORTS, type Engines, findPrograms, type Programs, startEngines, stopEngines } from './engines.ts';
import { createLoadBalancer } from './load-balancer.ts';
import { NATS_SERVERS } from './nats-cluster.ts';
import type { Release } from './releases.ts';

/** Our processes, two of each, in the order in which a release is rolled out (operations/upgrading.md). */
export const OURS = {
  'worker-1': 'worker',
  'worker-2': 'worker',
  'api-1': 'api',
  'api-2': 'api',
  'aggregator-1': 'aggregator',
  'aggregator-2': 'aggregator',
  'edge-1': 'ingest',
  'edge-2': 'ingest',
} as const satisfies Record<string, OurName>;
export type OurPart = keyof typeof OURS;
export const OUR_PARTS = Object.keys(OURS) as OurPart[];

/** Each aggregator has its half of the partitions of the usage stream, for good. */
const PARTITIONS = 4;
const SHARES: Partial<Record<OurPart, string>> = { 'aggregator-1': '0-1', 'aggregator-2': '2-3' };

const READY_MS = 180_000;
const STOP_MS = 10_000;

/** The production shape on this machine. Whatever dies of it is started again, but for a primary of Postgres that was failed over. */
export class Shape {
  readonly engines: Engines;
  /** What every process of ours is given beside its own share. */
  readonly environment: Record<string, string>;
  readonly baseUrl: string;
  readonly #context: EngineContext;
  readonly #ports: Record<OurPart | 'front' | 'api', number>;
  readonly #parts = new Map<string, ChildProcess>();
  readonly #release: () => void;

  private constructor(
    context: EngineContext,
    engines: Engines,
    ports: Record<OurPart | 'front' | 'api', number>,
    release: () => void,
  ) {
    this.#context = context;
    this.#ports = ports;
    this.#release = release;
    this.engines = engines;
    this.baseUrl = `http://127.0.0.1:${ports.front}`;
    const urlsOf = (name: OurName) =>
      OUR_PARTS.filter((part) => OURS[part] === name).map((part) => `http://127.0.0.1:${ports[part]}`);
    this.environment = {
      DATABASE_URL: engines.postgres.url,
      NATS_URL: engines.nats.url,
      CLICKHOUSE_URL: engines.clickhouse.url,
      TEMPORAL_ADDRESS: engines.temporalAddress,
      API_URL: `http://127.0.0.1:${ports.api}`,
      AGGREGATOR_URL: urlsOf('aggregator').join(','),
      WORKER_URL: urlsOf('worker').join(','),
      ENCRYPTION_KEYS_FILE: ensureEncryptionKeys(context.dataDir),
      USAGE_PARTITIONS: String(PARTITIONS),
      STREAM_REPLICAS: String(NATS_SERVERS.length),
      TRUSTED_PROXIES: '127.0.0.1',
      WEBHOOK_ALLOW_PRIVATE: 'true',
    };
  }

  /** Brings up the engines and the load balancer, which answers 502 until there is something behind it. */
  static async start(context: EngineContext): Promise<Shape> {
    const reserved = [
      await reservePorts(`${context.dataDir}/ours`, 10),
      await reservePorts(context.dataDir, ENGINE_PORTS),
    ];
    const release = () => {
      for (const one of reserved) one.release();
    };
    const [ours, engines] = reserved.map(({ ports }) => ports);
    const names = [...OUR_PARTS, 'front', 'api'] as const;
    const ports = Object.fromEntries(names.map((name, i) => [name, ours?.[i] ?? 0])) as Record<
      (typeof names)[number],
      number
    >;
    const programs = await findPrograms(context.observer.say);
    let shape: Shape | undefined;
    try {
      shape = new Shape(context, await startEngines(context, programs, engines ?? []), ports, release);
      await shape.#startBalancer(programs);
      return shape;
    } catch (error) {
      await shape?.stop();
      release();
      throw error;
    }
  }

  /** Where the records and the usage are, for the commands of `cli/`. */
  get stores(): { databaseUrl: string; clickhouseUrl: string; natsUrl: string } {
    const { DATABASE_URL = '', CLICKHOUSE_URL = '', NATS_URL = '' } = this.environment;
    return { databaseUrl: DATABASE_URL, clickhouseUrl: CLICKHOUSE_URL, natsUrl: NATS_URL };
  }

  get dataDir(): string {
    return this.#context.dataDir;
  }

  /** The part of that name, as it runs now. */
  part(name: string): ChildProcess {
    const { postgres, nats, clickhouse, temporal } = this.engines;
    const engines = [...nats.servers, clickhouse, temporal].map((part): [string, ChildProcess] => [part.name, part]);
    const pair = { 'postgres-primary': postgres.primary(), 'postgres-standby': postgres.standby() };
    const part = new Map([...this.#parts, ...engines, ...Object.entries(pair)]).get(name);
    if (!part) throw new Error(`there is no part ${name}`);
    return part;
  }

  /** Answers 200 when this copy can do its work: an edge's own, since the gateway's path asks for all. */
  readinessUrl(part: OurPart): string {
    return `http://127.0.0.1:${this.#ports[part]}${OURS[part] === 'ingest' ? '/readyz/ingest' : '/readyz'}`;
  }

  /** Starts this copy of one of our processes from `release`, in the place of the one that runs; resolves when it is ready. */
  async run(part: OurPart, release: Release): Promise<void> {
    await this.halt(part);
    const share = SHARES[part];
    const own = {
      ...this.environment,
      DATABASE_URL: this.databaseUrlOf(release),
      ...(share && { AGGREGATOR_PARTITIONS: share }),
    };
    const folder = OURS[part] === 'worker' ? 'workflows' : OURS[part];
    const program = join(release.root, folder, 'main.ts');
    const context = { ...this.#context, dataDir: join(this.#context.dataDir, part) };
    const child = ourProcess(OURS[part], program, this.#ports[part], own, context);
    this.#parts.set(part, child);
    await child.start();
    await child.ready(READY_MS);
  }

  async halt(part: OurPart): Promise<void> {
    await this.#parts.get(part)?.stop(STOP_MS);
  }

  /** A release that knows no list of servers is told the one that takes writes. */
  databaseUrlOf({ root }: Release): string {
    const { url, primary } = this.engines.postgres;
    return existsSync(join(root, 'sql/postgres/primary-client.ts')) ? url : primary().url;
  }

  /** Puts a ClickHouse without any data in the place of the one that runs. */
  async emptyClickHouse(): Promise<void> {
    const { clickhouse } = this.engines;
    await clickhouse.stop(STOP_MS);
    rmSync(join(this.#context.dataDir, 'clickhouse'), { recursive: true });
    const empty = new ClickHouseEngine(this.#context, Number(new URL(clickhouse.url).port));
    this.engines.clickhouse = empty;
    await empty.start();
    await empty.ready(READY_MS);
  }

  async stop(): Promise<void> {
    for (const part of ['nginx', ...OUR_PARTS.toReversed()]) await this.#parts.get(part)?.stop(STOP_MS);
    await stopEngines(this.engines, STOP_MS);
    this.#release();
  }

  async #startBalancer({ nginx: program }: Programs): Promise<void> {
    const edges = [this.#ports['edge-1'], this.#ports['edge-2']];
    const apis = [this.#ports['api-1'], this.#ports['api-2']];
    const nginx = createLoadBalancer(this.#context, program, { ...this.#ports, edges, apis });
    this.#parts.set('nginx', nginx);
    await nginx.start();
    await nginx.ready(READY_MS);
  }
}
