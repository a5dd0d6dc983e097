import { runProcess } from '../../runtime/lifecycle.ts';
import { readOptions, USAGE } from './options.ts';
import { createClickHouseServer } from './server.ts';

const options = readOptions(process.argv.slice(2));
if (options === undefined) {
  console.error(`usage: ${USAGE}`);
  process.exit(2);
}
await runProcess(createClickHouseServer(options));
