import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startClickHouseServer } from './server.ts';

const USAGE = 'node local/clickhouse-server/main.ts --path DIR --port N --password-file FILE';

/** Ends at SIGTERM or SIGINT, after what runs. The password comes in a file: arguments are for everybody on the machine to see. */
const { values } = parseArgs({
  options: { path: { type: 'string' }, port: { type: 'string', default: '8123' }, 'password-file': { type: 'string' } },
});
const port = Number(values.port);
const password = values['password-file'] ? readFileSync(values['password-file'], 'utf8').trim() : '';
if (!values.path || !Number.isInteger(port) || password === '') {
  console.error(`usage: ${USAGE}`);
  process.exit(2);
}

const server = await startClickHouseServer({ path: values.path, port, password }).catch((error) => {
  console.error(`cannot start: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
});
console.log(`serving ${values.path} on http://127.0.0.1:${server.port}`);

let stopping = false;
async function stop(signal: string) {
  if (stopping) return;
  stopping = true;
  console.log(`${signal}: stopping`);
  await server.stop();
  process.exit(0);
}
process.on('SIGTERM', () => void stop('SIGTERM'));
process.on('SIGINT', () => void stop('SIGINT'));
