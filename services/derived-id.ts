import { createHash } from 'node:crypto';
import { TypeID } from 'typeid-js';
import type { IdPrefix } from '../core/ids.ts';

const UUID_BYTES = 16;

/** The id of what `parts` name: the same whenever it is made again, as after a restore of the records from a backup. */
export function derivedId(prefix: IdPrefix, parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  return TypeID.fromUUIDBytes(prefix, hash.subarray(0, UUID_BYTES)).toString();
}
