import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiTypes } from '../console/build/api-types.ts';
import { ROOT } from './build-once.ts';

/** The types of the SDK, which are committed: whoever installs it has no document to make them of. */
export const SDK_TYPES = join(ROOT, 'sdk/typescript/source/generated/api.ts');

/** What they have to be: made of the API's document, whose numbers are JavaScript's. */
export async function sdkTypes(): Promise<string> {
  return `// Made of api/openapi.json by npm run openapi.\n\n${await apiTypes(await readFile(join(ROOT, 'api/openapi.json'), 'utf8'))}`;
}
