import { parseArgs } from 'node:util';
import { startClickHouseServer } from './server.ts';

/** `node local/clickhouse-server/main.ts --path DIR --port N`: ends at SIGTERM or SIGINT, after what runs. */
const { values } = parseArgs({ options: { path: { type: 'string' }, port: { type: 'string', default: '8123' } } });
const port = Number(values.port);
if (!values.path || !Number.isInteger(port)) {
  console.error('usage: node local/clickhouse-server/main.ts --path DIR --port N');
  process.exit(2);
}

const server = await startClickHouseServer({ path: values.path, port }).catch((error) => {
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
