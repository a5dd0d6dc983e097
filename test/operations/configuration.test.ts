import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configurationPage } from '../../cli/configuration.ts';
import { launcherSchema, processSchema } from '../../runtime/config.ts';

test('every variable says what it does', () => {
  const variables = Object.entries({ ...processSchema.shape, ...launcherSchema.shape });
  expect(variables.filter(([, variable]) => !variable.description).map(([name]) => name)).toEqual([]);
});

test('operations/configuration.md is what `node cli/main.ts configuration` prints', () => {
  const page = readFileSync(join(import.meta.dirname, '../../operations/configuration.md'), 'utf8');
  expect(page.trimEnd()).toBe(configurationPage().trimEnd());
});
