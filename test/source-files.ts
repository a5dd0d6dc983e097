import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';

// The repository's own files, for tests that hold its rules.

export type SourceFile = { path: string; text: string };

export const root = join(import.meta.dirname, '..');

/** What is installed or built, not written. */
const MADE = /\/node_modules$|\/(console|docs\/site|sdk\/typescript(\/source)?)\/(dist[^/]*|generated)$/;

export function markdownFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join(folder, path));
}

/** Every file with one of these endings, by its path from the root. */
export function textsOf(folder: string, endings: readonly string[]): SourceFile[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || MADE.test(path)) return [];
    if (entry.isDirectory()) return textsOf(path, endings);
    if (!endings.some((ending) => entry.name.endsWith(ending))) return [];
    return [{ path: relative(root, path), text: readFileSync(path, 'utf8') }];
  });
}

export function folderOf(path: string): string {
  return path.split('/')[0] ?? '';
}

export function specifiersOf(text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
}

export function importsOf(path: string, text: string): string[] {
  return specifiersOf(text)
    .filter((target) => target.startsWith('.'))
    .map((target) => join(dirname(path), target));
}

export function packagesOf(text: string): string[] {
  const packages = specifiersOf(text).filter((target) => !target.startsWith('.'));
  return packages.map((name) => (builtinModules.includes(name) ? `node:${name}` : name));
}

export function valueImportsOf(text: string): string[] {
  return [...text.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm)].map((match) => match[1] ?? '');
}

/** The values that a file imports by name, and where from; not the types. */
export function namedImportsOf(text: string): { name: string; from: string }[] {
  return [...text.matchAll(/^import \{([^}]*)\} from '([^']+)'/gm)].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => ({ name: name.replace(/ as .*/, ''), from })),
  );
}

export function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '');
}
