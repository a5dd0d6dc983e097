import { readFile } from 'node:fs/promises';
import { type StackFile, stackFilePath } from '../local/stack-file.ts';
import { loadLauncherConfig } from '../runtime/config.ts';

/** The stack of `DATA_DIR`, as its launcher describes it (spec/service#stack-file). Throws with advice where none runs. */
export async function findStack(): Promise<StackFile> {
  const file = stackFilePath(loadLauncherConfig().dataDir);
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(
      `No stack runs here (${file} is missing). Start one with npm start, or set DATA_DIR to its folder.`,
    );
  });
  return JSON.parse(text) as StackFile;
}

/** The Postgres that a command acts on: an address from the environment, else those of the running stack (spec/service#command-line). */
export async function findDatabaseUrl(): Promise<string> {
  return loadLauncherConfig().databaseUrl ?? (await findStack()).postgres_url;
}

/** The usage stream that a command acts on: an address from the environment, else that of the running stack (spec/service#command-line). */
export async function findNatsUrl(): Promise<string> {
  return loadLauncherConfig().natsUrl ?? (await findStack()).nats_url;
}
