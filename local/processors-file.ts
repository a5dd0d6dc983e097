import { join } from 'node:path';

/** Where a local stack looks for settings of payment processors that its environment does not have (PROCESSORS_FILE). */
export function processorsFile(dataDir: string): string {
  return join(dataDir, 'processors.json');
}
