import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../operations');

/**
 * A file of `operations/` with other addresses in it: each key of `instead` by its value, wherever it stands. Throws where one does not
 * stand there: then the file is no longer the one that this was written for.
 */
export function shipped(file: string, instead: Record<string, string>): string {
  let text = readFileSync(join(FOLDER, file), 'utf8');
  for (const [from, to] of Object.entries(instead)) {
    if (!text.includes(from)) throw new Error(`operations/${file} has no ${JSON.stringify(from)} in it any more`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** The block of `upstream <name> { ... }` in an nginx configuration, to be put in another one's place. */
export function upstreamIn(file: string, name: string): string {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  const block = new RegExp(`^upstream ${name} \\{\\n[^}]*\\}\\n`, 'm').exec(text)?.[0];
  if (block === undefined) throw new Error(`operations/${file} has no upstream ${name}`);
  return block;
}
