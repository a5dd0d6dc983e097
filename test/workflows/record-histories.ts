import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** `npm run record-histories -- <release>`: plays every kind of life on a stack of its own and keeps the histories that the release lacks. */
const [release = ''] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(release)) {
  console.error('usage: npm run record-histories -- <release>, such as 0.1.0');
  process.exit(2);
}
const vitest = join('node_modules', '.bin', 'vitest');
const { status } = spawnSync(vitest, ['run', '--project', 'stack', 'test/workflows/replay.stack.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, RECORD_RELEASE: release },
});
process.exitCode = status ?? 1;
