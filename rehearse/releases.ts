import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** The release before, unless another is named. (The one that `test/upgrade/` keeps is older than what the load's senders speak.) */
const BEFORE = '73504ce';

/** Sources that processes run from. */
export type Release = { name: string; root: string };

export const THIS_RELEASE: Release = { name: 'this release', root: ROOT };

/** Unpacks a commit of this repository into `folder`; dependencies are those of now. */
export function unpackRelease(folder: string, commit = BEFORE): Release {
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, 'release.tar.gz');
  execFileSync('git', ['-C', ROOT, 'archive', '--format=tar.gz', `--output=${archive}`, commit]);
  execFileSync('tar', ['-xzf', archive, '-C', folder]);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { name: `release ${commit}`, root: folder };
}
