import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export const ROOT = join(import.meta.dirname, '..');

/** Stands in a build and says what it was made from. */
const STAMP = 'built-from.txt';
const COMPRESSED = /\.(html|js|css|svg|json)$/;
/** What the service writes into a page at each answer, as its nonce, is named so where it has to stand. */
const WRITTEN_LATER = '-OF-THIS-ANSWER';
/** 15 % more bytes than at the best of 11, for a twentieth of the time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const MADE = new Set(['node_modules', 'generated']);
/** Beside its own sources everything is made from these. */
const COMMON = ['build', 'tsconfig.json', 'package-lock.json'];

/** One thing that is built. */
type Build = {
  /** As a line of the log names it: `console is`. */
  name: string;
  /** Where it is served from. */
  dist: string;
  /** Files and folders that it is made from, by their path from the root. */
  sources: readonly string[];
  /** A package without which it can't be made. */
  needs: string;
  /** Makes all of it in this folder, which is not there yet. */
  make(folder: string): Promise<void>;
};

/**
 * Makes `dist`, unless it has been made from just these sources and versions of packages. Where what makes it is not installed (a
 * production install) nothing is done.
 */
export async function buildOnce(build: Build, log: (line: string) => void): Promise<void> {
  const { name, dist, sources, needs, make } = build;
  const source = fingerprint([...sources, ...COMMON]);
  if (stampOf(dist) === source) return;
  if (!isInstalled(needs)) return log(`The ${name} not built: what builds it is a development dependency.`);
  const begun = performance.now();
  const folder = `${dist}.${process.pid}`;
  try {
    await make(folder);
    await compressAll(folder);
    await writeFile(join(folder, STAMP), source);
    // The one before is served until this one is whole.
    await rm(dist, { recursive: true, force: true });
    await rename(folder, dist);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  log(`The ${name} built (${((performance.now() - begun) / 1000).toFixed(1)} s).`);
}

/** A hash of the files at these paths, and in folders there. */
function fingerprint(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths.flatMap((one) => filesAt(join(ROOT, one)))) {
    hash
      .update(`${relative(ROOT, path)}\0`)
      .update(readFileSync(path))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !MADE.has(name) && !/^dist(\.|$)/.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const inner = join(path, entry.name);
      return entry.isDirectory() ? filesAt(inner) : [inner];
    });
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

/**
 * Lays `x.js.br` and `x.js.gz` beside each `x.js` that is sent as it is: compressed once, and better than
 * there is time for at each answer.
 */
async function compressAll(folder: string): Promise<void> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => COMPRESSED.test(name));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const bytes = await readFile(path);
      if (bytes.includes(WRITTEN_LATER)) return;
      await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, BROTLI));
      await writeFile(`${path}.gz`, await promisify(gzip)(bytes));
    }),
  );
}
