import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CONSOLE, ROOT } from './paths.ts';

const MADE = new Set(['node_modules', 'dist', 'generated']);
const BESIDE = ['api/openapi.json', 'package-lock.json'];

/** A hash of all that the build is made from: this folder, the API's document, the versions of packages. */
export function fingerprint(): string {
  const hash = createHash('sha256');
  for (const path of [...filesIn(CONSOLE), ...BESIDE.map((path) => join(ROOT, path))]) {
    hash
      .update(`${relative(ROOT, path)}\0`)
      .update(readFileSync(path))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !MADE.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(path) : [path];
    });
}
