import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiTypes } from './api-types.ts';
import { GENERATED, ROOT } from './paths.ts';

type Document = {
  paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
  webhooks: Record<string, unknown>;
};

/**
 * Writes what the console knows of the API, out of its document alone: `generated/api.ts`, the types of all operations,
 * `generated/previewable.ts`, which of them can be tried without doing anything, and `generated/event-types.ts`, what webhooks tell.
 */
export async function writeGenerated(): Promise<void> {
  const text = await readFile(join(ROOT, 'api/openapi.json'), 'utf8');
  await mkdir(GENERATED, { recursive: true });
  await write('api.ts', await typesOf(withoutLargeMembers(text)));
  const document = JSON.parse(text) as Document;
  await write('previewable.ts', previewableOf(document));
  const types = JSON.stringify(Object.keys(document.webhooks), null, 2);
  await write('event-types.ts', `export const EVENT_TYPES = ${types} as const;\n`);
}

/** At once: a build or a type check may read it meanwhile. */
async function write(name: string, text: string): Promise<void> {
  const path = join(GENERATED, name);
  const written = `${path}.${process.pid}`;
  await writeFile(written, text);
  await rename(written, path);
}

/** The document's types; its numbers are exact ones, as the console reads them. */
async function typesOf(text: string): Promise<string> {
  const { default: ts } = await import('typescript');
  const exact = ts.factory.createTypeReferenceNode('Exact');
  const nullable = ts.factory.createUnionTypeNode([exact, ts.factory.createLiteralTypeNode(ts.factory.createNull())]);
  const transform = ({ type, enum: values }: { type?: unknown; enum?: unknown[] }) => {
    if (values) return undefined;
    if (type === 'number') return exact;
    return Array.isArray(type) && type.includes('number') ? nullable : undefined;
  };
  return `import type { Exact } from '../api/exact.ts';\n\n${await apiTypes(text, transform)}`;
}

/** The document for a reader to whom a member that is left out for its size is an empty list (`console/api/exact.ts`). */
function withoutLargeMembers(text: string): string {
  return JSON.stringify(
    JSON.parse(text, (_key, value) => (value?.['x-null-if-large'] === true ? { ...value, type: 'array' } : value)),
  );
}

function previewableOf({ paths }: Document): string {
  const names = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { parameters = [] }]) => parameters.some((one) => one.in === 'query' && one.name === 'preview'))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  return `export const PREVIEWABLE: ReadonlySet<string> = new Set(${JSON.stringify(names, null, 2)});\n`;
}
