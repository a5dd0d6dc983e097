import { writeFile } from 'node:fs/promises';
import { SDK_TYPES, sdkTypes } from './sdk-types.ts';

await writeFile(SDK_TYPES, await sdkTypes());
