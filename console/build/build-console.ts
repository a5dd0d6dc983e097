import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { fingerprint } from './fingerprint.ts';
import { CONSOLE, DIST, PAGE_NAMES, type PageName } from './paths.ts';
import { writeGenerated } from './write-generated.ts';

/** Stands in the build and says what it was made from. */
const STAMP = 'built-from.txt';
const COMPRESSED = /\.(js|css|svg)$/;

/**
 * Builds the console and the portal into `console/dist`, unless it has been built from just these files. Where the packages that build it are not
 * installed (a production install) nothing is done.
 */
export async function buildConsole(log: (line: string) => void): Promise<void> {
  const source = fingerprint();
  if (stampOf(DIST) === source) return;
  if (!isInstalled('vite')) return log('The console is not built: what builds it is a development dependency.');
  const begun = performance.now();
  await writeGenerated();
  const outDir = `${DIST}.${process.pid}`;
  await Promise.all(PAGE_NAMES.map((name) => buildPage(name, join(outDir, name))));
  await writeFile(join(outDir, STAMP), source);
  // The one before is served until this one is whole.
  await rm(DIST, { recursive: true, force: true });
  await rename(outDir, DIST);
  log(`The console is built (${((performance.now() - begun) / 1000).toFixed(1)} s).`);
}

/** In a process of its own: whatever the environment of this one says, it is built for production. */
async function buildPage(name: PageName, outDir: string): Promise<void> {
  const vite = join(dirname(fileURLToPath(import.meta.resolve('vite/package.json'))), 'bin/vite.js');
  const options = ['--mode', name, '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn'];
  const environment = { cwd: CONSOLE, env: { NODE_ENV: 'production' } };
  await promisify(execFile)(process.execPath, [vite, 'build', ...options], environment);
  await compressAll(join(outDir, 'assets'));
}

function stampOf(dist: string): string | undefined {
  const path = join(dist, STAMP);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Lays `x.js.br` and `x.js.gz` beside each `x.js`: compressed once, and better than there is time for at each answer. */
async function compressAll(folder: string): Promise<void> {
  const names = readdirSync(folder).filter((name) => COMPRESSED.test(name));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const bytes = await readFile(path);
      await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes));
      await writeFile(`${path}.gz`, await promisify(gzip)(bytes));
    }),
  );
}
