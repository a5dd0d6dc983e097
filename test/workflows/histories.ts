import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

/** Histories of every kind of life as each release made them: `histories/<release>/<life>-<n>.json.gz`. */
const FOLDER = join(import.meta.dirname, 'histories');

type History = Parameters<typeof historyToJSON>[0];
export type StoredHistory = { release: string; name: string; workflowId: string; history: unknown };

/** Every stored history of every release, to be replayed against the definitions of now. */
export function readHistories(): StoredHistory[] {
  return readdirSync(FOLDER).flatMap((release) =>
    readdirSync(join(FOLDER, release)).map((file) => {
      const stored = JSON.parse(gunzipSync(readFileSync(join(FOLDER, release, file))).toString());
      return {
        release,
        name: file.replace(/\.json\.gz$/, ''),
        ...(stored as Pick<StoredHistory, 'workflowId' | 'history'>),
      };
    }),
  );
}

/** The life that a history is a part of. */
export function lifeOf({ name }: Pick<StoredHistory, 'name'>): string {
  return name.replace(/-\d+-[a-z-]+$/, '');
}

export function writeHistory(release: string, name: string, workflowId: string, history: History): void {
  mkdirSync(join(FOLDER, release), { recursive: true });
  const text = JSON.stringify({ workflowId, history: JSON.parse(historyToJSON(history)) });
  writeFileSync(join(FOLDER, release, `${name}.json.gz`), gzipSync(text, { level: 9 }));
}
