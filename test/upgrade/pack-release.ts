import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * `node test/upgrade/pack-release.ts <commit>`: keeps the sources of that commit, as the release that the upgrade test starts
 * from. Run it with the commit of a release when it is made; dependencies are those of now.
 */
const SOURCES = [
  'aggregator',
  'api',
  'billing',
  'cli',
  'core',
  'docs',
  'documents',
  'ingest',
  'local',
  'outbound',
  'package.json',
];
const MORE = ['runtime', 'services', 'sql', 'stream', 'wire', 'workflows'];

const [commit] = process.argv.slice(2);
if (!commit) throw new Error('Say the commit of the release.');
const file = join(import.meta.dirname, 'previous-release.tar.gz');
execFileSync('git', ['archive', '--format=tar.gz', `--output=${file}`, commit, ...SOURCES, ...MORE]);
console.log(`${file} is ${commit}`);
