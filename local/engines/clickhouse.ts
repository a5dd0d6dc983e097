import { join } from 'node:path';
import { ChildProcess } from '../child-process.ts';
import { answers, childEnvironment, type EngineContext, logFile } from './engine.ts';

/** Sessions block one of libuv's threads each while they work; files and compression need some too. */
const THREADS = '16';

/** ClickHouse: our own small server over the engine from npm (`local/clickhouse-server`). */
export class ClickHouseEngine extends ChildProcess {
  readonly url: string;

  constructor(context: EngineContext, port: number) {
    const url = `http://127.0.0.1:${port}`;
    const main = join(import.meta.dirname, '..', 'clickhouse-server', 'main.ts');
    const path = join(context.dataDir, 'clickhouse');
    const spec = {
      name: 'clickhouse',
      command: process.execPath,
      args: [main, '--path', path, '--port', String(port)],
      environment: childEnvironment(context, { UV_THREADPOOL_SIZE: THREADS, TZ: 'UTC' }),
      logFile: logFile(context, 'clickhouse'),
      isReady: () => answers(`${url}/ping`),
    };
    super(spec, context.observer);
    this.url = url;
  }
}
