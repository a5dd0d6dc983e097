import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { importsOf, packagesOf, root } from '../source-files.ts';

const run = promisify(execFile);

test('the core of the SDK compiles where there is no Node', async () => {
  const project = join(root, 'sdk/typescript/tsconfig.core.json');
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', project]).catch((failed) => failed);
  expect(stdout).toBe('');
});

test('it imports no module of Node, and no package but its two dependencies', () => {
  const paths = new Set(['sdk/typescript/source/index.ts']);
  for (const path of paths) {
    for (const target of importsOf(path, readFileSync(join(root, path), 'utf8'))) paths.add(target);
  }
  expect(paths.size).toBeGreaterThan(5);
  const packages = [...paths].flatMap((path) => packagesOf(readFileSync(join(root, path), 'utf8')));
  expect(packages.sort()).toEqual(['openapi-fetch', 'standardwebhooks']);
});
