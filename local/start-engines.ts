import { natsServer, temporal } from './binaries.ts';
import type { ChildProcess } from './child-process.ts';
import { ClickHouseEngine } from './engines/clickhouse.ts';
import type { EngineContext } from './engines/engine.ts';
import { NatsEngine } from './engines/nats.ts';
import { PostgresEngine, postgresPrograms } from './engines/postgres.ts';
import { TemporalEngine } from './engines/temporal.ts';
import { type FindOptions, findBinary } from './find-binary.ts';

/** Where the engines are, as our processes are told. */
export type Addresses = { databaseUrl: string; natsUrl: string; clickhouseUrl: string; temporalAddress: string };

/** Addresses given by the environment: that engine is then not started (spec/service#local-stack). */
export type GivenAddresses = { [Name in keyof Addresses]?: string | undefined };

export type EnginePorts = Record<
  'postgres' | 'nats' | 'clickhouse' | 'temporal' | 'temporalUi' | 'temporalMetrics' | 'temporalHttp',
  number
>;

export type EngineOptions = {
  given: GivenAddresses;
  ports: EnginePorts;
  natsServerBin: string | undefined;
  temporalBin: string | undefined;
  find: FindOptions;
  /** Told of each engine before it starts, so that a start cut short can stop it. */
  started(engine: ChildProcess): void;
};

/** A first start makes a Postgres cluster on a machine that is also compiling. */
const READY_MS = 120_000;

/** Starts the engines nobody gave us, all at once, and waits until each serves. */
export async function startEngines(
  context: EngineContext,
  options: EngineOptions,
): Promise<Addresses & { temporalUiUrl: string | null }> {
  const { given, ports, find } = options;
  const start = async <T extends ChildProcess>(engine: T): Promise<T> => {
    find.signal?.throwIfAborted(); // nothing may start behind a stop
    options.started(engine);
    await engine.start();
    await engine.ready(READY_MS, find.signal);
    context.observer.say(`${engine.name} is ready (pid ${engine.pid})`);
    return engine;
  };
  const [postgres, nats, clickhouse, temporalServer] = await Promise.all([
    given.databaseUrl
      ? null
      : postgresPrograms().then((programs) => start(new PostgresEngine(context, programs, ports.postgres))),
    given.natsUrl
      ? null
      : findBinary(natsServer, options.natsServerBin, find).then((binary) =>
          start(new NatsEngine(context, binary, ports.nats)),
        ),
    given.clickhouseUrl ? null : start(new ClickHouseEngine(context, ports.clickhouse)),
    given.temporalAddress
      ? null
      : findBinary(temporal, options.temporalBin, find).then((binary) =>
          start(
            new TemporalEngine(context, binary, {
              port: ports.temporal,
              uiPort: ports.temporalUi,
              metricsPort: ports.temporalMetrics,
              httpPort: ports.temporalHttp,
            }),
          ),
        ),
  ]);
  return {
    databaseUrl: given.databaseUrl ?? postgres?.url ?? '',
    natsUrl: given.natsUrl ?? nats?.url ?? '',
    clickhouseUrl: given.clickhouseUrl ?? clickhouse?.url ?? '',
    temporalAddress: given.temporalAddress ?? temporalServer?.address ?? '',
    temporalUiUrl: temporalServer?.uiUrl ?? null,
  };
}
