import { join } from 'node:path';

/** Where a local stack keeps published heads of chains (spec/chain#published-heads). */
export function chainHeadsFile(dataDir: string): string {
  return join(dataDir, 'chain-heads.ndjson');
}
