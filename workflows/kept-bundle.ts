import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { WorkflowBundle } from './worker.ts';

const ROOT = join(import.meta.dirname, '..');
const KEPT = join(ROOT, 'node_modules/.cache/workflow-bundle.json');
/** All that a definition may import of ours; what is imported for its types alone does not matter. */
const SOURCES = ['workflows/definitions', 'billing', 'core'];
/** What the bundler is told, and which release of what it is and of what it bundles. */
const SETTINGS = ['workflows/worker.ts', 'node_modules/.package-lock.json'];

/** It is under 1 MB, with its source map. */
const MAX_BUNDLE_BYTES = 50_000_000;

/**
 * The bundle of the workflow definitions: the one that an earlier start of the same sources has kept in `file`, else one that is
 * made, which takes seconds, and kept.
 */
export async function loadBundle(file = KEPT, make = bundleApart): Promise<WorkflowBundle> {
  const key = await keyOfSources();
  const kept = await findKept(file);
  if (kept.key === key && kept.bundle) return kept.bundle;
  const bundle = await make();
  // Where nothing can be kept, as in a container, the next start makes it again.
  await keep(file, { key, bundle }).catch(() => {});
  return bundle;
}

/** As bundleWorkflows, by a process of its own. */
async function bundleApart(): Promise<WorkflowBundle> {
  const run = promisify(execFile);
  const script = join(import.meta.dirname, 'bundle.ts');
  const { stdout } = await run(process.execPath, [script], { maxBuffer: MAX_BUNDLE_BYTES });
  return JSON.parse(stdout) as WorkflowBundle;
}

type Kept = { key: string; bundle: WorkflowBundle };

async function findKept(file: string): Promise<Partial<Kept>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Partial<Kept>;
  } catch {
    // There is none, or power was lost before it was on disk.
    return {};
  }
}

/** Several workers of a machine may do it at once: each replaces the whole file. */
async function keep(file: string, kept: Kept): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(draft, JSON.stringify(kept));
  await rename(draft, file);
}

/** Of every source, and of where they lie: stack traces name them. */
async function keyOfSources(): Promise<string> {
  const lists = await Promise.all(
    SOURCES.map(async (folder) => {
      const names = await readdir(join(ROOT, folder), { recursive: true });
      return names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
    }),
  );
  const hash = createHash('sha256').update(ROOT);
  for (const path of [...lists.flat().sort(), ...SETTINGS]) {
    hash.update(`\0${path}\0`).update(await readFile(join(ROOT, path)).catch(() => ''));
  }
  return hash.digest('hex');
}
