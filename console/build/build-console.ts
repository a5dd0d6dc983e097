import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { fingerprint } from './fingerprint.ts';
import { CONSOLE, DIST } from './paths.ts';
import { writeGenerated } from './write-generated.ts';

/** Stands in the build and says what it was made from. */
const STAMP = 'built-from.txt';
const COMPRESSED = /\.(js|css|svg)$/;

/**
 * Builds the console into `console/dist`, unless it has been built from just these files. Where the packages that build it are not
 * installed (a production install) nothing is done.
 */
export async function buildConsole(log: (line: string) => void): Promise<void> {
  const source = fingerprint();
  if (stampOf(DIST) === source) return;
  if (!isInstalled('vite')) return log('The console is not built: what builds it is a development dependency.');
  const begun = performance.now();
  await writeGenerated();
  const outDir = `${DIST}.${process.pid}`;
  const { build } = await import('vite');
  await build({ root: CONSOLE, logLevel: 'warn', build: { outDir } });
  await compressAll(join(outDir, 'assets'));
  await writeFile(join(outDir, STAMP), source);
  // The one before is served until this one is whole.
  await rm(DIST, { recursive: true, force: true });
  await rename(outDir, DIST);
  log(`The console is built (${((performance.now() - begun) / 1000).toFixed(1)} s).`);
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
