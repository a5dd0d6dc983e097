import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadLauncherConfig } from '../runtime/config.ts';

/** What tools need of a running stack (contract 16, stack.json). */
export type StackAddress = {
  base_url: string;
  api_key: string;
  account_id: string;
  temporal_ui_url: string;
  temporal_address: string;
  nats_url: string;
  clickhouse_url: string;
  postgres_url: string;
};

/** The stack of `DATA_DIR`, as its launcher describes it. Throws with advice where none runs. */
export async function findStack(): Promise<StackAddress> {
  const { dataDir } = loadLauncherConfig();
  const file = join(dataDir, 'stack.json');
  try {
    return JSON.parse(await readFile(file, 'utf8')) as StackAddress;
  } catch {
    throw new Error(
      `No stack runs here (${file} is missing). Start one with npm start, or set DATA_DIR to its folder.`,
    );
  }
}
