import { join } from 'node:path';
import { ChildProcess } from '../child-process.ts';
import { HEALTH_PATH, USER } from '../clickhouse-server/caller.ts';
import { keptPassword } from '../kept-password.ts';
import { answers, assertAnswers, childEnvironment, type EngineContext, excuseOfFullDisk, logFile } from './engine.ts';

/** Sessions block one of libuv's threads each while they work; files and compression need some too. */
const THREADS = '16';

/** ClickHouse: our own small server over the engine from npm (`local/clickhouse-server`). */
export class ClickHouseEngine extends ChildProcess {
  /** With its user and password. */
  readonly url: string;

  constructor(context: EngineContext, port: number) {
    const passwordFile = join(context.dataDir, 'clickhouse-password');
    const password = keptPassword(passwordFile);
    const main = join(import.meta.dirname, '..', 'clickhouse-server', 'main.ts');
    const path = join(context.dataDir, 'clickhouse');
    const spec = {
      name: 'clickhouse',
      command: process.execPath,
      args: [main, '--path', path, '--port', String(port), '--password-file', passwordFile],
      environment: childEnvironment(context, { UV_THREADPOOL_SIZE: THREADS, TZ: 'UTC' }),
      logFile: logFile(context, 'clickhouse'),
      isReady: () => answers(`http://127.0.0.1:${port}/ping`),
      isHealthy: () => assertAnswers(`http://127.0.0.1:${port}${HEALTH_PATH}`),
      excuse: () => excuseOfFullDisk(context.dataDir),
    };
    super(spec, context.observer);
    this.url = `http://${USER}:${password}@127.0.0.1:${port}`;
  }
}
