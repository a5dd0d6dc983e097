import { spawn } from 'node:child_process';
import { join } from 'node:path';

const BUILD = join(import.meta.dirname, '../console/build/main.ts');

/**
 * Builds the console where it has changed since it was last built, in a process of its own beside the stack's start, which does
 * not wait for it: until it is there, the API says so (spec/service#console).
 */
export function buildConsole(log: (line: string) => void, signal: AbortSignal): void {
  const build = spawn(process.execPath, [BUILD], { stdio: ['ignore', 'pipe', 'pipe'], signal });
  for (const output of [build.stdout, build.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => log(text.trimEnd()));
  }
  build.on('error', (error) => signal.aborted || log(`the console could not be built: ${error.message}`));
}
