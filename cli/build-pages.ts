import { spawn } from 'node:child_process';
import { join } from 'node:path';

const BUILD = join(import.meta.dirname, '../build/main.ts');

/**
 * Builds the console and the pages of `/docs` where they have changed since they were last built, in a process of its own beside the
 * stack's start, which does not wait for it: until they are there, the API says so (spec/service#console).
 */
export function buildPages(log: (line: string) => void, signal: AbortSignal): void {
  const build = spawn(process.execPath, [BUILD], { stdio: ['ignore', 'pipe', 'pipe'], signal });
  for (const output of [build.stdout, build.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => log(text.trimEnd()));
  }
  build.on('error', (error) => signal.aborted || log(`console and docs could not be built: ${error.message}`));
}
