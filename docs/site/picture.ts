import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** A picture of the guide as it is served: by a name that changes with what it holds. `file`: where it is in the repository. */
export type Picture = { file: string; name: string; width: number; height: number };

/** Where the width and the height stand in a PNG, each in 4 bytes. */
const WIDTH_AT = 16;
const HEIGHT_AT = 20;

/** @throws Error for a file that is not there, or no PNG */
export function pictureAt(file: string): Picture {
  const bytes = readFileSync(file);
  if (bytes.toString('latin1', 1, 4) !== 'PNG') throw new Error(`${file} is no PNG.`);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  const name = basename(file).replace(/\.png$/, `-${hash}.png`);
  return { file, name, width: bytes.readUInt32BE(WIDTH_AT), height: bytes.readUInt32BE(HEIGHT_AT) };
}
