import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

/** A small disk in memory: only where this user may mount one. */
const disk = mkdtempSync(join(tmpdir(), 'meterbook-small-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=900m,mode=0755', 'tmpfs', disk]).status === 0;
const ROOT = join(import.meta.dirname, '../..');

afterAll(() => {
  if (isMounted) spawnSync('umount', ['--lazy', disk]);
  rmSync(disk, { recursive: true, force: true });
});

const start = (more: Record<string, string>) => {
  const env = { ...process.env, DATA_DIR: join(disk, 'data'), PORT: '0', ...more };
  // Ended once it is up.
  const options = { cwd: ROOT, env, encoding: 'utf8', timeout: 120_000, killSignal: 'SIGTERM' } as const;
  return spawnSync(process.execPath, ['cli/main.ts', 'start'], options);
};

test.skipIf(!isMounted)(
  'a disk without room for the usage stream ends the start, and the message says what to set',
  () => {
    const { status, stderr } = start({});
    expect(status).toBe(1);
    const [, free, size, wanted, fitting] =
      /has too little room: (\d+) MB of (\d+) MB are free.* (\d+) MB \(USAGE_STREAM_MAX_BYTES\).*at most (\d+)\./.exec(
        stderr,
      ) ?? [];
    expect(stderr).toContain(`The disk of ${join(disk, 'data')} has too little room`);
    expect([Number(size), Number(wanted)]).toEqual([900, 4096]);
    expect(Number(free)).toBeLessThan(900);
    expect(Number(fitting)).toBeGreaterThan(2 ** 20);
  },
  300_000,
);
