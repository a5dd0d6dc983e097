import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { lockDirectory } from '../../local/lock-directory.ts';

/** The lock of a folder that need not exist. */
const lock = (dataDir: string, said: string[] = [], holder = { address: 'http://127.0.0.1:1', isStopping: false }) =>
  lockDirectory(dataDir, holder, { say: (line) => void said.push(line) });

test('a start waits for the stack that is stopping on its directory, and says so once', async () => {
  const dataDir = `/nowhere/${randomUUID()}`;
  const holder = { address: 'http://127.0.0.1:1', isStopping: false };
  const first = await lock(dataDir, [], holder);
  holder.isStopping = true;
  setTimeout(() => first.release(), 700);
  const said: string[] = [];
  const second = await lock(dataDir, said);
  expect(said).toEqual([`a stack on ${dataDir} is stopping: waiting for its end`]);
  second.release();
});

test('a start waits for a stack that was asked to stop and has not begun to', async () => {
  const dataDir = `/nowhere/${randomUUID()}`;
  const first = await lock(dataDir);
  setTimeout(() => first.release(), 300);
  (await lock(dataDir)).release();
});

test('a start beside a stack that runs on its directory says where that is', async () => {
  const dataDir = `/nowhere/${randomUUID()}`;
  const first = await lock(dataDir);
  await expect(lock(dataDir)).rejects.toThrow(`A stack already runs on ${dataDir}, at http://127.0.0.1:1.`);
  first.release();
});
