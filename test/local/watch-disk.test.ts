import { expect, test } from 'vitest';
import { diskObserver, roomOf } from '../../local/watch-disk.ts';

const GB = 2 ** 30;

test('says when a disk is nearly full, again at half of what was left, and when there is room again', () => {
  const said: string[] = [];
  const look = diskObserver('/data', (line) => said.push(line));
  const saidOf = (free: number, size = 20 * GB) => {
    said.length = 0;
    look({ free, size });
    return said.map((line) => /nearly full: (\d+) MB|room again: (\d+) MB/.exec(line)?.[0]);
  };
  expect(saidOf(3 * GB)).toEqual([]);
  expect(saidOf(1.5 * GB)).toEqual(['nearly full: 1536 MB']);
  expect(saidOf(1.4 * GB)).toEqual([]);
  expect(saidOf(0.7 * GB)).toEqual(['nearly full: 716 MB']);
  expect(saidOf(0)).toEqual(['nearly full: 0 MB']);
  expect(saidOf(0)).toEqual([]);
  expect(saidOf(2.1 * GB)).toEqual([]);
  expect(saidOf(3 * GB)).toEqual(['room again: 3072 MB']);
});

test('a large disk has room while there is room for a busy day', () => {
  const said: string[] = [];
  const look = diskObserver('/data', (line) => said.push(line));
  look({ free: 6 * GB, size: 2_000 * GB });
  expect(said).toEqual([]);
  look({ free: 4 * GB, size: 2_000 * GB });
  expect(said).toHaveLength(1);
});

test('reads the room of a real disk', () => {
  const { free, size } = roomOf(import.meta.dirname);
  expect(size).toBeGreaterThan(free);
});
