import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './source-files.ts';

describe('dependencies', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  const pins = { ...manifest.dependencies, ...manifest.devDependencies };

  test('versions are exact', () => {
    expect(Object.entries(pins).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  test('the lockfile names the optional packages of every platform: npm ci refuses one that does not', () => {
    type Locked = { optionalDependencies?: Record<string, string> };
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, Locked>;
    };
    const optional = Object.values(lock.packages).flatMap((locked) => Object.keys(locked.optionalDependencies ?? {}));
    expect(
      optional.filter((name) => !Object.keys(lock.packages).some((path) => path.endsWith(`node_modules/${name}`))),
    ).toEqual([]);
  });

  test('each has its reason in docs/dependencies.md', () => {
    const reasons = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
    expect(Object.keys(pins).filter((name) => !reasons.includes(`\`${name}\``))).toEqual([]);
  });
});
