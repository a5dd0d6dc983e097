import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The processes of a stack: ours in the order in which they stop, the way data flows, then the engines they stand on. */
export const STACK_PROCESSES = [
  ...['ingest', 'aggregator', 'worker', 'api'],
  ...['temporal', 'nats', 'clickhouse', 'postgres'],
] as const;

/**
 * Where everything of a running stack is: `DATA_DIR/stack.json` (spec/service#stack-file). While a process is being started
 * again, its pid is the one that died. An engine given by the environment has pid null; so has a given Temporal's UI its address.
 */
export type StackFile = {
  base_url: string;
  api_key: string;
  account_id: string;
  temporal_ui_url: string | null;
  temporal_address: string;
  nats_url: string;
  clickhouse_url: string;
  postgres_url: string;
  pids: Record<
    'launcher' | 'ingest' | 'aggregator' | 'worker' | 'api' | 'postgres' | 'nats' | 'clickhouse' | 'temporal',
    number | null
  >;
};

export function stackFilePath(dataDir: string): string {
  return join(dataDir, 'stack.json');
}

/** Replaces the file in one step: a reader sees the old one or the new one, never half. Only its owner may read it. */
export function writeStackFile(dataDir: string, contents: StackFile) {
  const file = stackFilePath(dataDir);
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${JSON.stringify(contents, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

export function removeStackFile(dataDir: string) {
  rmSync(stackFilePath(dataDir), { force: true });
}
