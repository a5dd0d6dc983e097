import { startStandInStack } from './stand-in-stack.ts';

/** A launcher of its own process, for tests that kill it: `node stand-in-launcher.ts DATA_DIR`. Prints `ready` when it is. */
const stack = await startStandInStack(process.argv[2] ?? '', { log: (line) => console.log(line) });
console.log('ready');
process.on('SIGTERM', () => void stack.stop().then(() => process.exit(0)));
