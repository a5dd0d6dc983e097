import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ServerOptions } from './server.ts';

export const USAGE = 'node local/clickhouse-server/main.ts --path DIR --port N --password-file FILE';

/**
 * What the command line says, undefined where it makes no sense. The password comes in a file: arguments are for everybody on the
 * machine to see.
 */
export function readOptions(args: string[]): ServerOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      path: { type: 'string' },
      port: { type: 'string', default: '8123' },
      'password-file': { type: 'string' },
    },
  });
  const { path } = values;
  const port = Number(values.port);
  const password = values['password-file'] ? readFileSync(values['password-file'], 'utf8').trim() : '';
  return path && Number.isInteger(port) && password !== '' ? { path, port, password } : undefined;
}
