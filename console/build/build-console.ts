import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildOnce } from '../../build/build-once.ts';
import { CONSOLE, DIST, PAGE_NAMES, type PageName } from './paths.ts';
import { writeGenerated } from './write-generated.ts';

/** Builds the console and the portal into `console/dist`, unless they have been built from just these files. */
export function buildConsole(log: (line: string) => void): Promise<void> {
  const sources = ['console', 'api/openapi.json'];
  return buildOnce({ name: 'console is', dist: DIST, sources, needs: 'vite', make }, log);
}

async function make(folder: string): Promise<void> {
  await writeGenerated();
  await Promise.all(PAGE_NAMES.map((name) => buildPage(name, join(folder, name))));
}

/** In a process of its own: whatever the environment of this one says, it is built for production. */
async function buildPage(name: PageName, outDir: string): Promise<void> {
  const vite = join(dirname(fileURLToPath(import.meta.resolve('vite/package.json'))), 'bin/vite.js');
  const options = ['--mode', name, '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn'];
  const environment = { cwd: CONSOLE, env: { NODE_ENV: 'production' } };
  await promisify(execFile)(process.execPath, [vite, 'build', ...options], environment);
}
