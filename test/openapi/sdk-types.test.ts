import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { SDK_TYPES, sdkTypes } from '../../build/sdk-types.ts';

test('the types of the SDK are those of the document: npm run openapi makes them anew', async () => {
  const isFresh = (await readFile(SDK_TYPES, 'utf8')) === (await sdkTypes());
  expect(isFresh).toBe(true);
});
