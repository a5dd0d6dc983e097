import { natsServer, temporal, temporalServer, temporalSqlTool } from '../local/binaries.ts';
import type { ChildProcess } from '../local/child-process.ts';
import { ClickHouseEngine } from '../local/engines/clickhouse.ts';
import type { EngineContext } from '../local/engines/engine.ts';
import { findBinary } from '../local/find-binary.ts';
import { loadLauncherConfig } from '../runtime/config.ts';
import { findNginx } from './load-balancer.ts';
import { createNatsCluster, type NatsCluster } from './nats-cluster.ts';
import { type PostgresPair, startPostgresPair } from './postgres-pair.ts';
import { createTemporalServer, makeNamespace, makeTemporalSchema } from './temporal-server.ts';

export type Programs = {
  nats: string;
  temporal: string;
  temporalServer: string;
  temporalSqlTool: string;
  nginx: string;
};

export type Engines = {
  postgres: PostgresPair;
  nats: NatsCluster;
  clickhouse: ClickHouseEngine;
  temporal: ChildProcess;
  temporalAddress: string;
};

/** How many ports they take. */
export const ENGINE_PORTS = 20;

const READY_MS = 180_000;

/** Finds what runs; builds Temporal's server the first time, which takes minutes. */
export async function findPrograms(say: (line: string) => void): Promise<Programs> {
  const { cacheDir, natsServerBin, temporalBin, environment } = loadLauncherConfig();
  const find = { cacheDir, environment, say };
  return {
    nats: await findBinary(natsServer, natsServerBin, find),
    temporal: await findBinary(temporal, temporalBin, find),
    temporalServer: await findBinary(temporalServer, undefined, find),
    temporalSqlTool: await findBinary(temporalSqlTool, undefined, find),
    nginx: await findNginx(cacheDir, environment.PATH ?? ''),
  };
}

/** Starts Postgres with its standby, three servers of NATS, ClickHouse and Temporal; resolves when all serve. */
export async function startEngines(
  context: EngineContext,
  programs: Programs,
  [primary = 0, standby = 0, clickhousePort = 0, ...ports]: readonly number[],
): Promise<Engines> {
  const { say } = context.observer;
  say('starting Postgres, and its standby on a copy');
  const postgres = await startPostgresPair(context, [primary, standby]);
  const nats = createNatsCluster(context, programs.nats, ports.slice(0, 9));
  const clickhouse = new ClickHouseEngine(context, clickhousePort);
  const { server, address } = createTemporalServer(context, programs.temporalServer, postgres, ports.slice(9));
  const engines = { postgres, nats, clickhouse, temporal: server, temporalAddress: address };
  try {
    await makeTemporalSchema(programs.temporalSqlTool, postgres);
    say('starting three servers of NATS, ClickHouse and Temporal');
    const parts = [...nats.servers, clickhouse, server];
    await Promise.all(parts.map((part) => part.start()));
    await Promise.all(parts.map((part) => part.ready(READY_MS)));
    await makeNamespace(programs.temporal, address, READY_MS);
    return engines;
  } catch (error) {
    await stopEngines(engines, 0);
    throw error;
  }
}

export async function stopEngines(
  { temporal: server, clickhouse, nats, postgres }: Engines,
  killAfterMs: number,
): Promise<void> {
  for (const parts of [[server], [clickhouse, ...nats.servers]]) {
    await Promise.all(parts.map((part) => part.stop(killAfterMs)));
  }
  await postgres.stop(killAfterMs);
}
