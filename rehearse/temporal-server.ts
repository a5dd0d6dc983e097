import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ChildProcess } from '../local/child-process.ts';
import { childEnvironment, type EngineContext, logFile } from '../local/engines/engine.ts';
import { acceptsConnections } from '../local/free-ports.ts';
import type { PostgresPair } from './postgres-pair.ts';
import { shipped } from './shipped.ts';

/** Ports that the shipped configuration names; each server of ours has others. */
const PORTS = [7233, 7234, 7235, 7239, 6933, 6934, 6935, 6939];
const ENVIRONMENT = 'production';
const DYNAMIC_CONFIG = 'temporal-dynamic.yaml';
const DATABASES = { temporal: 'temporal', temporal_visibility: 'visibility' };

/**
 * Temporal's server for production with the configuration of `operations/compose/temporal.yaml.tmpl`, its workflows in the pair of Postgres.
 * Its driver there knows one server; `postgres12_pgx` finds among several the one that takes writes. Takes eight of `ports`; starts nothing.
 */
export function createTemporalServer(
  context: EngineContext,
  program: string,
  { login }: PostgresPair,
  ports: readonly number[],
): { server: ChildProcess; address: string } {
  const folder = join(context.dataDir, 'temporal');
  const port = ports[0] ?? 0;
  const address = `127.0.0.1:${port}`;
  const renumbered = PORTS.map((shippedPort, i) => [`Port: ${shippedPort}`, `Port: ${ports[i]}`]);
  const configuration = shipped('compose/temporal.yaml.tmpl', {
    'pluginName: postgres12': 'pluginName: postgres12_pgx, connectAttributes: { target_session_attrs: read-write }',
    'connectAddr: "postgres:5432"': `connectAddr: "${login.addresses}"`,
    'user: temporal,': `user: ${login.user},`,
    'rpcAddress: "127.0.0.1:7233"': `rpcAddress: "${address}"`,
    '/etc/meterbook/dynamic.yaml': join(folder, DYNAMIC_CONFIG),
    ...Object.fromEntries(renumbered),
  });
  const server = new ChildProcess(
    {
      name: 'temporal',
      command: program,
      args: ['--root', folder, '--config', '.', '--env', ENVIRONMENT, '--allow-no-auth', 'start'],
      environment: childEnvironment(context, { TEMPORAL_DB_PASSWORD: login.password, TEMPORAL_BIND_IP: '127.0.0.1' }),
      logFile: logFile(context, 'temporal'),
      isReady: () => acceptsConnections(port),
      beforeStart: async () => {
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, `${ENVIRONMENT}.yaml`), configuration);
        writeFileSync(join(folder, DYNAMIC_CONFIG), shipped(`compose/${DYNAMIC_CONFIG}`, {}));
      },
    },
    context.observer,
  );
  return { server, address };
}

/** Makes the two databases and their tables, as the job `temporal-schema` of docker-compose.yml. */
export async function makeTemporalSchema(sqlTool: string, { login }: PostgresPair): Promise<void> {
  const [host, port = ''] = (login.addresses.split(',')[0] ?? '').split(':');
  for (const [database, schema] of Object.entries(DATABASES)) {
    const env = {
      ...process.env,
      ...{ SQL_PLUGIN: 'postgres12', SQL_HOST: host, SQL_PORT: port, SQL_DATABASE: database },
      ...{ SQL_USER: login.user, SQL_PASSWORD: login.password },
    };
    const run = (...args: string[]) => promisify(execFile)(sqlTool, args, { env });
    await run('create-database');
    await run('setup-schema', '-v', '0.0');
    await run('update-schema', '--schema-name', `postgresql/v12/${schema}`);
  }
}

/** Makes the namespace of the workflows; the server may not have found itself yet when it accepts its first connections. */
export async function makeNamespace(cli: string, address: string, timeoutMs: number): Promise<void> {
  const command = ['operator', 'namespace', 'create', '--namespace', 'default', '--retention', '168h'];
  const until = performance.now() + timeoutMs;
  for (;;) {
    const failure = await promisify(execFile)(cli, [...command, '--address', address], { timeout: 15_000 }).then(
      () => undefined,
      (error: Error & { stderr?: string }) => `${error.message} ${error.stderr}`,
    );
    if (failure === undefined || /already exists|already registered/i.test(failure)) return;
    if (performance.now() > until) throw new Error(`Temporal's namespace can't be made: ${failure}`);
  }
}
