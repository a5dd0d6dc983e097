import { enableCompileCache } from 'node:module';
import { COMPILE_CACHE } from '../runtime/compile-cache.ts';
import { runCommandLine } from './command-line.ts';

// Before the command's modules are loaded, which are most of what it takes.
enableCompileCache(COMPILE_CACHE);
const { code, answer, complaint } = await runCommandLine(process.argv.slice(2));
if (answer !== undefined) console.log(answer);
if (complaint !== undefined) console.error(complaint);
// To a pipe, long output is still being written.
await Promise.all([process.stdout, process.stderr].map(isTaken));
process.exit(Number(process.exitCode ?? code));

function isTaken(stream: NodeJS.WriteStream): Promise<unknown> {
  return new Promise((resolve) => stream.write('', resolve));
}
