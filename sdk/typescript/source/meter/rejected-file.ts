import { appendFile, open, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { now } from '../clock.ts';
import type { FieldErrors } from './errors.ts';

/** What is kept is the newest: when there is more than the first, it is cut to the second. */
const MAX_BYTES = 10 * 1_048_576;
const KEPT_BYTES = 9 * 1_048_576;

/** An event that the service refused, parsed; the text of its line where that is not JSON. */
export type Rejection = { event: unknown; errors: FieldErrors };

/** Appends rejected events to `rejected.ndjson`, `{event, errors, at}` each, which all meters of a `spoolDir` share. */
export async function keepRejected(spoolDir: string, rejections: readonly Rejection[]): Promise<void> {
  const path = join(spoolDir, 'rejected.ndjson');
  const at = new Date(now()).toISOString();
  const lines = rejections.map(({ event, errors }) => `${JSON.stringify({ event, errors, at })}\n`);
  await appendFile(path, lines.join(''), { mode: 0o600 });
  const { size } = await stat(path);
  if (size > MAX_BYTES) await cut(path, size);
}

async function cut(path: string, size: number): Promise<void> {
  const file = await open(path);
  const kept = Buffer.alloc(KEPT_BYTES);
  await file.read(kept, 0, KEPT_BYTES, size - KEPT_BYTES).finally(() => file.close());
  const beside = `${path}.${process.pid}`;
  await writeFile(beside, kept.subarray(kept.indexOf('\n') + 1), { mode: 0o600 });
  await rename(beside, path);
}
